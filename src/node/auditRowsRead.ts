/** Lines and rows of a log that has been read, by number or by what they hold. Knows nothing of how reading goes on. */
import type { growing } from "../core/audit/columns";
import { type AuditRow, type LogLine, toRow } from "../core/audit/query";
import { readLine } from "../core/audit/readLine";
import type { AuditRecord } from "../core/audit/record";
import type { RowIndex } from "../core/audit/rowIndex";
import { lineBlocks, readSpans, textsOf } from "./auditLines";
import { type LogPart, partOfLine } from "./auditParts";

export interface ReadLine {
  readonly line: number;
  readonly raw: string;
  readonly record: AuditRecord | null;
}

/** A place in the log: a file, and bytes from its start. */
export interface LogEnd {
  readonly place: string;
  readonly offset: number;
}

/** What has been read so far. */
export interface Reading {
  readonly index: RowIndex;
  /** Start of each line, through all files. */
  readonly offsets: ReturnType<typeof growing<Float64Array>>;
  readonly parts: LogPart[];
}

export interface SearchOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Where a line stands within its file. */
function spanOf({ offsets, index }: Reading, line: number, part: LogPart) {
  const end = part.bytesBefore + part.end;
  const next = line < index.lines() ? offsets.at(line) : end;
  return { offset: offsets.at(line - 1) - part.bytesBefore, end: Math.min(next, end) - part.bytesBefore };
}

export async function linesAt(reading: Reading, lines: readonly number[]): Promise<ReadLine[]> {
  const { index, parts } = reading;
  const known = lines.filter((line) => line >= 1 && line <= index.lines());
  const byPart = new Map<LogPart, number[]>();
  for (const line of [...new Set(known)].sort((a, b) => a - b)) {
    const part = partOfLine(parts, line);
    if (part === undefined) continue;
    const its = byPart.get(part) ?? [];
    its.push(line);
    byPart.set(part, its);
  }
  const byLine = new Map<number, string>();
  for (const [part, its] of byPart) {
    const spans = its.map((line) => spanOf(reading, line, part));
    const texts = await readSpans(part.path, spans);
    for (const [at, line] of its.entries()) byLine.set(line, texts[at] ?? "");
  }
  return known.map((line) => {
    const raw = byLine.get(line) ?? "";
    return { line, raw, record: readLine(raw) };
  });
}

export async function rowsAt(reading: Reading, rows: readonly number[]): Promise<AuditRow[]> {
  const groups = rows.map((row) => reading.index.linesOf(row));
  const read = await linesAt(reading, groups.flat());
  let at = 0;
  return groups.map((group) => {
    const lines: LogLine[] = read.slice(at, at + group.length);
    at += group.length;
    return toRow(lines);
  });
}

/** 1 per row that has `text` in one of its lines, whatever its case; null when aborted. */
export async function searchRows(
  { index, parts }: Reading,
  text: string,
  { signal, onProgress }: SearchOptions,
): Promise<Uint8Array | null> {
  const found = new Uint8Array(index.rows());
  const total = parts.reduce((sum, part) => sum + part.end, 0);
  // The log holds JSON: what a person types is looked for as JSON spells it.
  const needle = JSON.stringify(text).slice(1, -1).toLowerCase();
  for (const part of parts) {
    for await (const block of lineBlocks(part.path, { line: part.linesBefore + 1, offset: 0 })) {
      if (signal.aborted) return null;
      for (const line of linesWith(needle, block.first, block.bytes.toString("utf8").toLowerCase())) {
        const row = index.rowOf(line);
        if (row >= 0) found[row] = 1;
      }
      onProgress?.(part.bytesBefore + (block.offsets.at(-1) ?? 0), total);
    }
  }
  return found;
}

/** Numbers of the lines of `text` that hold `needle`; looks once over the text, not line by line. */
function* linesWith(needle: string, first: number, text: string): Generator<number> {
  let line = first;
  let counted = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at)) {
    for (let end = text.indexOf("\n", counted); end >= 0 && end < at; end = text.indexOf("\n", counted)) {
      line += 1;
      counted = end + 1;
    }
    yield line;
    const end = text.indexOf("\n", at);
    if (end < 0) return;
    at = end;
  }
}

/** Every line for which `wanted` says so, in the order of the log. */
export async function* eachLine(
  { index, parts }: Reading,
  wanted: (line: number) => boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const last = index.lines();
  for (const part of [...parts]) {
    for await (const block of lineBlocks(part.path, { line: part.linesBefore + 1, offset: 0 })) {
      signal.throwIfAborted();
      for (const { line, raw } of textsOf(block)) if (line <= last && wanted(line)) yield raw;
    }
  }
}

/** How many lines end at or before this place; undefined where that was not read yet. */
export function linesUntil(
  { parts, offsets, index }: Reading,
  { place, offset }: LogEnd,
): number | undefined {
  const at = parts.findIndex((part) => part.place === place);
  const part = parts[at];
  if (part === undefined || part.end < offset) return undefined;
  let low = part.linesBefore;
  let high = parts[at + 1]?.linesBefore ?? index.lines();
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets.at(middle) < part.bytesBefore + offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
