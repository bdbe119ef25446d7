/** Today's decisions over all logs of this window: read once from each log's end, then counted as records are written. */
import { type DecisionCounts, dayCounter } from "../core/audit/query";
import type { AuditRecord } from "../core/audit/record";
import { tailRecords } from "../node/auditFile";

const TAIL = 5000;

export interface TodayCounts {
  add(record: AuditRecord): void;
  /** Reads what a log holds already; a log that cannot be read counts as empty. */
  readTail(path: string): Promise<void>;
  counts(): DecisionCounts;
}

export function todayCounts(): TodayCounts {
  const counter = dayCounter(dayOf);
  const read = new Set<string>();
  return {
    add: (record) => counter.add(record),
    async readTail(path) {
      if (read.has(path)) return;
      read.add(path);
      const lines = await tailRecords(path, TAIL).catch(() => []);
      for (const { record } of lines) if (record !== null) counter.add(record);
    },
    counts: () => counter.counts(dayOf(new Date().toISOString())),
  };
}

/** The day in the person's own time zone, as YYYY-MM-DD. */
export function dayOf(ts: string): string {
  const date = new Date(ts);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
