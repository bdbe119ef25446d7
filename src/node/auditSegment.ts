/** The files of a log that grew: names of closed segments, which segment a file is, and the step from one to the next. Knows nothing of locks or of what records say. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { stampForName, TO_READ } from "./auditBytes";
import { errorCode } from "./auditPlace";
import { firstRecord } from "./auditTail";

/** A segment ends once it has reached either. */
export interface SegmentLimits {
  readonly bytes: number;
  readonly records: number;
}

export const SEGMENT_LIMITS: SegmentLimits = { bytes: 256 * 1024 * 1024, records: 500_000 };

export interface ClosedSegment {
  readonly segment: number;
  readonly file: string;
}

function stemOf(log: string): string {
  return log.replace(/\.jsonl$/, "");
}

/** `audit-000001.jsonl` beside `audit.jsonl`. */
export function closedFile(log: string, segment: number): string {
  return `${stemOf(log)}-${String(segment).padStart(6, "0")}.jsonl`;
}

/** Closed segments that stand beside the log, oldest first. Whether they belong to it is not looked at. */
export function closedSegments(log: string): ClosedSegment[] {
  const prefix = `${path.basename(stemOf(log))}-`;
  let names: string[];
  try {
    names = fs.readdirSync(path.dirname(log));
  } catch {
    return [];
  }
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{6,9}\.jsonl$/.test(name.slice(prefix.length)))
    .map((name) => ({
      segment: Number(name.slice(prefix.length, -".jsonl".length)),
      file: path.join(path.dirname(log), name),
    }))
    .filter(({ segment, file }) => segment > 0 && file === closedFile(log, segment))
    .sort((a, b) => a.segment - b.segment);
}

/** Which segment an open file is, as its first record says; 1 where none says so. */
export function segmentOf(fd: number): number {
  const record = firstRecord(fd);
  const n = record?.event === "log.segment" ? record.data?.segment : undefined;
  return typeof n === "number" && Number.isSafeInteger(n) && n > 1 ? n : 1;
}

/** The log that stands at this path; undefined where none of ours does. */
export function logIdOf(file: string): string | undefined {
  let fd: number;
  try {
    fd = fs.openSync(file, TO_READ);
  } catch {
    return undefined;
  }
  try {
    return firstRecord(fd)?.log_id;
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Gives the active file its closed name and puts `draft` in its place. A kill anywhere leaves a log that goes on:
 * with links the active name is never missing; without them the next writer finds the closed file and goes on from it.
 */
export function stepOver(
  log: string,
  step: { readonly draft: string; readonly closed: string; readonly now: number },
): void {
  moveStranger(log, step.closed, step.now);
  if (!isSameFile(log, step.closed)) linkOrRename(log, step.closed);
  stepInto(log, step);
}

/** The second half, where the closed name is there already. */
export function stepInto(log: string, step: { readonly draft: string; readonly closed: string }): void {
  fs.renameSync(step.draft, log);
  seal(step.closed);
  syncFolder(path.dirname(log));
}

/** Closed segments are read-only, so that an editor's slip does not change them. Where it fails the log is no worse. */
export function seal(closed: string): void {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let fd: number | undefined;
  try {
    // A link there would have us change the mode of what lies elsewhere.
    fd = fs.openSync(closed, fs.constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(fd);
    // A file with a second name may be the active one.
    if (stats.isFile() && stats.nlink === 1 && firstRecord(fd) !== null) fs.fchmodSync(fd, 0o400);
  } catch {
    // Another owner, a file system without modes, or something else than a file of the log.
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** SHA-256 of a whole file, in 64 hex digits. */
export function digestOf(fd: number): string {
  const hash = crypto.createHash("sha256");
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  let at = 0;
  for (;;) {
    const count = fs.readSync(fd, chunk, 0, chunk.length, at);
    if (count === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, count));
    at += count;
  }
}

export function isSameFile(a: string, b: string): boolean {
  const [one, two] = [a, b].map((file) => fs.lstatSync(file, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev;
}

/** What stands under the closed name and is not this log is kept as evidence under another. */
function moveStranger(log: string, closed: string, now: number): void {
  if (fs.lstatSync(closed, { throwIfNoEntry: false }) === undefined || isSameFile(log, closed)) return;
  fs.renameSync(closed, `${closed}.foreign-${stampForName(now)}`);
}

function linkOrRename(log: string, closed: string): void {
  try {
    fs.linkSync(log, closed);
  } catch (error) {
    // File systems without hard links.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "")) throw error;
    fs.renameSync(log, closed);
  }
}

function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = fs.openSync(folder, "r");
    fs.fsyncSync(fd);
  } catch {
    // Windows cannot open folders.
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
