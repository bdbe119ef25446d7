/** Reads the records of a CSV file, one at a time, and names the line of whatever is wrong with it. Knows no database. */
import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { CountersignError, messageOf } from "../core/errors";
import type { Field } from "./csvTypes";

export interface CsvRecord {
  readonly fields: readonly Field[];
  /** Where the record ends; counts from 1. */
  readonly line: number;
}

export interface CsvSource {
  readonly handle: FileHandle;
  /** For messages. */
  readonly path: string;
  readonly onBytes?: (bytes: number) => void;
}

const MAX_RECORD_BYTES = 16 * 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;

export function badRow(path: string, line: number, message: string): CountersignError {
  return new CountersignError("csv.row", `${path}:${line}: ${message} Nothing was imported.`, {
    hint: `Correct line ${line} of the file and import it again.`,
  });
}

/** Header first. Throws `csv.row`. */
export async function* readRecords(source: CsvSource): AsyncGenerator<CsvRecord> {
  const sample = await readSample(source.handle);
  const parser = parse({
    bom: true,
    delimiter: sniffDelimiter(sample),
    record_delimiter: /[\n]/.test(sample) ? ["\r\n", "\n"] : ["\r"],
    info: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    // Only an empty field without quotes is NULL.
    cast: (value, context) => (value === "" && !context.quoting ? null : value),
  });
  pipeline(Readable.from(decode(source)), parser, () => undefined);
  let last = 0;
  try {
    for await (const item of parser) {
      const { record, info } = item as { record: Field[]; info: { lines: number } };
      last = info.lines;
      yield { fields: record, line: info.lines };
    }
  } catch (error) {
    throw explain(error, { path: source.path, after: last });
  }
}

async function readSample(handle: FileHandle): Promise<string> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
  return buffer.subarray(0, bytesRead).toString("utf8");
}

/** The separator that is most frequent in the first line, outside of quotes. */
export function sniffDelimiter(sample: string): string {
  const first = (sample.replace(/"(?:[^"]|"")*"?/g, "").match(/[^\r\n]+/) ?? [""])[0];
  const counted = [",", ";", "\t", "|"].map((mark) => ({ mark, count: first.split(mark).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).mark;
}

/** Text in whole lines: a line feed is never part of a longer UTF-8 character. */
async function* decode({ handle, path, onBytes }: CsvSource): AsyncGenerator<string> {
  let carry = Buffer.alloc(0);
  let line = 1;
  const stream = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: SAMPLE_BYTES * 4 });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    onBytes?.(chunk.byteLength);
    const joined = Buffer.concat([carry, chunk]);
    const end = joined.lastIndexOf(0x0a) + 1;
    if (end === 0 && joined.byteLength > MAX_RECORD_BYTES)
      throw badRow(path, line, `The line is longer than ${MAX_RECORD_BYTES} bytes.`);
    yield checked(joined.subarray(0, end), { path, line });
    line += countLines(joined.subarray(0, end));
    carry = joined.subarray(end);
  }
  yield checked(carry, { path, line });
}

function checked(block: Buffer, at: { readonly path: string; readonly line: number }): string {
  if (isUtf8(block) && !block.includes(0)) return block.toString("utf8");
  let line = at.line;
  let start = 0;
  while (start < block.byteLength) {
    const end = block.indexOf(0x0a, start) + 1 || block.byteLength;
    const piece = block.subarray(start, end);
    if (!isUtf8(piece)) throw badRow(at.path, line, "The text is not valid UTF-8; save the file as UTF-8.");
    if (piece.includes(0))
      throw badRow(at.path, line, "The line holds a NUL character; this is not a CSV text file.");
    start = end;
    line += 1;
  }
  return block.toString("utf8");
}

function countLines(block: Buffer): number {
  let lines = 0;
  for (let at = block.indexOf(0x0a); at >= 0; at = block.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

function explain(
  error: unknown,
  { path, after }: { readonly path: string; readonly after: number },
): unknown {
  if (error instanceof CountersignError) return error;
  if (!(error instanceof CsvError)) return error;
  const detail = error as CsvError & { readonly lines?: number; readonly record?: readonly unknown[] };
  const line = Number(/(?:at|on) line (\d+)/.exec(error.message)?.[1] ?? detail.lines ?? 1);
  switch (error.code) {
    case "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH": {
      const [, expected, got] = /expect (\d+), got (\d+)/.exec(error.message) ?? [];
      return badRow(path, line, `The header has ${expected} columns, this row has ${got} fields.`);
    }
    case "CSV_QUOTE_NOT_CLOSED":
      // The parser names the end of the file; what is wrong begins after the last whole record.
      return badRow(path, after + 1, "A quote opens here and is never closed.");
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
    case "CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE":
      return badRow(
        path,
        line,
        'A quote stands in the middle of a field; write "" for a quote inside quotes.',
      );
    default:
      return badRow(path, line, messageOf(error));
  }
}
