/** Lines that wait to be sent, in files of their own: they outlive a kill, and the oldest go when there are too many. Knows nothing of the network. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { TO_READ } from "../auditBytes";
import { createSeal } from "../auditKey";
import { errorCode } from "../auditPlace";

export interface Queue {
  /** Kept by the system when it returns. Gives how many older lines had to go; throws the system's error. */
  add(line: string): number;
  /**
   * The oldest lines, and what takes them out of the queue; undefined when it is empty. `strange` counts what carries
   * no seal of ours: whoever can put a file here must not speak for the log.
   */
  next(): { readonly lines: readonly string[]; readonly strange: number; done(): void } | undefined;
  /** Bytes that wait. */
  size(): number;
  /** What waits stays on the disk, for whoever opens the folder next. */
  close(): void;
}

export interface QueueOptions {
  readonly folder: string;
  /** Of the key that seals each line; the log's own where the queue is one log's. Default `<folder>.hmac-key`. */
  readonly keyFile?: string;
  /** Default 64 MiB. */
  readonly maxBytes?: number;
  /** A file is sent as one request; default 256 KiB. */
  readonly batchBytes?: number;
}

/** Time, the process that writes it, chance. */
const NAME = /^\d{15}-(\d{1,10})-[0-9a-f]{12}\.jsonl$/;
/** A number of a process may be given out again: after a day a file is an orphan in any case. */
const ORPHAN_MS = 24 * 3_600_000;

/** The same key seals files beside the log: none of them can pass for a line, nor a line for one. */
const PURPOSE = "queue\n";
const SEAL_UNITS = 64 + 1;
/** A record is at most 64 KiB. */
const LONGEST_LINE = 128 * 1024;

interface Waiting {
  readonly file: string;
  bytes: number;
}

/** Files that a queue of this process has: a second one over the same folder leaves them alone. */
const heldHere = new Set<string>();

/** Several processes may share the folder: each writes files of its own, and takes over at its start what processes left that are no more. */
export function openQueue(options: QueueOptions): Queue {
  const { folder, maxBytes = 64 * 1024 * 1024, batchBytes = 256 * 1024 } = options;
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!fs.lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  fs.chmodSync(folder, 0o700);
  const waiting: Waiting[] = found(folder);
  for (const { file } of waiting) heldHere.add(file);
  let open: { readonly fd: number; readonly entry: Waiting } | undefined;
  let count = 0;
  const sealOf = createSeal(options.keyFile ?? `${folder}.hmac-key`);
  const sealed = (line: string): string => `${sealOf(`${PURPOSE}${line}`)} ${line}`;
  const maxBytesOfFile = batchBytes + LONGEST_LINE;

  const close = (): void => {
    if (open !== undefined) fs.closeSync(open.fd);
    open = undefined;
  };
  const begin = (): { readonly fd: number; readonly entry: Waiting } => {
    const stamp = String(Date.now() * 100 + (count++ % 100)).padStart(15, "0");
    const file = path.join(folder, `${stamp}-${process.pid}-${randomBytes(6).toString("hex")}.jsonl`);
    const entry = { file, bytes: 0 };
    const made = { fd: fs.openSync(file, "ax", 0o600), entry };
    waiting.push(entry);
    heldHere.add(file);
    open = made;
    return made;
  };
  const size = (): number => waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  const makeRoom = (): number => {
    let dropped = 0;
    while (size() > maxBytes && waiting.length > 1) {
      const oldest = waiting.shift();
      if (oldest === undefined) break;
      dropped += linesOf(oldest.file, maxBytesOfFile).length;
      remove(oldest.file);
    }
    return dropped;
  };

  return {
    size,
    close() {
      close();
      for (const { file } of waiting) heldHere.delete(file);
    },
    add(line) {
      const { fd, entry } = open ?? begin();
      entry.bytes += fs.writeSync(fd, `${sealed(line)}\n`);
      if (entry.bytes >= batchBytes) close();
      return makeRoom();
    },
    next() {
      const oldest = waiting[0];
      if (oldest === undefined) return undefined;
      if (open?.entry === oldest) close();
      const done = (): void => {
        const at = waiting.indexOf(oldest);
        if (at !== -1) waiting.splice(at, 1);
        remove(oldest.file);
      };
      const found = linesOf(oldest.file, maxBytesOfFile);
      const lines = found.filter((line) => line === sealed(line.slice(SEAL_UNITS)));
      return {
        lines: lines.map((line) => line.slice(SEAL_UNITS)),
        strange: found.length - lines.length,
        done,
      };
    },
  };
}

function remove(file: string): void {
  fs.rmSync(file, { force: true });
  heldHere.delete(file);
}

function found(folder: string): Waiting[] {
  return fs
    .readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => ({ file: path.join(folder, name), pid: Number(NAME.exec(name)?.[1] ?? 0) }))
    .map(({ file, pid }) => ({ file, pid, stats: fs.lstatSync(file) }))
    .filter(
      ({ file, pid, stats }) =>
        !heldHere.has(file) && stats.isFile() && (Date.now() - stats.mtimeMs > ORPHAN_MS || isGone(pid)),
    )
    .map(({ file, stats }) => ({ file, bytes: stats.size }));
}

/** What another running process writes is its own to send. */
function isGone(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) !== "EPERM";
  }
}

/** Without a last line that a kill cut short: the audit log has it whole. Nothing where another process sent the file; one empty line stands for what is no file of ours. */
function linesOf(file: string, maxBytes: number): string[] {
  try {
    const fd = fs.openSync(file, TO_READ | (fs.constants.O_NOFOLLOW ?? 0));
    try {
      const stats = fs.fstatSync(fd);
      if (!stats.isFile() || stats.size > maxBytes) return [""];
      const text = fs.readFileSync(fd, "utf8");
      return text
        .slice(0, text.lastIndexOf("\n") + 1)
        .split("\n")
        .filter((line) => line !== "");
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    return errorCode(error) === "ENOENT" ? [] : [""];
  }
}
