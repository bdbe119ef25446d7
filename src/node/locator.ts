/**
 * How hook clients outside the editor's own processes find its broker: one 0600 file per window, and the path of a runtime.
 * Knows nothing of what is asked there.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { BrokerTarget } from "./askBroker";
import { notOursAlone } from "./ownPath";

export interface Locator extends BrokerTarget {
  readonly pid: number;
  /** Absolute paths of the window's workspace folders. */
  readonly folders: readonly string[];
  /** When the process began, as its system tells it: a pid that was given away is not taken for the window. */
  readonly born?: string;
  /** The socket that speaks HTTP, for hooks that a shell carries. */
  readonly http?: string;
}

/** Every file in the locator folder, sorted into what may be used and what may not. */
export interface Located {
  readonly live: readonly (Locator & { readonly file: string })[];
  /** Left by windows that ended without tidying up. */
  readonly dead: readonly string[];
  /** Not written by a window of this user; never used, and worth a warning. */
  readonly foreign: readonly { readonly file: string; readonly problem: string }[];
}

const MAX_LOCATOR = 64 * 1024;
const SOCKET_FOLDER = /^countersign-\d+-/;

function countersignFolder(home: string): string {
  return join(home, ".countersign");
}

function windowsFolder(home: string): string {
  return join(countersignFolder(home), "windows");
}

/** Writes this window's locator, replacing an earlier one of the same process. Throws when the folder is not ours. */
export function writeLocator(home: string, locator: Omit<Locator, "born">): void {
  // Of no use to anybody once the machine has gone down: the disk need not have it.
  const put = (file: string, content: string): void =>
    writePrivately(home, file, content, { flush: "later" });
  const born = bornOf(locator.pid);
  const folders = [...new Set(locator.folders.flatMap((folder) => [folder, realPathOf(folder)]))];
  const text = JSON.stringify({ ...locator, folders, ...(born === undefined ? {} : { born }) });
  put(join(windowsFolder(home), `${locator.pid}.json`), text);
  const lines = shellLines({ ...locator, folders, ...(born === undefined ? {} : { born }) });
  if (lines === undefined) rmSync(shellFile(home, locator.pid), { force: true });
  else put(shellFile(home, locator.pid), lines);
}

export function removeLocator(home: string, pid: number): void {
  rmSync(shellFile(home, pid), { force: true });
  rmSync(join(windowsFolder(home), `${pid}.json`), { force: true });
}

/** The same locator for a shell, which reads it line by line. */
const shellFile = (home: string, pid: number): string => join(windowsFolder(home), `${pid}.window`);

/** Undefined where a shell could not read it: such a window is found by the slower client. */
function shellLines({ pid, born = "-", http, folders }: Locator): string | undefined {
  if (http === undefined || [http, ...folders].some((text) => /[\n\0]/.test(text))) return undefined;
  return `CSW1 ${pid} ${born}\n${[http, ...folders].join("\n")}\n`;
}

/** Where door A finds a runtime when its environment names none: one absolute path. */
export function writeRuntime(home: string, runtime: string): void {
  writeIfOther(home, join(countersignFolder(home), "runtime"), `${runtime}\n`);
}

/** Where the launcher finds the command line of the version that is installed now: one absolute path. */
export function writeProgram(home: string, program: string): void {
  writeIfOther(home, join(countersignFolder(home), "program"), `${program}\n`);
}

/** Every window writes these at its start, and they seldom change: the wait for the disk is spared. */
function writeIfOther(home: string, file: string, text: string): void {
  const isSound =
    notOursAlone(countersignFolder(home), "parent") === undefined && notOursAlone(file, "file") === undefined;
  if (isSound && readFileSync(file, "utf8") === text) return;
  writePrivately(home, file, text);
}

export function readLocators(home: string): Located {
  const folder = windowsFolder(home);
  const live: (Locator & { file: string })[] = [];
  const dead: string[] = [];
  const foreign: { file: string; problem: string }[] = [];
  for (const problem of [notOursAlone(countersignFolder(home), "parent"), notOursAlone(folder, "folder")]) {
    if (problem?.endsWith("is missing") === true) return { live, dead, foreign };
    if (problem !== undefined) return { live, dead, foreign: [{ file: folder, problem }] };
  }
  for (const name of readdirSync(folder).sort()) {
    if (!/^\d+\.json$/.test(name)) continue;
    const file = join(folder, name);
    const read = readLocator(file);
    if (typeof read === "string") {
      if (isCutShort(file)) dead.push(file);
      else foreign.push({ file, problem: read });
    } else if (alive(read)) live.push({ ...read, file });
    else dead.push(file);
  }
  return { live, dead, foreign };
}

/** What a power cut left of a locator: the name of a process that has ended, without bytes. */
function isCutShort(file: string): boolean {
  if (notOursAlone(file, "file") !== undefined || isRunning(Number.parseInt(basename(file), 10)))
    return false;
  return statSync(file, { throwIfNoEntry: false })?.size === 0;
}

/** Removes what ended windows left behind: their locators and the folders of their sockets. */
export function sweepLocators(home: string): void {
  for (const file of readLocators(home).dead) {
    const read = readLocator(file);
    rmSync(file, { force: true });
    rmSync(file.replace(/json$/, "window"), { force: true });
    if (typeof read === "string") continue;
    const folder = dirname(read.socket);
    if (SOCKET_FOLDER.test(basename(folder)) && notOursAlone(folder, "folder") === undefined) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** The window whose folder is the longest prefix of `cwd`; of equals the one that was there first. */
export function findBroker(home: string, cwd: string): Locator | undefined {
  const places = new Set([cwd, realPathOf(cwd)]);
  let best: { locator: Locator; length: number; since: number } | undefined;
  for (const { file, ...locator } of readLocators(home).live) {
    const length = Math.max(
      -1,
      ...locator.folders.filter((f) => [...places].some((p) => holds(f, p))).map((f) => f.length),
    );
    if (length < 0) continue;
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (best === undefined || length > best.length || (length === best.length && since < best.since)) {
      best = { locator, length, since };
    }
  }
  return best?.locator;
}

/** Locators of other processes that claim a folder of ours: a second window, or somebody who wants our calls. */
export function rivals(
  located: Located,
  own: { pid: number; folders: readonly string[] },
): readonly string[] {
  const claims = (theirs: string): boolean =>
    own.folders.some((ours) => holds(ours, theirs) || holds(theirs, ours));
  return located.live
    .filter((other) => other.pid !== own.pid && other.folders.some(claims))
    .map((other) => other.file);
}

function holds(folder: string, path: string): boolean {
  const [outer, inner] =
    process.platform === "win32" ? [folder.toLowerCase(), path.toLowerCase()] : [folder, path];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

function readLocator(file: string): Locator | string {
  const wrong = notOursAlone(file, "file");
  if (wrong !== undefined) return wrong;
  try {
    if (statSync(file).size > MAX_LOCATOR) return `${file} is too large`;
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    const locator = parseLocator(value);
    if (locator === undefined) return `${file} is no locator`;
    return basename(file) === `${locator.pid}.json` ? locator : `${file} names another process`;
  } catch {
    return `${file} cannot be read`;
  }
}

function parseLocator(value: unknown): Locator | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  // The parse boundary: each field is checked on the next lines.
  const { pid, socket, nonce, folders, born, http } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(pid) || typeof pid !== "number" || pid <= 0) return undefined;
  if (typeof socket !== "string" || typeof nonce !== "string" || !/^[0-9a-f]{64}$/.test(nonce))
    return undefined;
  if (!Array.isArray(folders) || !folders.every((f): f is string => typeof f === "string")) return undefined;
  if (born !== undefined && typeof born !== "string") return undefined;
  if (http !== undefined && typeof http !== "string") return undefined;
  return {
    pid,
    socket,
    nonce,
    folders,
    ...(born === undefined ? {} : { born }),
    ...(http === undefined ? {} : { http }),
  };
}

function alive({ pid, born }: Locator): boolean {
  return isRunning(pid) && (born === undefined || born === bornOf(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or (EPERM) another user's by now: either way not the window that wrote a locator of ours.
    return false;
  }
}

/** Clock ticks from boot to the process's start (field 22 of its stat line); undefined where the system has no such file. */
function bornOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name, in parentheses, may hold blanks: count from its end.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Replaces a file below `~/.countersign` as a whole, 0600 or as `mode` says. Throws when the folder is not ours. */
export function writePrivately(
  home: string,
  file: string,
  text: string,
  { mode = 0o600, flush = "now" }: { readonly mode?: number; readonly flush?: "now" | "later" } = {},
): void {
  makeOurs(countersignFolder(home), "parent");
  if (dirname(file) !== countersignFolder(home)) makeOurs(dirname(file), "folder");
  const draft = `${file}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  const handle = openSync(draft, "wx", mode);
  try {
    writeSync(handle, text);
    if (flush === "now") fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

function makeOurs(folder: string, kind: "parent" | "folder"): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const wrong = notOursAlone(folder, kind);
  if (wrong === undefined) return;
  // A mode that an older umask left is ours to mend; a link or another user's folder is not.
  if (wrong.endsWith("open to other users")) chmodSync(folder, 0o700);
  const still = notOursAlone(folder, kind);
  if (still !== undefined) throw new Error(still);
}
