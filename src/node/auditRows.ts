/** The rows of a log, all its files: listed, searched and followed without holding its records. Knows nothing of pages or of VS Code. */
import * as path from "node:path";
import { growing } from "../core/audit/columns";
import type { AuditRow } from "../core/audit/query";
import { readLine } from "../core/audit/readLine";
import { type RowIndex, rowIndex } from "../core/audit/rowIndex";
import { keepIndex, readIndex } from "./auditIndexFile";
import { lineBlocks, textsOf } from "./auditLines";
import { continues, type FileSeen, filesOfLog, type LogPart } from "./auditParts";
import {
  eachLine,
  type LogEnd,
  linesAt,
  linesUntil,
  type Reading,
  type ReadLine,
  rowsAt,
  type SearchOptions,
  searchRows,
} from "./auditRowsRead";

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
  search(text: string, options: SearchOptions): Promise<Uint8Array | null>;
  /** Every line for which `wanted` says so, in the order of the log. */
  each(wanted: (line: number) => boolean, signal: AbortSignal): AsyncGenerator<string>;
  /** The files, and how many lines stand before each. */
  files(): readonly { readonly file: string; readonly linesBefore: number }[];
  /** How many lines end at or before this place; undefined where that was not read yet. */
  linesUntil(end: LogEnd): number | undefined;
  /** Nobody looks any more: reading ends at the next block, and what was read so far is kept. */
  stop(): void;
}

export interface AuditRowsOptions {
  /** Where the index of this log is kept between openings; absent = nowhere. */
  readonly indexFile?: string;
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
    linesAt: (lines) => linesAt(reading, lines),
    rowsAt: (rows) => rowsAt(reading, rows),
    search: (text, options) => searchRows(reading, text, options),
    each: (wanted, signal) => eachLine(reading, wanted, signal),
    files: () =>
      reading.parts.map((part) => ({ file: path.basename(part.path), linesBefore: part.linesBefore })),
    stop(): void {
      isStopped = true;
    },
    linesUntil: (end) => linesUntil(reading, end),
  };
}
