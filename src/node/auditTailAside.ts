/** Moves the end of a log to a file of its own, as evidence: nothing is cut before all of it stands there. Knows nothing of what the bytes mean. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { stampForName } from "./auditBytes";
import { readAt } from "./auditTailScan";

/** Bytes of a file from `offset` on. */
export interface Part {
  readonly offset: number;
  readonly size: number;
}

export interface SetAside {
  readonly name: string;
  /** Null where it was too large to be read under the lock. */
  readonly sha256: string | null;
  /** "swapped": the log is a new file, and the evidence is the old one, whole. */
  readonly how: "cut" | "swapped";
}

const CHUNK = 1024 * 1024;
/** What is copied while others wait for the lock: a fraction of a second. */
const MAX_COPIED = 32 * 1024 * 1024;

/** SHA-256 of a part, read in chunks. */
export function digestOfPart(fd: number, part: Part): string {
  const hash = crypto.createHash("sha256");
  eachChunk(fd, part, (bytes) => hash.update(bytes));
  return hash.digest("hex");
}

/**
 * Takes the last part off the log, under `<log>.torn-<offset>-<time>`. Throws the system's error, with the log as it
 * was, where the evidence cannot be kept whole. After "swapped" the caller opens the log again.
 */
export function setAside(
  fd: number,
  log: { readonly file: string; readonly now: number },
  part: Part,
): SetAside {
  const name = freeName(`${log.file}.torn-${part.offset}-${stampForName(log.now)}`);
  const isSmall = part.size <= MAX_COPIED || part.size <= part.offset;
  try {
    if (isSmall) return copied(fd, name, part);
  } catch (error) {
    // A full disk, or a limit on the size of files: the good part may fit where the bad one does not.
    if (part.offset >= part.size) throw error;
  }
  return swapped(fd, { ...log, name }, part);
}

function copied(fd: number, name: string, part: Part): SetAside {
  const sha256 = copyPart(fd, name, part);
  syncFolder(path.dirname(name));
  fs.ftruncateSync(fd, part.offset);
  return { name, sha256, how: "cut" };
}

/** The evidence keeps the file, holes and all; the good part gets a new one. At no moment is the log's name free, where there are links. */
function swapped(fd: number, log: { readonly file: string; readonly name: string }, part: Part): SetAside {
  const draft = `${log.file}.mended`;
  fs.rmSync(draft, { force: true });
  copyPart(fd, draft, { offset: 0, size: part.offset });
  try {
    try {
      fs.linkSync(log.file, log.name);
    } catch {
      fs.renameSync(log.file, log.name);
    }
    fs.renameSync(draft, log.file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(path.dirname(log.file));
  return { name: log.name, sha256: null, how: "swapped" };
}

/** Gives the SHA-256 of what was copied. On the disk and whole, or not there. */
function copyPart(from: number, name: string, part: Part): string {
  const hash = crypto.createHash("sha256");
  const to = fs.openSync(name, "wx", 0o600);
  try {
    const done = eachChunk(from, part, (bytes) => {
      hash.update(bytes);
      for (let at = 0; at < bytes.length; ) at += written(fs.writeSync(to, bytes, at, bytes.length - at));
    });
    fs.fsyncSync(to);
    if (done !== part.size || fs.fstatSync(to).size !== part.size)
      throw new Error(`only ${fs.fstatSync(to).size} of ${part.size} bytes could be kept`);
  } catch (error) {
    fs.rmSync(name, { force: true });
    throw error;
  } finally {
    fs.closeSync(to);
  }
  return hash.digest("hex");
}

function written(count: number): number {
  if (count === 0) throw new Error("nothing more could be written");
  return count;
}

function eachChunk(fd: number, { offset, size }: Part, use: (bytes: Buffer) => void): number {
  let done = 0;
  while (done < size) {
    const bytes = readAt(fd, offset + done, offset + Math.min(size, done + CHUNK));
    if (bytes.length === 0) break;
    use(bytes);
    done += bytes.length;
  }
  return done;
}

function freeName(name: string): string {
  for (let n = 0; ; n += 1) {
    const free = n === 0 ? name : `${name}-${n}`;
    if (fs.lstatSync(free, { throwIfNoEntry: false }) === undefined) return free;
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
