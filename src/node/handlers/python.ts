/** Finds Python, lists what a module reaches, and starts the process of a Python callable. Knows nothing of rules. */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { messageOf } from "../../core/errors";
import type { Log } from "../../ports";
import { fixedPath } from "./environment";
import { findProgram } from "./findProgram";
import { forwardOutput } from "./forwardOutput";
import { MARK } from "./processTree";
import { BRIDGE_SOURCE } from "./pythonBridge";
import { PROBE_SOURCE, SCAN_SOURCE } from "./pythonSource";
import type { ServantChild, ServantPlan } from "./servant";

type Environment = Readonly<Record<string, string>>;

export interface PythonPlace {
  /** Absolute path of the folder that modules are taken from. */
  readonly folder: string;
  /** Already filtered. */
  readonly env: Environment;
}

export type FoundPython =
  | { readonly ok: true; readonly program: string }
  | { readonly ok: false; readonly message: string };

const probe = z.object({ executable: z.string().min(1), version: z.tuple([z.int(), z.int()]) });
const scanned = z.union([
  z.object({
    files: z.array(z.string()),
    elsewhere: z.array(z.string()),
    names: z.array(z.string()).nullable(),
    links: z.array(z.string()),
    packages: z.array(z.string()),
    unlisted: z.array(z.string()),
  }),
  z.object({ error: z.string() }),
]);

/**
 * The interpreter itself, not a shim that would choose anew for each folder. A shim is asked beside its own file: in a folder
 * that nobody has trusted yet, a version file there would choose what runs. Never rejects.
 */
export async function findPython({ env }: Pick<PythonPlace, "env">): Promise<FoundPython> {
  const path = fixedPath(env.PATH ?? env.Path ?? "");
  const shim = (await findProgram("python3", path)) ?? (await findProgram("python", path));
  if (shim === undefined) return { ok: false, message: "no python3 was found on PATH" };
  try {
    const { executable, version } = probe.parse(
      await ask(shim, ["-I", "-c", PROBE_SOURCE], { folder: dirname(shim), env }),
    );
    const [major, minor] = version;
    if (major === 3 && minor >= 8) return { ok: true, program: executable };
    return { ok: false, message: `${executable} is Python ${major}.${minor}; 3.8 or newer is needed` };
  } catch (error) {
    return { ok: false, message: `${shim} does not run: ${messageOf(error)}` };
  }
}

/** A module by name, a package that is run (`-m`), a script by path, or a text. */
export type ScanKind = "module" | "main" | "file" | "code";

export interface ScanOptions extends PythonPlace {
  readonly program: string;
  readonly kind: ScanKind;
  readonly name: string;
}

export type Scanned =
  | {
      readonly ok: true;
      readonly files: readonly string[];
      /** Modules that are taken from elsewhere as long as the folder has none of that name. */
      readonly elsewhere: readonly string[];
      /** Those of them that are none of Python's own. */
      readonly packages: readonly string[];
      /** Paths through links that lead to `files`. */
      readonly links: readonly string[];
      /** What loads or starts what its text does not name, each with its place. */
      readonly unlisted: readonly string[];
      /** What the module itself defines; undefined where that cannot be told without running it. */
      readonly names: readonly string[] | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** Real paths, for a module below the folder; none for a module that is installed elsewhere. Runs nothing of the module. Never rejects. */
export async function scanPython({ program, kind, name, ...place }: ScanOptions): Promise<Scanned> {
  try {
    const args = ["-I", "-S", "-c", SCAN_SOURCE, place.folder, kind, name];
    const answer = scanned.parse(await ask(program, args, place));
    if ("error" in answer) return { ok: false, message: answer.error };
    return { ok: true, ...answer, names: answer.names ?? undefined };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

function ask(program: string, args: readonly string[], { folder, env }: PythonPlace): Promise<unknown> {
  const options = { cwd: folder, env, timeout: 10_000, maxBuffer: 1_048_576, windowsHide: true };
  return new Promise((resolve, reject) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error !== null) return reject(new Error(stderr.trim().split("\n").at(-1) || error.message));
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error("it printed what is no JSON"));
      }
    });
  });
}

export interface PythonPlan extends PythonPlace {
  readonly program: string;
  readonly module: string;
  /** Real path → SHA-256 of the local files that may be imported. */
  readonly files: Readonly<Record<string, string>>;
  readonly log: Log;
}

const MAX_RESIDENT = 1024 * 1024 * 1024;

export function pythonPlan(plan: PythonPlan): ServantPlan {
  const { folder, module, files } = plan;
  const first = JSON.stringify({ folder, module, files, maxBytes: MAX_RESIDENT });
  return { first, start: () => startProcess(plan) };
}

function startProcess(plan: PythonPlan): ServantChild {
  const mark = randomBytes(12).toString("hex");
  // A compiled file beside the source could say something else than the source that was hashed.
  const nowhere = join(tmpdir(), `countersign-${mark}`);
  const args = ["-B", "-X", `pycache_prefix=${nowhere}`, "-u", "-c", BRIDGE_SOURCE];
  const child = spawn(plan.program, args, {
    cwd: plan.folder,
    env: { ...plan.env, PYTHONIOENCODING: "utf-8", [MARK]: mark },
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  forwardOutput(child.stderr, { name: plan.module, log: plan.log });
  return { child, mark, input: child.stdin, output: child.stdout };
}
