/** Reads a log file of any size line by line and by place. Knows nothing of rows or of what a line means. */
import { type FileHandle, open } from "node:fs/promises";
import { TO_READ } from "./auditBytes";

/** A block of whole lines. `first` is the number of its first line; `offsets` are their places in the file. */
export interface LineBlock {
  readonly first: number;
  readonly bytes: Buffer;
  /** Start of each line within the file, and one more: the end of the last line's break. */
  readonly offsets: readonly number[];
}

const BLOCK = 1 << 20;

/** Longer lines are no records; they are passed on cut, so that one damaged line cannot fill the memory. */
export const LONGEST_LINE = 1 << 20;

/**
 * Whole lines from a place on, a block at a time; a last line without its break is left for later.
 * A line over `LONGEST_LINE` is given as a line of its own with no bytes.
 */
export async function* lineBlocks(
  path: string,
  from: { line: number; offset: number },
): AsyncGenerator<LineBlock> {
  const file = await open(path, TO_READ);
  try {
    let { line, offset } = from;
    let rest = Buffer.alloc(0);
    let skipped = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(BLOCK);
      const { bytesRead } = await file.read(chunk, 0, BLOCK, offset + skipped + rest.length);
      if (bytesRead === 0) return;
      let bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      if (skipped > 0 || (bytes.length > LONGEST_LINE && bytes.indexOf(10) < 0)) {
        const end = bytes.indexOf(10);
        if (end < 0) {
          skipped += bytes.length;
          rest = Buffer.alloc(0);
          continue;
        }
        const next = offset + skipped + end + 1;
        yield { first: line, bytes: Buffer.alloc(0), offsets: [offset, next] };
        line += 1;
        offset = next;
        skipped = 0;
        bytes = bytes.subarray(end + 1);
      }
      const end = bytes.lastIndexOf(10) + 1;
      rest = Buffer.from(bytes.subarray(end));
      if (end === 0) continue;
      const block = blockOf(bytes.subarray(0, end), { line, offset });
      yield block;
      line += block.offsets.length - 1;
      offset += end;
    }
  } finally {
    await file.close();
  }
}

function blockOf(bytes: Buffer, at: { line: number; offset: number }): LineBlock {
  const offsets = [at.offset];
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1))
    offsets.push(at.offset + end + 1);
  return { first: at.line, bytes, offsets };
}

/** Each line of a block as text; a line that was too long is "". */
export function* textsOf(
  block: LineBlock,
): Generator<{ line: number; offset: number; end: number; raw: string }> {
  const base = block.offsets[0] ?? 0;
  for (let i = 0; i + 1 < block.offsets.length; i += 1) {
    const offset = block.offsets[i] ?? 0;
    const end = block.offsets[i + 1] ?? offset;
    const raw = block.bytes.length === 0 ? "" : block.bytes.toString("utf8", offset - base, end - base - 1);
    yield { line: block.first + i, offset, end, raw };
  }
}

export interface Span {
  readonly offset: number;
  /** The end of the line's break. */
  readonly end: number;
}

const NEAR = 1 << 15;

/** The texts of many lines by place; neighbours are read together. Spans must ascend. */
export async function readSpans(path: string, spans: readonly Span[]): Promise<string[]> {
  const groups: Span[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const start = group?.[0]?.offset ?? 0;
    const last = group?.at(-1)?.end ?? 0;
    if (group !== undefined && span.offset - last < NEAR && span.end - start < 4 * BLOCK) group.push(span);
    else groups.push([span]);
  }
  const file = await open(path, TO_READ);
  try {
    const texts = await Promise.all(groups.map((group) => readGroup(file, group)));
    return texts.flat();
  } finally {
    await file.close();
  }
}

async function readGroup(file: FileHandle, group: readonly Span[]): Promise<string[]> {
  const start = group[0]?.offset ?? 0;
  const end = group.at(-1)?.end ?? start;
  if (end - start > 4 * BLOCK) return group.map(() => "");
  const bytes = Buffer.alloc(end - start);
  await file.read(bytes, 0, bytes.length, start);
  return group.map((span) => bytes.toString("utf8", span.offset - start, span.end - start - 1));
}

/** The last whole lines of a file, at most `bytes` of them, oldest first; `end` is where they end. */
export async function lastLines(path: string, bytes: number): Promise<{ lines: string[]; end: number }> {
  const file = await open(path, TO_READ);
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - bytes);
    const buffer = Buffer.alloc(size - start);
    await file.read(buffer, 0, buffer.length, start);
    const from = start === 0 ? 0 : buffer.indexOf(10) + 1;
    const to = buffer.lastIndexOf(10) + 1;
    if (to <= from) return { lines: [], end: start + to };
    return { lines: buffer.toString("utf8", from, to - 1).split("\n"), end: start + to };
  } finally {
    await file.close();
  }
}
