/** Starts the process of a TypeScript or JavaScript callable, with as few rights as the runtime can give it. Knows nothing of rules. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { dirname, relative } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Log } from "../../ports";
import { childFile } from "../childFile";
import { forwardOutput } from "./forwardOutput";
import type { GraphModule } from "./moduleGraph";
import { MARK } from "./processTree";
import type { ServantChild, ServantPlan } from "./servant";
import type { CallableStart } from "./servantMessages";

export interface CallablePlan {
  /** `./guards.ts`, for messages. */
  readonly name: string;
  /** Real path of the configuration's folder. */
  readonly folder: string;
  readonly entry: string;
  readonly modules: readonly GraphModule[];
  /** Already filtered. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
}

const HERE = typeof __dirname === "string" ? __dirname : import.meta.dirname;
const HEAP_MIB = 256;
const MAX_RESIDENT = 640 * 1024 * 1024;

export function callablePlan(plan: CallablePlan): ServantPlan {
  const start: CallableStart = {
    entry: plan.entry,
    name: plan.name,
    modules: plan.modules.map(({ path, code, imports }) => ({
      path,
      name: relative(plan.folder, path),
      code,
      imports,
    })),
    maxBytes: MAX_RESIDENT,
  };
  return { first: JSON.stringify(start), start: () => startProcess(plan) };
}

function startProcess(plan: CallablePlan): ServantChild {
  const file = childFile(HERE, "callableProcess");
  const mark = randomBytes(12).toString("hex");
  const args = [...rights(file.path), `--max-old-space-size=${HEAP_MIB}`, ...file.execArgv, file.path];
  const child = spawn(process.execPath, args, {
    cwd: plan.folder,
    env: { ...plan.env, ELECTRON_RUN_AS_NODE: "1", NODE_NO_WARNINGS: "1", [MARK]: mark },
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) forwardOutput(stream, plan);
  return { child, mark, input: child.stdio[3] as Writable, output: child.stdio[4] as Readable };
}

/** No files and no programs, where the runtime can forbid them: the modules come over the pipe. Electron's own Node has not been tried. */
function rights(file: string): readonly string[] {
  const flags = process.allowedNodeEnvironmentFlags;
  if (!flags.has("--permission") || process.versions.electron !== undefined) return [];
  // It opens files without asking the permission model.
  const sqlite = flags.has("--experimental-sqlite") ? ["--no-experimental-sqlite"] : [];
  return ["--permission", `--allow-fs-read=${dirname(file)}`, "--allow-worker", ...sqlite];
}
