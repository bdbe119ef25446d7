/** When a record must be on the disk before anybody acts on it, and which record ends a call. Knows nothing of files. */
import type { RecordBody, RecordEvent } from "../core/audit/record";
import { waitedNames } from "../core/audit/waited";

/** Nobody acts on these before they are on the disk, whatever the log's durability. */
const SYNCED: ReadonlySet<RecordEvent> = new Set<RecordEvent>([
  "human_choice",
  "grant",
  "trust",
  "config_accepted",
  "switch",
  "log.open",
  "log.key",
  "log.checkpoint",
]);

export function isApproved(body: Pick<RecordBody, "approver">): boolean {
  return body.approver !== undefined;
}

/** True for a denial, a person's act, what runs on one, and what waited on the disk already. */
export function mustBeOnDisk(record: RecordBody): boolean {
  const isDenial = record.decision === "denied";
  return isDenial || SYNCED.has(record.event) || isApproved(record) || waitedNames(record).length > 0;
}

/** The call whose intent goes with this record. A question, a choice or a late answer names a call that may still run. */
export function endedCall(body: RecordBody): string | undefined {
  return body.event === "call" && body.decision !== "asks_user" ? body.call_id : undefined;
}
