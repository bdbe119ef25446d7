/** What is known of a log compared with what stands there: a log that was cut, emptied, exchanged or set back is lost, not begun anew. Writes nothing. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Head } from "../core/audit/verifyReport";
import { CountersignError } from "../core/errors";
import { TO_READ } from "./auditBytes";
import { closedFile } from "./auditSegment";
import { firstRecord, readTail, type Tail } from "./auditTail";

/** The head that a loss is about, for the caller that may start anew. */
export class LostLogError extends CountersignError {
  readonly lost: Head;

  constructor(message: string, lost: Head) {
    super("audit.unreadable", message, {
      hint: "Put the file back, or let a person start a new log: its first record then names the one that was lost.",
    });
    this.lost = lost;
  }
}

export function lostLog(expected: Head, file: string, why: string): LostLogError {
  const known = `${expected.count} record(s) of log ${expected.log_id} are known`;
  return new LostLogError(
    `The audit log ${file} is not the one that was written: ${why}, but ${known}.`,
    expected,
  );
}

export function headSegment(head: Head): number {
  return head.segment ?? 1;
}

/** Of one log the one further on; of two logs the one that the store elsewhere knows. */
export function newer(own: Head | undefined, known: Head | undefined): Head | undefined {
  if (own === undefined || known === undefined) return own ?? known;
  if (own.log_id !== known.log_id) return known;
  const [a, b] = [headSegment(own), headSegment(known)];
  if (a !== b) return a > b ? own : known;
  return own.seq >= known.seq ? own : known;
}

export interface Checking {
  readonly expected: Head | undefined;
  /** Whether a store elsewhere knows this head. */
  readonly anchored: "yes" | "no";
  readonly fd: number;
  readonly file: string;
  /** Of the file at hand. */
  readonly segment: number;
}

/** Where the newest record that is known should stand, with what stands there now. Undefined = nothing to compare. */
export interface Found {
  readonly expected: Head;
  readonly hash: string | null;
}

/** Throws LostLogError when less is there than is known. Gives the record in whose place another one stands. */
export function checkKnown(tail: Tail, at: Checking): Found | undefined {
  const { expected, fd, file, segment } = at;
  if (expected === undefined) return undefined;
  if (tail.size === 0) throw lostLog(expected, file, "it is empty");
  if (tail.logId !== expected.log_id) {
    // Another process may have started it anew with a person's consent; a store elsewhere would know.
    const lost = at.anchored === "yes" ? undefined : firstRecord(fd)?.data?.lost;
    const isSuccessor =
      typeof lost === "object" && lost !== null && "log_id" in lost && lost.log_id === expected.log_id;
    if (!isSuccessor) throw lostLog(expected, file, "another log stands in its place");
    return undefined;
  }
  const place = headSegment(expected);
  if (place > segment) throw lostLog(expected, file, "an older part of it stands in its place");
  const where = place === segment ? tail : closedTail(expected, file);
  if (where.head.seq < expected.seq) throw lostLog(expected, file, "records are missing from its end");
  const isOther = where.damaged === undefined && where.head.seq === expected.seq;
  return isOther && where.head.hash !== expected.head ? { expected, hash: where.head.hash } : undefined;
}

/** Another writer has closed the segment that we know: what we know must stand there. */
function closedTail(expected: Head, log: string): Tail {
  const closed = closedFile(log, headSegment(expected));
  let fd: number;
  try {
    fd = fs.openSync(closed, TO_READ | (fs.constants.O_NOFOLLOW ?? 0));
  } catch {
    throw lostLog(expected, log, `its closed part ${path.basename(closed)} is missing`);
  }
  try {
    const tail = readTail(fd, closed);
    if (tail.logId !== expected.log_id)
      throw lostLog(expected, log, `${path.basename(closed)} is another log's`);
    return tail;
  } finally {
    fs.closeSync(fd);
  }
}
