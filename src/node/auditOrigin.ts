/** Which process wrote something, and whether it still runs; a number used again is not mistaken for it. Knows nothing of records. */
import * as fs from "node:fs";
import * as os from "node:os";

export interface Origin {
  readonly pid: number;
  /** Start of the process in ticks since boot; "" where the system does not tell. */
  readonly started: string;
  readonly host: string;
}

export function ownOrigin(): Origin {
  return { pid: process.pid, started: factsOf(process.pid)[1] ?? "", host: os.hostname() };
}

/** True also for what runs, or may run, on another machine. */
export function isAlive(origin: Origin): boolean {
  if (origin.host !== os.hostname()) return true;
  try {
    process.kill(origin.pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const [state = "", started] = factsOf(origin.pid);
  // A dead process that nobody has waited for keeps its number.
  if (state === "Z" || state === "X") return false;
  return started === undefined || origin.started === "" || started === origin.started;
}

/** State and start; empty when there is no such process, or when the system does not tell. */
function factsOf(pid: number): readonly [state?: string, started?: string] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything.
    const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [words[0] ?? "", words[19] ?? ""];
  } catch {
    return [];
  }
}

export function parseOrigin(value: unknown): Origin | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, started, host } = value as Record<string, unknown>;
  if (typeof pid !== "number" || typeof started !== "string" || typeof host !== "string") return undefined;
  return { pid, started, host };
}
