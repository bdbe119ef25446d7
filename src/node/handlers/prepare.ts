/** What each kind of handler becomes once its configuration is checked. Knows nothing of how any kind does it. */
import type { HandlerAnswer, HookEvent } from "../../core/hookRules/types";
import type { Log } from "../../ports";
import type { Reached } from "./fileDigest";
import type { FoundPython } from "./python";
import type { RunPlace } from "./runPlaces";

/** Something wrong with one key of a handler. */
export interface KeyProblem {
  /** Keys from the handler on, e.g. `["headers", "Authorization"]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly suggestion?: string;
}

export interface Surroundings {
  /** Real path of the configuration's folder: relative paths start here. */
  readonly folder: string;
  /** The handler's own is made of it; folders of `PATH` that lie within `folder` are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** "allowed" = whoever runs the program answers for files that no reader can list. */
  readonly unlisted: "problem" | "allowed";
  /** Looked for once. */
  python(): Promise<FoundPython>;
  runPlace(event: HookEvent): RunPlace;
}

export interface Prepared {
  /** With any of these the rest is not used. */
  readonly problems: readonly KeyProblem[];
  /** What it runs of the person's own files. */
  readonly reached: Reached;
  /** Starts what has to be started, and tells what is wrong with it. Runs the person's code. */
  load?(): Promise<readonly KeyProblem[]>;
  run(event: HookEvent, signal: AbortSignal): Promise<HandlerAnswer>;
}

export const nothing: Reached = {
  files: new Map(),
  watched: new Map(),
  links: new Set(),
  empty: new Set(),
  folders: new Map(),
};

/** One that cannot be built. */
export const unfit = (...problems: readonly KeyProblem[]): Prepared => ({
  problems,
  reached: nothing,
  run: () => Promise.resolve({ kind: "broken", why: problems[0]?.message ?? "it could not be built" }),
});
