/** Watches every file that an agent reads its hooks from, and says what changed. Decides nothing, runs nothing. */
import { createHash } from "node:crypto";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "../core/errors";
import type { HookChange } from "../core/governance/governanceState";
import type { Log } from "../ports";
import { type FoundSource, findHookSources, hookSourceFolders, type Where } from "./hookSourceFiles";

export interface HookSourceWatchOptions {
  readonly home: string;
  /** Workspace folders that are open now. */
  readonly roots: () => readonly string[];
  /** Root of the file system; another one only in tests. */
  readonly system?: string;
  /** Variables that lead agents to other folders. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onChange: (changes: readonly HookChange[]) => void;
  readonly log: Log;
  /** Between looks, in milliseconds. */
  readonly pollMs?: number;
}

export interface HookSourceWatch {
  /** Reads all of them anew; to be called after every call of an agent. Resolves when a change has been told. Never rejects. */
  check(): Promise<void>;
  /** What stands there now is what we or the person put there: it is no change. */
  accept(path: string): Promise<void>;
  /** As last read. */
  sources(): readonly FoundSource[];
  dispose(): void;
}

const POLL_MS = 2000;
/** A save often comes as several events, and what we write ourselves is told to us only after it stands there. */
const SETTLE_MS = 250;

/** Resolves when everything was read once: what stands there then is where it begins from. */
export async function startHookSourceWatch(options: HookSourceWatchOptions): Promise<HookSourceWatch> {
  let known = await read(options);
  let roots = options.roots().join("\n");
  let running: Promise<void> | undefined;
  let over = false;
  const accepted = new Set<string>();
  const watchers = new Map<string, FSWatcher>();

  async function look(): Promise<void> {
    if (over) return;
    const now = await read(options);
    if (over) return;
    const folders = options.roots().join("\n");
    // Files of a folder that was opened or closed have not changed by that.
    const moved = folders !== roots;
    roots = folders;
    const changes = differences(known, now).filter(
      ({ path }) => !accepted.has(path) && !(moved && isElsewhere(path, options)),
    );
    accepted.clear();
    known = now;
    if (changes.length > 0) options.onChange(changes);
    watchFolders();
  }

  /** One look at a time; whoever asks while one is under way gets one that began after the asking. */
  function check(): Promise<void> {
    const before = running ?? Promise.resolve();
    const next = before
      .then(look)
      .catch((error: unknown) => options.log.error(`hook sources: ${messageOf(error)}`));
    running = next;
    return next;
  }

  let soon: NodeJS.Timeout | undefined;
  function watchFolders(): void {
    const { home, system = "/" } = options;
    const where = whereOf(options);
    // In these something happens all the time; the poll is enough for them.
    const busy = new Set([home, system, join(system, "etc")]);
    const wanted = new Set(
      hookSourceFolders(where)
        .map(existing)
        .filter((folder) => folder === undefined || !busy.has(folder)),
    );
    for (const [folder, watcher] of watchers)
      if (!wanted.has(folder)) {
        watcher.close();
        watchers.delete(folder);
      }
    for (const folder of wanted) {
      if (folder === undefined || watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { persistent: false }, () => {
          clearTimeout(soon);
          soon = setTimeout(() => void check(), SETTLE_MS);
          soon.unref();
        });
        watcher.on("error", () => {
          watcher.close();
          watchers.delete(folder);
        });
        watchers.set(folder, watcher);
      } catch {
        // The poll sees it all the same.
      }
    }
  }

  watchFolders();
  const poll = setInterval(() => void check(), options.pollMs ?? POLL_MS);
  poll.unref();
  return {
    check,
    async accept(path) {
      accepted.add(path);
      await check();
    },
    sources: () => [...known.values()],
    dispose() {
      over = true;
      clearInterval(poll);
      clearTimeout(soon);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

type Known = ReadonlyMap<string, FoundSource>;

async function read(options: HookSourceWatchOptions): Promise<Known> {
  const found = await findHookSources(whereOf(options));
  return new Map(found.map((source) => [source.path, source]));
}

function differences(before: Known, now: Known): readonly HookChange[] {
  const out: HookChange[] = [];
  for (const { path, agents, fact, off } of now.values()) {
    const old = before.get(path);
    if (old?.fact === fact) continue;
    // A file that says nothing of hooks is as good as none.
    if (old === undefined && fact === EMPTY) continue;
    out.push({ path, agents, kind: old === undefined ? "appeared" : "changed", off });
  }
  for (const { path, agents, fact } of before.values())
    if (!now.has(path) && fact !== EMPTY) out.push({ path, agents, kind: "gone", off: [] });
  return out;
}

function whereOf({ home, roots, system = "/", env = {} }: HookSourceWatchOptions): Where {
  return { home, roots: roots(), system, env };
}

const EMPTY = createHash("sha256").update("[]").digest("hex");

function isElsewhere(path: string, { home, system = "/" }: HookSourceWatchOptions): boolean {
  return !path.startsWith(join(home, ".")) && !path.startsWith(join(system, "etc"));
}

/** The nearest folder that is there; undefined for the root, which is not worth watching. */
function existing(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(at)) return at === dirname(at) ? undefined : at;
    if (at === dirname(at)) return undefined;
  }
}
