/** The latest records of a log, read again only when the log has grown. Knows nothing of what they are used for. */
import { stat } from "node:fs/promises";
import type { AuditRecord } from "../core/audit/record";
import { tailRecords } from "./auditFile";

export interface RecentRecords {
  /** The latest 5000 in their order; none where the log cannot be read. */
  of(path: string): Promise<readonly AuditRecord[]>;
}

export const MOST_RECENT = 5000;

export function recentRecords(): RecentRecords {
  const read = new Map<string, { readonly key: string; readonly records: Promise<readonly AuditRecord[]> }>();
  return {
    async of(path) {
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) return [];
      const key = `${found.ino} ${found.size} ${found.mtimeMs}`;
      const known = read.get(path);
      if (known?.key === key) return known.records;
      const records = readTail(path);
      read.set(path, { key, records });
      return records;
    },
  };
}

async function readTail(path: string): Promise<readonly AuditRecord[]> {
  const lines = await tailRecords(path, MOST_RECENT).catch(() => []);
  return lines.flatMap(({ record }) => (record === null ? [] : [record]));
}
