/** Starts the process of a card's policies with as few rights as the runtime can give it. Knows nothing of calls. */
import { spawn } from "node:child_process";
import { dirname, relative } from "node:path";
import type { Readable, Writable } from "node:stream";
import { isPlainObject } from "../../core/call";
import type { Log } from "../../ports";
import { type ChildFile, childFile } from "../childFile";
import { forwardOutput } from "../handlers/forwardOutput";
import type { GraphModule } from "../handlers/moduleGraph";
import type { ServantChild, ServantPlan } from "../handlers/servant";
import type { CardStart, ConsoleLevel } from "./policyMessages";

export interface CardPlan {
  /** The card's name, for messages. */
  readonly name: string;
  /** Real path. */
  readonly folder: string;
  /** Real paths. */
  readonly entries: readonly string[];
  readonly modules: readonly GraphModule[];
  readonly unconfined: boolean;
  /** The program that runs it; absent = this one. */
  readonly runtime?: string;
  /** Milliseconds for the start and the card's code to load; default 20 000. */
  readonly loadLimitMs?: number;
  readonly log: Log;
  readonly onPrinted: (entry: number, level: ConsoleLevel, text: string) => void;
}

const HERE = typeof __dirname === "string" ? __dirname : import.meta.dirname;
const HEAP_MIB = 256;
const MAX_RESIDENT = 640 * 1024 * 1024;
const LOAD_LIMIT_MS = 20_000;
/** Node's own word for an option that it does not know. */
const BAD_OPTION = 9;

export function policyPlan(plan: CardPlan): ServantPlan {
  const { folder, entries, unconfined } = plan;
  const modules = plan.modules.map(({ path, code, imports }) => ({
    path,
    name: relative(folder, path),
    code,
    imports,
  }));
  const start: CardStart = { entries, modules, maxBytes: MAX_RESIDENT, unconfined };
  const file = childFile(HERE, "policyProcess");
  let rights = rightsOf(file);
  return {
    first: JSON.stringify(start),
    start() {
      const running = startProcess(plan, file, rights);
      // A runtime that calls itself Node and knows less starts without them, and the process tells that nothing confines it.
      running.child.once("exit", (code) => {
        if (code === BAD_OPTION) rights = [];
      });
      return running;
    },
    end: async ({ child }) => void child.kill("SIGKILL"),
    onAbort: "end-all",
    loadLimitMs: plan.loadLimitMs ?? LOAD_LIMIT_MS,
    overhears: (line) => line.startsWith('{"printed":') && hear(line, plan),
  };
}

function startProcess(plan: CardPlan, file: ChildFile, rights: readonly string[]): ServantChild {
  const args = [...rights, `--max-old-space-size=${HEAP_MIB}`, ...file.execArgv, file.path];
  const child = spawn(plan.runtime ?? process.execPath, args, {
    cwd: dirname(file.path),
    // Nothing of ours; what the editor's binary needs to be Node the process removes before any policy runs.
    env: { ELECTRON_RUN_AS_NODE: "1", NODE_NO_WARNINGS: "1" },
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) forwardOutput(stream, plan);
  return { child, mark: "", input: child.stdio[3] as Writable, output: child.stdio[4] as Readable };
}

/** What the process may do, as options of Node: no files, no programs, no text as code; a thread, to end what loops. */
export function rightsOf(file: ChildFile): readonly string[] {
  const known = process.allowedNodeEnvironmentFlags;
  if (!known.has("--permission")) return ["--disallow-code-generation-from-strings"];
  // A source tree's child imports its neighbours.
  const reads = file.execArgv.length === 0 ? file.path : dirname(HERE);
  return [
    "--permission",
    `--allow-fs-read=${reads}`,
    "--allow-worker",
    "--disallow-code-generation-from-strings",
    // It opens files without asking the permission model.
    ...(known.has("--experimental-sqlite") ? ["--no-experimental-sqlite"] : []),
  ];
}

const LEVELS: readonly unknown[] = ["debug", "info", "warn", "error"] satisfies ConsoleLevel[];

/** What comes from a policy's process is believed of no shape. */
function hear(line: string, { onPrinted }: CardPlan): boolean {
  try {
    const value: unknown = JSON.parse(line);
    if (!isPlainObject(value)) return false;
    const { printed, level, text } = value;
    if (typeof printed !== "number" || typeof text !== "string" || !LEVELS.includes(level)) return false;
    onPrinted(printed, level as ConsoleLevel, text);
    return true;
  } catch {
    return false;
  }
}
