/** Goes through the end of a log backwards with bounded memory: where lines begin, and where the last sound record stands. Knows nothing of what is done about it. */
import * as fs from "node:fs";
import { SUFFIX_BYTES } from "../core/audit/verifyLine";
import { sha256 } from "./auditBytes";

const CHUNK = 1024 * 1024;
const NEAR = 64 * 1024;
/** A record is at most 64 KiB. */
export const MAX_LINE = 128 * 1024;
const LF = 0x0a;
const HASH_AT = ',"record_hash":"';
const SUFFIX_END = Buffer.from('"}\n');

/** Fewer where the file ends. */
export function readAt(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  let done = 0;
  while (done < bytes.length) {
    const count = fs.readSync(fd, bytes, done, bytes.length - done, start + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** Lines before `from`, the last one first, out of blocks that are read once. */
export interface BackwardLines {
  /** Start of the line given out last. */
  position(): number;
  /** The line that ends just before `position`, without its LF; "long" where none begins within `MAX_LINE`. */
  previous(): Buffer | "long" | undefined;
}

export function backwardLines(fd: number, from: number): BackwardLines {
  let position = from;
  let blockStart = from;
  let block: Buffer = Buffer.alloc(0);

  /** The block grows towards the start of the file; what was given out is dropped. */
  function more(): void {
    const start = Math.max(0, blockStart - NEAR);
    const kept = block.subarray(0, Math.max(0, position - blockStart));
    block = Buffer.concat([readAt(fd, start, blockStart), kept]);
    blockStart = start;
  }

  return {
    position: () => position,
    previous() {
      if (position <= 0) return undefined;
      const end = position - 1;
      for (;;) {
        if (blockStart < position) {
          const at = end > blockStart ? block.lastIndexOf(LF, end - 1 - blockStart) : -1;
          if (at !== -1 || blockStart === 0) {
            position = blockStart + at + 1;
            return block.subarray(position - blockStart, end - blockStart);
          }
        }
        if (end - blockStart > MAX_LINE) return "long";
        more();
      }
    },
  };
}

/** Just behind the last LF before `end`; 0 where there is none. */
export function afterLastBreak(fd: number, end: number): number {
  for (let stop = end, want = NEAR; stop > 0; want = CHUNK) {
    const start = Math.max(0, stop - want);
    const at = readAt(fd, start, stop).lastIndexOf(LF);
    if (at !== -1) return start + at + 1;
    stop = start;
  }
  return 0;
}

/**
 * Where the part of a file that holds records can end. A record holds no NUL, so that nothing behind a hole goes on
 * from what stands before it: a file of a terabyte without content costs one read.
 */
export function endOfContent(fd: number): number {
  const { size, blocks } = fs.fstatSync(fd);
  const content = typeof blocks === "number" && blocks > 0 ? blocks * 512 : size;
  if (content >= size || size - content < MAX_LINE) return size;
  // A file system that compresses tells less than there is.
  const probe = readAt(fd, content, content + MAX_LINE);
  return probe.every((byte) => byte === 0) ? content : size;
}

/** The end, with its LF, of the last record before `before` whose hash is right over its bytes; undefined = none. */
export function endOfLastSound(fd: number, before: number): number | undefined {
  for (let stop = before; stop > 0; ) {
    const start = Math.max(0, stop - CHUNK);
    // A record across the border is looked at with the block that holds its end.
    const lead = Math.max(0, start - MAX_LINE);
    const bytes = readAt(fd, lead, stop);
    for (let at = bytes.lastIndexOf(SUFFIX_END); at !== -1 && lead + at + 3 > start; ) {
      const lineEnd = at + 2;
      const lineStart = bytes.lastIndexOf(LF, at) + 1;
      if ((lineStart > 0 || lead === 0) && isSound(bytes.subarray(lineStart, lineEnd)))
        return lead + lineEnd + 1;
      if (at === 0) break;
      at = bytes.lastIndexOf(SUFFIX_END, at - 1);
    }
    // Two bytes more: the mark itself may lie across the border.
    stop = start === 0 ? 0 : start + 2;
  }
  return undefined;
}

function isSound(line: Buffer): boolean {
  const cut = line.length - SUFFIX_BYTES;
  if (cut < 1 || line[0] !== 0x7b || line.toString("latin1", cut, cut + HASH_AT.length) !== HASH_AT)
    return false;
  const hashed = Buffer.from(line.subarray(0, cut + 1));
  hashed[cut] = 0x7d;
  return sha256(hashed) === line.toString("latin1", cut + HASH_AT.length, cut + HASH_AT.length + 64);
}
