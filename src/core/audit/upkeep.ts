/** Which records the log makes about itself in its daily round: checkpoints and heartbeats. Knows nothing of lists. */
import type { AuditRecord, RecordEvent } from "./record";

const EVENTS: readonly RecordEvent[] = ["log.checkpoint", "log.heartbeat"];

export function isUpkeepEvent(event: string): boolean {
  return EVENTS.some((one) => one === event);
}

/** What a checkpoint or a heartbeat never has. Whoever writes into the log cannot make a call pass for upkeep. */
const OF_A_CALL = ["call_id", "session_id", "agent", "tool", "args", "decision", "by", "reason"] as const;

/** False where such a record says anything beyond its event's own data: an error, a finding, something of a call. */
export function isUpkeep(record: AuditRecord): boolean {
  if (!isUpkeepEvent(record.event)) return false;
  const isPlain = OF_A_CALL.every((key) => record[key] === undefined);
  return isPlain && (record.error ?? null) === null && (record.findings ?? []).length === 0;
}
