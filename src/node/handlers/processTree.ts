/** Ends a process with all that it started, also what left its group and session, as far as the system tells. Knows nothing of handlers. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";

/** A variable that each process of a tree inherits: it finds those that were re-parented or made a session of their own. */
export const MARK = "COUNTERSIGN_HANDLER_RUN";

export interface Tree extends Followed {
  /** The root: leader of a process group of its own (`detached`). */
  readonly pid: number;
  /** Value of `MARK` in its environment. */
  readonly mark: string;
}

/** Pid → when it started, in the system's own ticks: a number that was given out anew is another process. */
export interface Followed {
  readonly known?: ReadonlyMap<number, string>;
}

/** A tree that forks while it is being ended needs more than one look. */
const ROUNDS = 10;

/** Resolves once no process of the tree is found any more. Never rejects. */
export async function endTree(tree: Tree): Promise<void> {
  if (process.platform === "win32") return taskkill(tree.pid);
  // Before any of them ends: what a parent leaves behind belongs to nobody.
  for (const pid of await survivors(tree)) signal(pid, "SIGSTOP");
  const own = new Set(await survivors(tree));
  endGroup(tree.pid);
  for (const pid of own) signal(pid, "SIGKILL");
  for (let round = 0; round < ROUNDS; round++) {
    const alive = await survivors(tree);
    if (alive.length === 0) return;
    // Stopped first, so that none of them forks while the others end.
    for (const pid of alive) signal(pid, "SIGSTOP");
    for (const pid of alive) signal(pid, "SIGKILL");
  }
}

/** For a tree whose root has ended by itself: what it left behind, looked for among younger processes only. Never rejects. */
export async function endLeftovers(tree: Tree): Promise<void> {
  if (process.platform !== "linux") return endTree(tree);
  endGroup(tree.pid);
  for (let round = 0; round < ROUNDS; round++) {
    const found = await Promise.all((await youngerThan(tree.pid)).map((pid) => readOne(pid, tree.mark)));
    const alive = found.flatMap((one) => (one !== undefined && isOurs(one, tree) ? [one.pid] : []));
    for (const pid of await stillKnown(tree)) if (!alive.includes(pid)) alive.push(pid);
    if (alive.length === 0) return;
    for (const pid of alive) signal(pid, "SIGKILL");
  }
}

/** Pids given out since `root`; they begin anew after the highest. */
async function youngerThan(root: number): Promise<string[]> {
  const last = Number((await readFile("/proc/loadavg", "latin1").catch(() => "")).trim().split(" ").at(-1));
  const isYounger = (pid: number) => (last >= root ? pid > root && pid <= last : pid > root || pid <= last);
  const names = await readdir("/proc").catch(() => []);
  return names.filter((name) => /^\d+$/.test(name) && (Number.isNaN(last) || isYounger(Number(name))));
}

/** At once, without looking for those that left the group. */
export function endGroup(pid: number): void {
  if (process.platform !== "win32") signal(-pid, "SIGKILL");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone, which is what was wanted.
  }
}

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly marked: boolean;
  readonly started: string;
}

const isOurs = (one: Seen, { pid, known }: Tree): boolean =>
  one.marked || one.group === pid || one.session === pid || known?.get(one.pid) === one.started;

async function stillKnown({ mark, known }: Tree): Promise<readonly number[]> {
  const seen = await Promise.all([...(known?.keys() ?? [])].map((pid) => readOne(String(pid), mark)));
  return seen.flatMap((one) => (one !== undefined && known?.get(one.pid) === one.started ? [one.pid] : []));
}

async function survivors(tree: Tree): Promise<number[]> {
  const seen = process.platform === "linux" ? await lookInProc(tree.mark) : await lookWithPs(tree.mark);
  const own = new Set<number>([tree.pid]);
  // A parent may be listed behind its child.
  for (let before = 0; before !== own.size; ) {
    before = own.size;
    for (const one of seen) {
      const belongs = isOurs(one, tree) || own.has(one.parent) || own.has(one.group) || own.has(one.session);
      if (belongs) own.add(one.pid);
    }
  }
  return seen.filter((one) => own.has(one.pid)).map((one) => one.pid);
}

async function lookInProc(mark: string): Promise<Seen[]> {
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((name) => readOne(name, mark)),
  );
  return found.filter((one) => one !== undefined);
}

/** Place of the time of start behind the name in `stat`. */
const STARTED = 19;

async function readOne(name: string, mark: string): Promise<Seen | undefined> {
  try {
    const stat = await readFile(`/proc/${name}/stat`, "latin1");
    // The program's name stands in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group, session] = fields;
    const pid = Number(name);
    if (state === "Z" || state === "X" || pid === process.pid) return undefined;
    const environ = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    const marked = environ.includes(`${MARK}=${mark}`);
    const started = fields[STARTED] ?? "";
    return { pid, parent: Number(parent), group: Number(group), session: Number(session), marked, started };
  } catch {
    return undefined;
  }
}

/** macOS: the environment stands behind the command. */
async function lookWithPs(mark: string): Promise<Seen[]> {
  const listed = await output("/bin/ps", ["-AEww", "-o", "pid=,ppid=,pgid=,stat=,command="]);
  return listed.split("\n").flatMap((line) => {
    const [, pid, parent, group, state = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
    if (pid === undefined || state.startsWith("Z") || Number(pid) === process.pid) return [];
    const marked = line.includes(`${MARK}=${mark}`);
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return [{ ...numbers, session: 0, marked, started: "" }];
  });
}

async function taskkill(pid: number): Promise<void> {
  await output("taskkill.exe", ["/pid", String(pid), "/t", "/f"]);
}

function output(program: string, args: readonly string[]): Promise<string> {
  const options = { timeout: 5000, maxBuffer: 64 * 1024 * 1024, windowsHide: true };
  return new Promise((resolve) => {
    execFile(program, [...args], options, (_error, stdout) => resolve(stdout));
  });
}
