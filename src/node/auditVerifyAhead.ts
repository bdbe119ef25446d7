/** Lends the lines of a large file in their order, as `eachLine` does, while threads read ahead of whoever takes them. Knows nothing of what lines mean. */
import type * as fs from "node:fs/promises";
import type { LinesInOrder } from "../core/audit/verifyLog";
import type { Asked, Crew } from "./auditVerifyCrew";
import type { Part } from "./auditVerifyPart";
import {
  type FileRead,
  type LentLine,
  type LineReading,
  lend,
  openToRead,
  wholeDigest,
} from "./auditVerifyRead";

export interface AheadTaker {
  /** Takes one line. */
  step(line: LentLine): void;
  /** Takes the first of some lines that are in order, and says how many; the next one is lent alone. */
  follow(lines: LinesInOrder): number;
  readonly wantsLeaves: boolean;
}

export interface AheadReading extends LineReading {
  readonly crew: Crew;
}

/** Part of the file with whole lines, given to a thread. */
interface Given {
  readonly part: Part;
  readonly filled: number;
  /** Byte offset in the file. */
  readonly position: number;
  readonly asked: Asked;
}

interface Flow extends AheadReading {
  readonly handle: fs.FileHandle;
  readonly taker: AheadTaker;
  readonly onRead: (bytes: Uint8Array, position: number) => void;
}

const LF = 0x0a;
const LEAF_BYTES = 32;
const NONE = Buffer.alloc(0);

/** Throws as `eachLine` does. */
export async function eachLineAhead(
  file: string,
  taker: AheadTaker,
  reading: AheadReading,
): Promise<FileRead> {
  const handle = await openToRead(file);
  try {
    const digest = await wholeDigest(handle, reading);
    const flow: Flow = { ...reading, handle, taker, onRead: digest.onRead };
    let offset = reading.from ?? 0;
    for (;;) {
      offset = await partsFrom(flow, offset);
      // The end of the file, or a line that is longer than a part.
      const lent = await lend(handle, taker.step, { ...flow, from: offset, until: "some lines" });
      if (lent.ended) return { size: lent.offset, sha256: digest.hex() };
      offset = lent.offset;
    }
  } finally {
    await handle.close();
  }
}

/** Returns the byte offset of the line where no part begins. */
async function partsFrom(flow: Flow, offset: number): Promise<number> {
  const { crew, signal } = flow;
  const given: Given[] = [];
  let position = offset;
  let kept: Buffer = NONE;
  let hasMore = true;
  for (let turn = 0; ; ) {
    while (hasMore && given.length < crew.parts.length) {
      const part = crew.parts[turn % crew.parts.length];
      if (part === undefined) break;
      turn += 1;
      const filled = await fill(flow, part, { kept, position });
      const end = part.bytes.subarray(0, filled).lastIndexOf(LF) + 1;
      hasMore = end > 0 && filled === part.bytes.length;
      if (end === 0) break;
      // It stands there until the next part has it: that is another one.
      kept = part.bytes.subarray(end, filled);
      const leaves = flow.taker.wantsLeaves ? "wanted" : "unwanted";
      given.push({ part, filled: end, position, asked: crew.ask(part, { filled: end, leaves }) });
      position += end;
    }
    const next = given.shift();
    if (next === undefined) return position;
    const lines = await crew.wait(next.asked);
    signal?.throwIfAborted();
    take(flow.taker, next, lines);
    flow.onBytes?.(next.position + next.filled);
  }
}

/** Bytes that stand in the part then: what was kept of the one before, and what follows in the file. */
async function fill(
  { handle, signal, onRead }: Flow,
  { bytes }: Part,
  from: { readonly kept: Buffer; readonly position: number },
): Promise<number> {
  bytes.set(from.kept);
  let filled = from.kept.length;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from.position + filled);
    signal?.throwIfAborted();
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  onRead(bytes.subarray(0, filled), from.position);
  return filled;
}

/** `known` = lines that a thread has read. All others, and all that it said nothing of, are lent one by one. */
function take(taker: AheadTaker, { part, filled, position }: Given, known: number): void {
  const { bytes, room } = part;
  const lendLine = lineLender(taker, part, position);
  let start = 0;
  let runEnd = 0;
  for (let line = 0; line < known; ) {
    if (room.inOrder[line] === 1) {
      if (runEnd <= line) runEnd = endOfRun(room.inOrder, line, known);
      line += taker.follow(linesInOrder(part, { line, count: runEnd - line, position }));
      start = line === 0 ? 0 : (room.ends[line - 1] ?? 0) + 1;
      if (line === runEnd) continue;
    }
    const end = room.ends[line] ?? 0;
    lendLine(start, end);
    start = end + 1;
    line += 1;
  }
  while (start < filled) {
    const end = bytes.indexOf(LF, start);
    lendLine(start, end);
    start = end + 1;
  }
}

/** Lends copies: what takes a line may change a byte of it meanwhile, and a thread that lives may be reading these. */
function lineLender(
  taker: AheadTaker,
  { bytes }: Part,
  position: number,
): (start: number, end: number) => void {
  let own = Buffer.allocUnsafeSlow(8192);
  return (start, end) => {
    const size = end - start;
    if (size > own.length) own = Buffer.allocUnsafeSlow(2 * size);
    own.set(bytes.subarray(start, end));
    taker.step({ bytes: own, start: 0, end: size, offset: position + start, terminated: true });
  };
}

function endOfRun(inOrder: Uint8Array, from: number, limit: number): number {
  let end = from;
  while (end < limit && inOrder[end] === 1) end += 1;
  return end;
}

/** `,"record_hash":"` + 64 hex + `"}` end a line. */
const HASH_FROM_END = 66;
const HASH_BYTES = 64;

function linesInOrder(
  { bytes, room: { ends, leaves } }: Part,
  run: { readonly line: number; readonly count: number; readonly position: number },
): LinesInOrder {
  const { line, count, position } = run;
  return {
    count,
    endOf: (k) => position + (ends[line + k] ?? 0),
    hashOf(k) {
      const at = (ends[line + k] ?? 0) - HASH_FROM_END;
      return bytes.toString("latin1", at, at + HASH_BYTES);
    },
    leafOf: (k) => Buffer.from(leaves.subarray((line + k) * LEAF_BYTES, (line + k + 1) * LEAF_BYTES)),
  };
}
