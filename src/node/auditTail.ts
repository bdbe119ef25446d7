/** Reads where a log ends, and sets a torn end aside. Call only while holding the lock: without it a neighbour's write looks torn. */
import * as fs from "node:fs";
import { type ChainHead, GENESIS } from "../core/audit/chain";
import { parseRecord } from "../core/audit/parse";
import type { AuditRecord } from "../core/audit/record";
import { createLineReader, type Reading, SUFFIX_BYTES } from "../core/audit/verifyLine";
import { CountersignError } from "../core/errors";
import { sha256, stampForName, verifyPorts } from "./auditBytes";

export interface Tail {
  /** Bytes of whole lines. */
  readonly size: number;
  readonly head: ChainHead;
  /** Undefined for an empty log, or one whose records carry none. */
  readonly logId: string | undefined;
  /** Bytes after the last LF. */
  readonly torn?: { readonly offset: number; readonly bytes: Buffer };
  /** Whole lines at the end that are no sound records. */
  readonly damaged?: { readonly offset: number; readonly bytes: Buffer };
}

const CHUNK = 128 * 1024;
const LF = 0x0a;
const MAX_WALK = 4 * 1024 * 1024;

export function readTail(fd: number, file: string): Tail {
  const size = fs.fstatSync(fd).size;
  if (size === 0) return { size: 0, head: GENESIS, logId: undefined };
  const lines = new BackwardLines(fd, size);
  const torn = lines.unended();
  const wholeSize = size - torn.length;
  const tornPart = torn.length === 0 ? {} : { torn: { offset: wholeSize, bytes: torn } };
  if (wholeSize === 0) return { size: 0, head: GENESIS, logId: undefined, ...tornPart };
  return { ...lastHead(lines, file), size: wholeSize, ...tornPart };
}

/** Goes back over unsound lines to one that can be trusted, and counts forward again as the verifier does. */
function lastHead(lines: BackwardLines, file: string): Pick<Tail, "head" | "logId" | "damaged"> {
  const read = createLineReader(verifyPorts);
  const unsound: (Reading | undefined)[] = [];
  const end = lines.position;
  for (;;) {
    const bytes = lines.previous();
    if (bytes === undefined || end - lines.position > MAX_WALK) break;
    const reading = read({ bytes, start: 0, end: bytes.length });
    if (reading === undefined || reading.ownHash === "wrong") {
      unsound.push(reading);
      continue;
    }
    const head = { seq: Math.max(reading.seq, 0), hash: reading.stated };
    if (unsound.length === 0) return { head, logId: reading.logId };
    const offset = lines.position + bytes.length + 1;
    const damaged = { offset, bytes: lines.slice(offset, end) };
    return { head: countForward(head, unsound.reverse()), logId: reading.logId, damaged };
  }
  const stated = unsound.reverse().filter((reading) => reading !== undefined);
  const first = stated[0];
  if (first === undefined) throw notALog(file);
  const offset = Math.max(0, lines.position);
  return {
    head: countForward({ seq: Math.max(first.seq - 1, 0), hash: null }, stated),
    logId: first.logId,
    damaged: { offset, bytes: lines.slice(offset, end) },
  };
}

function countForward(from: ChainHead, readings: readonly (Reading | undefined)[]): ChainHead {
  return readings.reduce<ChainHead>(
    (head, reading) => (reading === undefined ? head : { seq: head.seq + 1, hash: reading.stated }),
    from,
  );
}

function notALog(file: string): CountersignError {
  return new CountersignError("audit.path", `The file ${file} is not an audit log.`, {
    hint: "Nothing was written. Set audit.path to another file, or move this one away.",
  });
}

/** Lines from the end of a file to its start, read in chunks. */
class BackwardLines {
  /** Start of what was given out last. */
  position: number;
  private readonly fd: number;
  private readonly size: number;

  constructor(fd: number, size: number) {
    this.fd = fd;
    this.size = size;
    this.position = size;
  }

  /** What stands after the last LF. */
  unended(): Buffer {
    const start = this.lineStart(this.size);
    this.position = start;
    return this.slice(start, this.size);
  }

  /** The line that ends just before `position`, without its LF. */
  previous(): Buffer | undefined {
    if (this.position <= 0) return undefined;
    const end = this.position - 1;
    this.position = this.lineStart(end);
    return this.slice(this.position, end);
  }

  slice(start: number, end: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, end - start));
    let done = 0;
    while (done < bytes.length) {
      const count = fs.readSync(this.fd, bytes, done, bytes.length - done, start + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  }

  private lineStart(end: number): number {
    // Most lines are short: a small read first.
    for (let stop = end, want = 4096; stop > 0; want = CHUNK) {
      const start = Math.max(0, stop - want);
      const at = this.slice(start, stop).lastIndexOf(LF);
      if (at !== -1) return start + at + 1;
      stop = start;
    }
    return 0;
  }
}

/** True when the file still ends with this record: one short read tells. */
export function endsWith(fd: number, size: number, hash: string): boolean {
  const bytes = Buffer.alloc(SUFFIX_BYTES + 1);
  const at = size - bytes.length;
  if (at < 0 || fs.readSync(fd, bytes, 0, bytes.length, at) !== bytes.length) return false;
  return bytes.toString("latin1") === `,"record_hash":"${hash}"}\n`;
}

/** True when what has no LF is a whole record that goes on from the tail. */
export function completes(tail: Tail, bytes: Buffer): boolean {
  const reading = createLineReader(verifyPorts)({ bytes: Buffer.from(bytes), start: 0, end: bytes.length });
  if (reading?.ownHash !== "right" || tail.damaged !== undefined) return false;
  return reading.prevHash === tail.head.hash && reading.seq === tail.head.seq + 1;
}

/** The first record of the file, null when there is none of ours. */
export function firstRecord(fd: number): AuditRecord | null {
  const bytes = Buffer.alloc(CHUNK);
  const count = fs.readSync(fd, bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, count).indexOf(LF);
  return end === -1 ? null : parseRecord(bytes.toString("utf8", 0, end));
}

export interface SetAside {
  readonly name: string;
  readonly sha256: string;
}

/** Copies the bytes to `<log>.torn-<offset>-<time>`, on the disk, before anything is cut. */
export function setAside(
  file: string,
  part: { readonly offset: number; readonly bytes: Buffer },
  now: number,
): SetAside {
  for (let n = 0; ; n += 1) {
    const name = `${file}.torn-${part.offset}-${stampForName(now)}${n === 0 ? "" : `-${n}`}`;
    if (fs.existsSync(name)) continue;
    const fd = fs.openSync(name, "wx", 0o600);
    try {
      fs.writeSync(fd, part.bytes);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    return { name, sha256: sha256(part.bytes) };
  }
}
