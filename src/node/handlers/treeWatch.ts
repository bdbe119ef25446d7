/** Follows what a process starts while it runs: one that cleans its environment and leaves its session is known by that alone. Ends nothing. */
import { readdir, readFile } from "node:fs/promises";

export interface TreeWatch {
  /** Pid → when it started, of every process that was seen below the root, the root not among them. */
  readonly known: ReadonlyMap<number, string>;
  /** Looks once more. Never rejects. */
  look(): Promise<void>;
  stop(): void;
}

/** Milliseconds to the next look: children are often started early. */
const FIRST_MS = 5;
const LAST_MS = 250;
const MAX_KNOWN = 5000;

/** Does nothing where the system does not list a process's children (all but Linux). */
export function watchTree(root: number): TreeWatch {
  const known = new Map<number, string>();
  let pause = FIRST_MS;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async () => {
    if (process.platform === "linux") await addBelow(root, known);
  };
  const plan = () => {
    timer = setTimeout(async () => {
      await look();
      pause = Math.min(pause * 1.5, LAST_MS);
      if (!isStopped) plan();
    }, pause);
    timer.unref();
  };
  if (process.platform === "linux") plan();
  return {
    known,
    look,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** From the root and from all that are known: one that was given to another parent still has children of its own. */
async function addBelow(root: number, known: Map<number, string>): Promise<void> {
  const waiting = [root, ...known.keys()];
  const looked = new Set<number>();
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    if (looked.has(pid)) continue;
    looked.add(pid);
    if (pid !== root) {
      const started = await startOf(pid);
      const before = known.get(pid);
      if (started === undefined || (before !== undefined && before !== started)) {
        known.delete(pid);
        continue;
      }
      if (known.size < MAX_KNOWN) known.set(pid, started);
    }
    waiting.push(...(await childrenOf(pid)));
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "latin1").catch(() => "")),
  );
  return lists
    .join(" ")
    .split(" ")
    .flatMap((text) => (/^\d+$/.test(text) ? [Number(text)] : []));
}

async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
