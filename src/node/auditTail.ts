/** Reads where a log ends, and sets a torn end aside. Call only while holding the lock: without it a neighbour's write looks torn. */
import * as fs from "node:fs";
import { type ChainHead, GENESIS } from "../core/audit/chain";
import { parseRecord } from "../core/audit/parse";
import type { AuditRecord } from "../core/audit/record";
import { createLineReader, type Reading, SUFFIX_BYTES } from "../core/audit/verifyLine";
import { CountersignError } from "../core/errors";
import { verifyPorts } from "./auditBytes";
import type { Part } from "./auditTailAside";
import {
  afterLastBreak,
  backwardLines,
  endOfContent,
  endOfLastSound,
  MAX_LINE,
  readAt,
} from "./auditTailScan";

export interface Tail {
  /** Bytes of whole lines. */
  readonly size: number;
  readonly head: ChainHead;
  /** Undefined for an empty log, or one whose records carry none. */
  readonly logId: string | undefined;
  /** What stands behind them and has to go: bytes after the last LF, or much that holds no record. */
  readonly torn?: Part & { readonly what: "torn" | "foreign" };
  /** Whole lines at the end that are no sound records, few enough to stay. */
  readonly damaged?: Part;
}

const CHUNK = 128 * 1024;
const LF = 0x0a;
const MAX_WALK = 4 * 1024 * 1024;
/** Lines without a record stay where they are, up to here: every reader of the log pays for them. */
const MAX_FOREIGN_BYTES = 64 * 1024;
const MAX_FOREIGN_LINES = 1000;

export function readTail(fd: number, file: string): Tail {
  const { size } = fs.fstatSync(fd);
  if (size === 0) return { size: 0, head: GENESIS, logId: undefined };
  const content = endOfContent(fd);
  const wholeSize = afterLastBreak(fd, content);
  const torn = { offset: wholeSize, size: size - wholeSize, what: "torn" } as const;
  const tornPart = torn.size === 0 ? {} : { torn };
  if (wholeSize === 0) return { size: 0, head: GENESIS, logId: undefined, ...tornPart };
  const found = lastHead(fd, wholeSize);
  if (found !== "foreign") return { ...found, size: wholeSize, ...tornPart };
  return withoutForeign(fd, file, wholeSize);
}

/** A long row of lines that hold no record: the log is what stands before it. */
function withoutForeign(fd: number, file: string, before: number): Tail {
  const offset = endOfLastSound(fd, before);
  const found = offset === undefined ? "foreign" : lastHead(fd, offset);
  if (offset === undefined || found === "foreign") throw notALog(file);
  const size = fs.fstatSync(fd).size - offset;
  return { ...found, size: offset, torn: { offset, size, what: "foreign" } };
}

/** Goes back over unsound lines to one that can be trusted, and counts forward again as the verifier does. */
function lastHead(fd: number, end: number): Pick<Tail, "head" | "logId" | "damaged"> | "foreign" {
  const read = createLineReader(verifyPorts);
  const lines = backwardLines(fd, end);
  /** Those that say that they are records, the newest first. */
  const stated: Reading[] = [];
  let others = 0;
  for (let start = end; ; start = lines.position()) {
    const bytes = lines.previous();
    const isTooFar = end - start > MAX_WALK || (stated.length === 0 && isMuch(others, end - start));
    if (bytes === undefined || bytes === "long" || isTooFar) {
      const oldest = stated.at(-1);
      if (oldest === undefined) return "foreign";
      const from = { seq: Math.max(oldest.seq - 1, 0), hash: null };
      const damaged = { offset: start, size: end - start };
      return { head: countForward(from, stated), logId: oldest.logId, damaged };
    }
    const reading = read({ bytes, start: 0, end: bytes.length });
    if (reading === undefined) others += 1;
    else if (reading.ownHash === "wrong") stated.push(reading);
    else {
      const head = { seq: Math.max(reading.seq, 0), hash: reading.stated };
      const offset = lines.position() + bytes.length + 1;
      if (offset === end) return { head, logId: reading.logId };
      if (stated.length === 0 && isMuch(others, end - offset)) return "foreign";
      const damaged = { offset, size: end - offset };
      return { head: countForward(head, stated), logId: reading.logId, damaged };
    }
  }
}

function isMuch(lines: number, bytes: number): boolean {
  return lines > MAX_FOREIGN_LINES || bytes > MAX_FOREIGN_BYTES;
}

/** `stated` is newest first. */
function countForward(from: ChainHead, stated: readonly Reading[]): ChainHead {
  return stated.reduceRight<ChainHead>(
    (head, reading) => ({ seq: head.seq + 1, hash: reading.stated }),
    from,
  );
}

function notALog(file: string): CountersignError {
  return new CountersignError("audit.path", `The file ${file} is not an audit log.`, {
    hint: "Nothing was written. Set audit.path to another file, or move this one away.",
  });
}

/** True when the file still ends with this record: one short read tells. */
export function endsWith(fd: number, size: number, hash: string): boolean {
  const bytes = Buffer.alloc(SUFFIX_BYTES + 1);
  const at = size - bytes.length;
  if (at < 0 || fs.readSync(fd, bytes, 0, bytes.length, at) !== bytes.length) return false;
  return bytes.toString("latin1") === `,"record_hash":"${hash}"}\n`;
}

/** True when what has no LF is a whole record that goes on from the tail. */
export function completes(tail: Tail, fd: number): boolean {
  const { torn } = tail;
  if (torn?.what !== "torn" || torn.size > MAX_LINE || tail.damaged !== undefined) return false;
  const bytes = readAt(fd, torn.offset, torn.offset + torn.size);
  const reading = createLineReader(verifyPorts)({ bytes, start: 0, end: bytes.length });
  if (reading?.ownHash !== "right") return false;
  return reading.prevHash === tail.head.hash && reading.seq === tail.head.seq + 1;
}

/** The first record of the file, null when there is none of ours. */
export function firstRecord(fd: number): AuditRecord | null {
  const bytes = Buffer.alloc(CHUNK);
  const count = fs.readSync(fd, bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, count).indexOf(LF);
  return end === -1 ? null : parseRecord(bytes.toString("utf8", 0, end));
}
