/** The rows of one log file: listed, searched and followed without holding its records. Knows nothing of pages or of VS Code. */
import { stat } from "node:fs/promises";
import { type AuditRow, type LogLine, toRow } from "../core/audit/query";
import { readLine } from "../core/audit/readLine";
import type { AuditRecord } from "../core/audit/record";
import { type RowIndex, rowIndex } from "../core/audit/rowIndex";
import { lastLines, lineBlocks, readSpans, type Span, textsOf } from "./auditLines";

export interface ReadLine {
  readonly line: number;
  readonly raw: string;
  readonly record: AuditRecord | null;
}

/** What following the file brought: rows that are new, and older rows that gained a line. */
export interface Growth {
  readonly added: number;
  readonly changed: readonly number[];
  /** The file is not the one that was read before: everything was read anew. */
  readonly reset: boolean;
}

export interface AuditRows {
  readonly index: RowIndex;
  /** Bytes read so far. */
  bytes(): number;
  /** Takes in what the file has beyond what was read. One at a time; a second call waits for the first. */
  follow(onProgress?: (done: number, total: number) => void): Promise<Growth>;
  rowsAt(rows: readonly number[]): Promise<AuditRow[]>;
  linesAt(lines: readonly number[]): Promise<ReadLine[]>;
  /** 1 per row that has `text` in one of its lines, whatever its case; null when aborted. */
  search(
    text: string,
    options: { signal: AbortSignal; onProgress?: (done: number, total: number) => void },
  ): Promise<Uint8Array | null>;
}

/** Place of each line: its start; the end of the last one is the start of what follows. */
function offsetList() {
  let data = new Float64Array(1024);
  let length = 0;
  return {
    push(value: number): void {
      if (length === data.length) {
        const bigger = new Float64Array(length * 2);
        bigger.set(data);
        data = bigger;
      }
      data[length] = value;
      length += 1;
    },
    spanOf: (line: number, end: number): Span => ({
      offset: data[line - 1] ?? 0,
      end: line < length ? (data[line] ?? end) : end,
    }),
  };
}

interface Reading {
  index: RowIndex;
  offsets: ReturnType<typeof offsetList>;
  end: number;
  /** Which file this was: its device and inode; "" before it was seen. */
  place: string;
  /** Its first bytes; a file that begins otherwise is another one. */
  head: string;
}

const HEAD_BYTES = 256;

async function lookAt(path: string): Promise<{ size: number; place: string; head: string }> {
  const { size, dev, ino } = await stat(path);
  const [head] = await readSpans(path, [{ offset: 0, end: Math.min(size, HEAD_BYTES) + 1 }]);
  return { size, place: `${dev}:${ino}`, head: head ?? "" };
}

/** Rows of the file at `path`; a missing file reads as empty. */
export function auditRows(path: string): AuditRows {
  const fresh = (): Reading => ({ index: rowIndex(), offsets: offsetList(), end: 0, place: "", head: "" });
  let reading = fresh();
  let queue: Promise<unknown> = Promise.resolve();

  async function lookAgain(): Promise<{ size: number; reset: boolean } | null> {
    const now = await lookAt(path).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (now === null) {
      const reset = reading.end > 0;
      reading = fresh();
      return reset ? { size: 0, reset } : null;
    }
    const other = reading.place !== now.place || !now.head.startsWith(reading.head);
    const reset = reading.end > 0 && (other || now.size < reading.end);
    if (reset) reading = fresh();
    reading.place = now.place;
    reading.head = now.head;
    return { size: now.size, reset };
  }

  async function take(onProgress?: (done: number, total: number) => void): Promise<Growth> {
    const seen = await lookAgain();
    if (seen === null) return { added: 0, changed: [], reset: false };
    const { index, offsets } = reading;
    const before = index.rows();
    const changed = new Set<number>();
    if (seen.size > reading.end) {
      for await (const block of lineBlocks(path, { line: index.lines() + 1, offset: reading.end })) {
        for (const { line, offset, end, raw } of textsOf(block)) {
          offsets.push(offset);
          const row = index.add({ line, record: readLine(raw) });
          if (row < before) changed.add(row);
          reading.end = end;
        }
        onProgress?.(reading.end, seen.size);
      }
    }
    return { added: index.rows() - before, changed: [...changed], reset: seen.reset };
  }

  async function linesAt(lines: readonly number[]): Promise<ReadLine[]> {
    const { index, offsets, end } = reading;
    const known = lines.filter((line) => line >= 1 && line <= index.lines());
    const sorted = [...new Set(known)].sort((a, b) => a - b);
    const texts =
      sorted.length === 0
        ? []
        : await readSpans(
            path,
            sorted.map((line) => offsets.spanOf(line, end)),
          );
    const byLine = new Map(sorted.map((line, at) => [line, texts[at] ?? ""]));
    return known.map((line) => {
      const raw = byLine.get(line) ?? "";
      return { line, raw, record: readLine(raw) };
    });
  }

  return {
    get index() {
      return reading.index;
    },
    bytes: () => reading.end,
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
      const { index, end } = reading;
      const found = new Uint8Array(index.rows());
      // The log holds JSON: what a person types is looked for as JSON spells it.
      const needle = JSON.stringify(text).slice(1, -1).toLowerCase();
      for await (const block of lineBlocks(path, { line: 1, offset: 0 })) {
        if (signal.aborted) return null;
        for (const line of linesWith(needle, block.first, block.bytes.toString("utf8").toLowerCase())) {
          const row = index.rowOf(line);
          if (row >= 0) found[row] = 1;
        }
        onProgress?.(block.offsets.at(-1) ?? 0, end);
      }
      return found;
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

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The newest rows of a big log before it has been read through. Their line numbers count back from the end: -1 is the last line. */
export async function newestRows(
  path: string,
  bytes: number,
): Promise<{ rows: AuditRow[]; lines: ReadLine[]; end: number }> {
  const { lines: texts, end } = await lastLines(path, bytes);
  const lines = texts.map((raw, at) => ({ line: at - texts.length, raw, record: readLine(raw) }));
  const index = rowIndex();
  for (const [at, { record }] of lines.entries()) index.add({ line: at + 1, record });
  const rows = Array.from({ length: index.rows() }, (_, row) =>
    toRow(index.linesOf(row).flatMap((line) => lines[line - 1] ?? [])),
  );
  return { rows, lines, end };
}
