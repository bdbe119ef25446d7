/** Which records the log makes about itself in its daily round: checkpoints and heartbeats. Knows nothing of lists. */
import { isPlainObject } from "../call";
import type { AuditRecord, RecordEvent } from "./record";

const EVENTS: readonly RecordEvent[] = ["log.checkpoint", "log.heartbeat"];

export function isUpkeepEvent(event: string): boolean {
  return EVENTS.some((one) => one === event);
}

/** What every record has, and all that such a one has. Whoever writes into the log cannot make a call pass for upkeep. */
const OF_THE_LOG: ReadonlySet<string> = new Set(
  "v seq ts log_id writer event data error sig prev_hash record_hash".split(" "),
);

/** The data of such a record, and what it looks like. */
const DATA: Readonly<Record<string, (value: unknown) => boolean>> = {
  segment: Number.isSafeInteger,
  size: Number.isSafeInteger,
  root: (value) => typeof value === "string" && /^[A-Za-z0-9+/=_-]{0,88}$/u.test(value),
  asked: (value) => value === "countersign audit checkpoint",
};

/** False where such a record holds anything beyond its event's own data: an error, a finding, a key of a call or one not known here. */
export function isUpkeep(record: AuditRecord): boolean {
  if (!isUpkeepEvent(record.event) || (record.error ?? null) !== null) return false;
  const { data = {} } = record;
  return (
    Object.keys(record).every((key) => OF_THE_LOG.has(key)) &&
    isPlainObject(data) &&
    Object.entries(data).every(([key, value]) => Object.hasOwn(DATA, key) && DATA[key]?.(value) === true)
  );
}
