/** Reads records of log files of any size with flat memory. Writes nothing, locks nothing, needs no node:sqlite. */
import type * as fs from "node:fs/promises";
import { parseRecord } from "../core/audit/parse";
import type { AuditRecord } from "../core/audit/record";
import { openToRead } from "./auditVerifyRead";

export interface ReadLine {
  /** Counts from 1 at `from`. */
  readonly line: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Without LF. */
  readonly raw: Uint8Array;
  /** Null when the line is no record of version 1. */
  readonly record: AuditRecord | null;
}

const CHUNK = 1024 * 1024;
const LF = 0x0a;

/** Streams the lines of a log, damaged ones too. `from` is the byte offset of a line's start. Throws `audit.unreadable`. */
export async function* readRecords(
  file: string,
  options: { readonly from?: number } = {},
): AsyncGenerator<ReadLine> {
  const handle = await openToRead(file);
  try {
    let offset = options.from ?? 0;
    let rest: Buffer = Buffer.alloc(0);
    let line = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const { bytesRead } = await handle.read(chunk, 0, CHUNK, offset + rest.length);
      const bytes =
        rest.length === 0
          ? chunk.subarray(0, bytesRead)
          : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
        line += 1;
        const raw = bytes.subarray(start, end);
        yield { line, offset: offset + start, raw, record: parseRecord(raw.toString("utf8")) };
        start = end + 1;
      }
      rest = bytes.subarray(start);
      offset += start;
      if (bytesRead > 0) continue;
      if (rest.length > 0) yield { line: line + 1, offset, raw: rest, record: null };
      return;
    }
  } finally {
    await handle.close();
  }
}

/** The last `count` whole lines, oldest first, without reading the rest. Line numbers count from the first one given. */
export async function tailRecords(file: string, count: number): Promise<ReadLine[]> {
  const handle = await openToRead(file);
  let from: number;
  try {
    from = await startOfLast(handle, count);
  } finally {
    await handle.close();
  }
  const lines: ReadLine[] = [];
  for await (const line of readRecords(file, { from })) lines.push(line);
  return lines.slice(-count);
}

async function startOfLast(handle: fs.FileHandle, count: number): Promise<number> {
  const { size } = await handle.stat();
  const chunk = Buffer.allocUnsafe(CHUNK);
  let wanted = count + 1;
  for (let stop = size; stop > 0; ) {
    const start = Math.max(0, stop - CHUNK);
    const { bytesRead } = await handle.read(chunk, 0, stop - start, start);
    for (let at = chunk.lastIndexOf(LF, bytesRead - 1); at !== -1 && at < bytesRead; ) {
      wanted -= 1;
      if (wanted === 0) return start + at + 1;
      if (at === 0) break;
      at = chunk.lastIndexOf(LF, at - 1);
    }
    stop = start;
  }
  return 0;
}
