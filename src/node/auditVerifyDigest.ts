/** Closed files by their SHA-256 alone: where the active file's signed beginning names the file before, and that one the one before it. Knows nothing of what lies between their ends. */
import type * as fs from "node:fs/promises";
import type { Json } from "../core/audit/canonical";
import { parseObject } from "../core/audit/parse";
import { trackKeys } from "../core/audit/verifyKeys";
import type { Resume } from "../core/audit/verifyLog";
import type { SegmentSeen } from "../core/audit/verifyReport";
import { parseSegmentLink, type SegmentLink, type SegmentRead } from "../core/audit/verifySegments";
import { verifyPorts } from "./auditBytes";
import type { LogFiles, SegmentFile } from "./auditVerifyFiles";
import { fileDigest, openToRead } from "./auditVerifyRead";

type Fields = Readonly<Record<string, Json>>;

/** What is read of each end of a closed file: keys are named there. */
const END_BYTES = 64 * 1024;

/** Where the active file's lines begin, its predecessors compared; undefined where one does not agree. */
export async function digestStart(
  files: LogFiles,
  options: { readonly vkey?: string; readonly signal?: AbortSignal },
): Promise<Resume | undefined> {
  const { active, closed } = files;
  if (active === undefined || closed.length === 0) return undefined;
  const keys = trackKeys(verifyPorts);
  const seen: SegmentSeen[] = [];
  let before: SegmentRead | undefined;
  let logId: string | undefined;
  for (const [index, file] of closed.entries()) {
    const records = await endRecords(file);
    const next = closed[index + 1] ?? active;
    const link = linkOf((await endRecords(next))[0]);
    if (link?.segment !== next.segment || !chains(records[0], before, file.segment)) return undefined;
    const { sha256, size } = await fileDigest(
      file.path,
      options.signal === undefined ? {} : { signal: options.signal },
    );
    if (sha256 !== link.sha256) return undefined;
    for (const record of records) if (!keys.accepts(record, file.segment)) return undefined;
    logId ??= textOf(records[0]?.log_id);
    before = { ...link, segment: file.segment, file: file.name, lines: link.count, size, damaged: false };
    seen.push({ file: file.name, count: link.count, unread: link.count });
  }
  return {
    segment: active.segment,
    logId,
    chain: { lines: 0, seq: 0, hash: null },
    offset: 0,
    keys: keys.texts(),
    seen,
    ...(before === undefined ? {} : { before }),
  };
}

/** Verifier key texts that files name one after the other, as far as each is signed by the one before. */
export async function keysOf(files: readonly SegmentFile[]): Promise<readonly string[]> {
  const keys = trackKeys(verifyPorts);
  for (const file of files) for (const record of await endRecords(file)) keys.accepts(record, file.segment);
  return keys.texts();
}

/** The log that a file's first record names. */
export async function logIdOf(file: SegmentFile): Promise<string | undefined> {
  return textOf((await endRecords(file))[0]?.log_id);
}

function chains(first: Fields | undefined, before: SegmentRead | undefined, segment: number): boolean {
  const link = linkOf(first);
  if (before === undefined) return link === undefined && segment === 1;
  return link !== undefined && link.sha256 === before.sha256 && link.segment === segment;
}

function linkOf(record: Fields | undefined): SegmentLink | undefined {
  return record?.event === "log.segment" ? parseSegmentLink(record.data) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The first record, and those near both ends that name keys. */
async function endRecords(file: SegmentFile): Promise<Fields[]> {
  const handle = await openToRead(file.path);
  try {
    const { size } = await handle.stat();
    const head = await slice(handle, 0, Math.min(END_BYTES, size));
    const tail = await slice(handle, Math.max(head.length, size - END_BYTES), size);
    const lines = [...head.toString("utf8").split("\n"), ...tail.toString("utf8").split("\n")];
    const records = lines.map((line) => parseObject(line)).filter((record) => record !== undefined);
    // The parse boundary: lines of a log are JSON.
    return (records as Fields[]).filter(
      (record, i) => i === 0 || record.event === "log.open" || record.event === "log.key",
    );
  } finally {
    await handle.close();
  }
}

async function slice(handle: fs.FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, end - start));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  return buffer.subarray(0, bytesRead);
}
