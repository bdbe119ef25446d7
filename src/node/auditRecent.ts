/** What the log's end says of waiting records and ended calls, so that neither is written twice. Call only while holding the lock. */
import * as fs from "node:fs";
import { parseRecord } from "../core/audit/parse";
import type { AuditRecord } from "../core/audit/record";
import { TO_READ } from "./auditBytes";
import type { SideFile } from "./auditSide";

/** Read back at most this far: it happens while others wait for the lock. */
const MAX_BYTES = 4 * 1024 * 1024;
const CHUNK = 256 * 1024;
const LF = 0x0a;

export interface Recent {
  /** True for a waiting record that is in the log already, however long ago that was. */
  waited(side: Pick<SideFile, "name" | "ts">): boolean;
  /** Hashes of the files that they came from. */
  readonly hashes: ReadonlySet<string>;
  /** True when the call of this intent has a record of its own. */
  hasEnded(intent: SideFile): boolean;
  /** True when every record since then was looked at. */
  reaches(ts: string): boolean;
}

/** Records back to `since`; undefined = none. `closed` is the path of the file before, where there is one. */
export function recentRecords(
  fd: number,
  { since, closed }: { readonly since: string | undefined; readonly closed?: string },
): Recent {
  const waited = new Set<string>();
  const hashes = new Set<string>();
  const ended = new Map<string, { readonly pid: unknown; readonly ts: string }[]>();
  let first = "~";
  for (const record of since === undefined ? [] : backTo(fd, since)) {
    first = record.ts < first ? record.ts : first;
    let pid: unknown = record.writer.pid;
    for (const { by, details } of record.findings ?? []) {
      if (by !== "audit_log" || details === undefined) continue;
      if (typeof details.id === "string") waited.add(details.id);
      if (typeof details.hash === "string") hashes.add(details.hash);
      pid = details.pid ?? pid;
    }
    if (record.event !== "call" || record.call_id === undefined || record.decision === "asks_user") continue;
    ended.set(record.call_id, [...(ended.get(record.call_id) ?? []), { pid, ts: record.ts }]);
  }
  const reaches = (ts: string): boolean => first <= ts;
  const hasWaited = ({ name, ts }: Pick<SideFile, "name" | "ts">): boolean =>
    waited.has(name) ||
    (!reaches(ts) && (holdsText(fd, name) || (closed !== undefined && fileHolds(closed, name))));
  return {
    waited: hasWaited,
    hashes,
    hasEnded(intent) {
      const { fields, origin, ts } = intent;
      const records = ended.get(String(fields.call_id)) ?? [];
      // The same call id may be used again: the record has to come after the intent, from its writer.
      return waited.has(intent.name) || records.some((r) => r.pid === origin.pid && r.ts >= ts);
    },
    reaches,
  };
}

/** Rare: its writer was killed before it took the file away, and much was written since. */
function holdsText(fd: number, name: string): boolean {
  const chunk = Buffer.alloc(4 * CHUNK);
  const overlap = name.length - 1;
  for (let at = 0; ; at += chunk.length - overlap) {
    const count = fs.readSync(fd, chunk, 0, chunk.length, at);
    if (chunk.subarray(0, count).includes(name)) return true;
    if (count < chunk.length) return false;
  }
}

function fileHolds(file: string, name: string): boolean {
  let fd: number;
  try {
    fd = fs.openSync(file, TO_READ);
  } catch {
    return false;
  }
  try {
    return holdsText(fd, name);
  } finally {
    fs.closeSync(fd);
  }
}

/** Sound lines from the end backwards, whole chunks, until one is older. */
function backTo(fd: number, since: string): AuditRecord[] {
  const records: AuditRecord[] = [];
  const size = fs.fstatSync(fd).size;
  let rest: Buffer = Buffer.alloc(0);
  for (let start = size; start > 0 && size - start < MAX_BYTES; ) {
    const stop = start;
    start = Math.max(0, stop - CHUNK);
    const chunk = Buffer.alloc(stop - start);
    fs.readSync(fd, chunk, 0, chunk.length, start);
    const bytes = Buffer.concat([chunk, rest]);
    const cut = start === 0 ? 0 : bytes.indexOf(LF) + 1;
    // The first line of a chunk is whole only together with the chunk before it.
    if (start > 0 && cut === 0) {
      rest = bytes;
      continue;
    }
    rest = Buffer.from(bytes.subarray(0, cut));
    const found = bytes
      .toString("utf8", cut)
      .split("\n")
      .map(parseRecord)
      .filter((record) => record !== null);
    records.push(...found);
    if (found.some(({ ts }) => ts < since)) return records;
  }
  return records;
}
