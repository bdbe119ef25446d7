/** The rows of a log, all its files: listed, searched and followed without holding its records. Knows nothing of pages or of VS Code. */
import * as path from "node:path";
import { growing } from "../core/audit/columns";
import { type AuditRow, type LogLine, toRow } from "../core/audit/query";
import { readLine } from "../core/audit/readLine";
import type { AuditRecord } from "../core/audit/record";
import { type RowIndex, rowIndex } from "../core/audit/rowIndex";
import { keepIndex, readIndex } from "./auditIndexFile";
import { lastLines, lineBlocks, readSpans, textsOf } from "./auditLines";
import { continues, type FileSeen, filesOfLog, type LogPart, partOfLine } from "./auditParts";

export interface ReadLine {
  readonly line: number;
  readonly raw: string;
  readonly record: AuditRecord | null;
}

/** What following the log brought: rows that are new, and older rows that gained a line. */
export interface Growth {
  readonly added: number;
  readonly changed: readonly number[];
  /** The log is not the one that was read before: everything was read anew. */
  readonly reset: boolean;
}

type Progress = (done: number, total: number) => void;

/** Lines are counted through all files of the log, from 1. */
export interface AuditRows {
  readonly index: RowIndex;
  /** Bytes read so far. */
  bytes(): number;
  /** Takes in what the log has beyond what was read. One at a time; a second call waits for the first. */
  follow(onProgress?: Progress): Promise<Growth>;
  rowsAt(rows: readonly number[]): Promise<AuditRow[]>;
  linesAt(lines: readonly number[]): Promise<ReadLine[]>;
  /** 1 per row that has `text` in one of its lines, whatever its case; null when aborted. */
  search(text: string, options: { signal: AbortSignal; onProgress?: Progress }): Promise<Uint8Array | null>;
  /** Every line for which `wanted` says so, in the order of the log. */
  each(wanted: (line: number) => boolean, signal: AbortSignal): AsyncGenerator<string>;
  /** The files, and how many lines stand before each. */
  files(): readonly { readonly file: string; readonly linesBefore: number }[];
  /** How many lines end at or before this place; undefined where that was not read yet. */
  linesUntil(end: LogEnd): number | undefined;
  /** Nobody looks any more: reading ends at the next block, and what was read so far is kept. */
  stop(): void;
}

/** A place in the log: a file, and bytes from its start. */
export interface LogEnd {
  readonly place: string;
  readonly offset: number;
}

export interface AuditRowsOptions {
  /** Where the index of this log is kept between openings; absent = nowhere. */
  readonly indexFile?: string;
}

interface Reading {
  index: RowIndex;
  /** Start of each line, through all files. */
  offsets: ReturnType<typeof growing<Float64Array>>;
  parts: LogPart[];
}

const f64 = (size: number) => new Float64Array(size);
/** So many lines more are worth writing the index again. */
const KEEP_LINES = 20_000;

/** Rows of the log whose active file is `log`; a missing log reads as empty. */
export function auditRows(log: string, { indexFile }: AuditRowsOptions = {}): AuditRows {
  const fresh = (): Reading => ({ index: rowIndex(), offsets: growing(f64), parts: [] });
  let reading = fresh();
  let isLoaded = indexFile === undefined;
  let keptLines = 0;
  let isStopped = false;
  let queue: Promise<unknown> = Promise.resolve();

  async function load(): Promise<void> {
    isLoaded = true;
    const kept = indexFile === undefined ? undefined : await readIndex(indexFile);
    if (kept === undefined) return;
    reading = {
      index: rowIndex(kept.index),
      offsets: growing(f64, kept.offsets),
      parts: [...kept.parts],
    };
    keptLines = reading.index.lines();
  }

  async function keep(): Promise<void> {
    const { index, offsets, parts } = reading;
    if (indexFile === undefined || index.lines() - keptLines < KEEP_LINES) return;
    keptLines = index.lines();
    // An index that cannot be kept is made again next time.
    await keepIndex(indexFile, {
      index: index.kept(),
      offsets: Float64Array.from(offsets.values()),
      parts,
    }).catch(() => undefined);
  }

  /** The files now; what was read is dropped where they are others. */
  async function lookAgain(): Promise<{ files: FileSeen[]; reset: boolean }> {
    let files = await filesOfLog(log);
    // A segment that was closed between two looks makes the list look wrong once.
    if (!continues(reading.parts, files)) files = await filesOfLog(log);
    if (continues(reading.parts, files)) return { files, reset: false };
    reading = fresh();
    keptLines = 0;
    return { files, reset: true };
  }

  function partFor(file: FileSeen, at: number): LogPart {
    const before = reading.parts[at - 1];
    const part = reading.parts[at] ?? {
      path: file.path,
      place: file.place,
      head: file.head,
      linesBefore: reading.index.lines(),
      bytesBefore: before === undefined ? 0 : before.bytesBefore + before.end,
      end: 0,
    };
    part.path = file.path;
    part.head = file.head;
    reading.parts[at] = part;
    return part;
  }

  async function take(onProgress?: Progress): Promise<Growth> {
    if (!isLoaded) await load();
    const { files, reset } = await lookAgain();
    const { index, offsets } = reading;
    const before = index.rows();
    const changed = new Set<number>();
    const total = files.reduce((sum, file) => sum + file.size, 0);
    for (const [at, file] of files.entries()) {
      const part = partFor(file, at);
      if (file.size <= part.end) continue;
      for await (const block of lineBlocks(file.path, { line: index.lines() + 1, offset: part.end })) {
        for (const { line, offset, end, raw } of textsOf(block)) {
          offsets.push(part.bytesBefore + offset);
          const row = index.add({ line, record: readLine(raw) });
          if (row < before) changed.add(row);
          part.end = end;
        }
        onProgress?.(part.bytesBefore + part.end, total);
        if (isStopped) break;
      }
      if (isStopped) break;
    }
    await keep();
    return { added: index.rows() - before, changed: [...changed], reset };
  }

  /** Where a line stands within its file. */
  function spanOf(line: number, part: LogPart) {
    const { offsets, index } = reading;
    const end = part.bytesBefore + part.end;
    const next = line < index.lines() ? offsets.at(line) : end;
    return { offset: offsets.at(line - 1) - part.bytesBefore, end: Math.min(next, end) - part.bytesBefore };
  }

  async function linesAt(lines: readonly number[]): Promise<ReadLine[]> {
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
      const texts = await readSpans(
        part.path,
        its.map((line) => spanOf(line, part)),
      );
      for (const [at, line] of its.entries()) byLine.set(line, texts[at] ?? "");
    }
    return known.map((line) => {
      const raw = byLine.get(line) ?? "";
      return { line, raw, record: readLine(raw) };
    });
  }

  return {
    get index() {
      return reading.index;
    },
    bytes: () => reading.parts.reduce((sum, part) => sum + part.end, 0),
    follow(onProgress) {
      const next = queue.then(() => take(onProgress));
      queue = next.catch(() => undefined);
      return next;
    },
    linesAt,
    async rowsAt(rows) {
      const { index } = reading;
      const groups = rows.map((row) => index.linesOf(row));
      const read = await linesAt(groups.flat());
      let at = 0;
      return groups.map((group) => {
        const lines: LogLine[] = read.slice(at, at + group.length);
        at += group.length;
        return toRow(lines);
      });
    },
    async search(text, { signal, onProgress }) {
      const { index, parts } = reading;
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
    },
    async *each(wanted, signal) {
      const last = reading.index.lines();
      for (const part of [...reading.parts]) {
        for await (const block of lineBlocks(part.path, { line: part.linesBefore + 1, offset: 0 })) {
          signal.throwIfAborted();
          for (const { line, raw } of textsOf(block)) if (line <= last && wanted(line)) yield raw;
        }
      }
    },
    files: () =>
      reading.parts.map((part) => ({ file: path.basename(part.path), linesBefore: part.linesBefore })),
    stop(): void {
      isStopped = true;
    },
    linesUntil({ place, offset }) {
      const { parts, offsets, index } = reading;
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
    },
  };
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

/** The newest rows of a big log before it has been read through. Their line numbers count back from the end: -1 is the last line. */
export async function newestRows(
  log: string,
  bytes: number,
): Promise<{ rows: AuditRow[]; lines: ReadLine[]; end: LogEnd }> {
  const files = await filesOfLog(log);
  const active = files.at(-1);
  let texts: string[] = [];
  let end = 0;
  let left = bytes;
  for (const file of files.toReversed()) {
    const found = await lastLines(file.path, Math.min(left, file.size));
    if (file === active) end = found.end;
    texts = [...found.lines, ...texts];
    left -= file.size;
    if (left <= 0) break;
  }
  const lines = texts.map((raw, at) => ({ line: at - texts.length, raw, record: readLine(raw) }));
  const index = rowIndex();
  for (const [at, { record }] of lines.entries()) index.add({ line: at + 1, record });
  const rows = Array.from({ length: index.rows() }, (_, row) =>
    toRow(index.linesOf(row).flatMap((line) => lines[line - 1] ?? [])),
  );
  return { rows, lines, end: { place: active?.place ?? "", offset: end } };
}
