/** Reads and verifies log files of any size with flat memory. Writes nothing, locks nothing, needs no node:sqlite. */
import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { parseRecord } from "../core/audit/parse";
import type { AuditRecord } from "../core/audit/record";
import { createVerifier } from "../core/audit/verify";
import type { Head, VerifyReport } from "../core/audit/verifyReport";
import { CountersignError, messageOf } from "../core/errors";
import { TO_READ, verifyPorts } from "./auditBytes";
import { auditPlace } from "./auditPlace";

export type { VerifyReport };

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
/** No record is longer; the rest of such a line is passed over. */
const MAX_LINE = 8 * 1024 * 1024;

interface Chunk {
  /** Valid until the next chunk is asked for. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly terminated: boolean;
}

/** Calls `each` for every line. The bytes are only lent. */
async function eachLine(file: string, from: number, each: (line: Chunk) => void): Promise<number> {
  const handle = await openToRead(file);
  try {
    let buffer = Buffer.allocUnsafe(CHUNK);
    let kept = 0;
    let offset = from;
    for (;;) {
      if (kept === buffer.length) buffer = grown(buffer, file);
      const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept, offset + kept);
      const filled = kept + bytesRead;
      if (bytesRead === 0) {
        if (kept > 0) each({ bytes: buffer, start: 0, end: kept, offset, terminated: false });
        return offset + kept;
      }
      let start = 0;
      const bytes = buffer.subarray(0, filled);
      // What was kept holds no LF.
      for (let end = bytes.indexOf(LF, kept); end !== -1; end = bytes.indexOf(LF, start)) {
        each({ bytes, start, end, offset: offset + start, terminated: true });
        start = end + 1;
      }
      kept = filled - start;
      buffer.copy(buffer, 0, start, filled);
      offset += start;
    }
  } finally {
    await handle.close();
  }
}

function grown(buffer: Buffer<ArrayBuffer>, file: string): Buffer<ArrayBuffer> {
  if (buffer.length >= MAX_LINE) {
    throw new CountersignError(
      "audit.unreadable",
      `The file ${file} has a line of more than ${MAX_LINE} bytes.`,
      {
        hint: "This is not an audit log.",
      },
    );
  }
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}

async function openToRead(file: string): Promise<fs.FileHandle> {
  try {
    const handle = await fs.open(file, TO_READ);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    throw unreadable(file, messageOf(error));
  }
  throw unreadable(file, "it is not a file");
}

function unreadable(file: string, why: string): CountersignError {
  return new CountersignError("audit.unreadable", `The audit log ${file} cannot be read: ${why}.`, {
    hint: "Give the path of an audit.jsonl that you may read.",
  });
}

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

/** Verifies a whole file. `head` is what is known of it elsewhere. Throws `audit.unreadable`. */
export async function verifyFile(
  file: string,
  options: { readonly head?: Head } = {},
): Promise<VerifyReport> {
  const verifier = createVerifier(verifyPorts, options);
  const size = await eachLine(file, 0, (line) => verifier.step(line));
  const report = verifier.finish(size);
  const lost = await lostSpooled(file, options.head?.spooled ?? []);
  return lost.length === 0 ? report : withLost(report, lost, size);
}

/** Ids of records that were accepted beside the locked log, and are neither there nor in the log. */
async function lostSpooled(file: string, ids: readonly string[]): Promise<string[]> {
  const { spool } = auditPlace(file);
  const missing = new Set(ids.filter((id) => !existsSync(path.join(spool, `${id}.json`))));
  if (missing.size === 0) return [];
  for await (const { record } of readRecords(file)) {
    for (const finding of record?.findings ?? []) missing.delete(String(finding.details?.id));
  }
  return [...missing];
}

function withLost(report: VerifyReport, lost: readonly string[], size: number): VerifyReport {
  const line = report.count + 1;
  return {
    ...report,
    ok: false,
    level: 0,
    firstBad: report.firstBad ?? line,
    damage: [...report.damage, ...lost.map(() => ({ line, offset: size, kind: "spool_lost" as const }))],
    warnings: [...report.warnings, ...lost.map((id) => `the record that waited as ${id} is gone`)],
  };
}

/** `firstBad` is the 1-based line of the first damage, null when ok; `count` the lines read. Throws `audit.unreadable`. */
export async function verifyAuditLog(file: string): Promise<Pick<VerifyReport, "ok" | "firstBad" | "count">> {
  const { ok, firstBad, count } = await verifyFile(file);
  return { ok, firstBad, count };
}
