/** Times of records. A record says what the clock said; where the clock went back, the record says that too, and the order is that of the numbers. */
import type { JsonObject } from "../core/audit/canonical";
import { type PrepareOptions, withFinding } from "../core/audit/prepare";
import type { AuditRecord } from "../core/audit/record";

/** Smaller steps are how clocks are set right all the time, and how two programs differ that write in turns. */
const NOTICED_MS = 1000;

export interface RecordTimes {
  /** Told of every record that was written. */
  saw(record: AuditRecord): void;
  /** The fields of the next record, with a finding when `now` lies before the newest record that was seen. */
  marked(fields: JsonObject, now: number): JsonObject;
}

export function recordTimes(prepare: PrepareOptions): RecordTimes {
  let newest = Number.NEGATIVE_INFINITY;
  return {
    saw({ ts }) {
      const at = Date.parse(ts);
      if (Number.isFinite(at)) newest = at;
    },
    marked(fields, now) {
      const backMs = Math.round(newest - now);
      if (backMs <= NOTICED_MS || !Number.isSafeInteger(backMs)) return fields;
      const details = { back_ms: backMs, newest: new Date(newest).toISOString() };
      const message = "the clock went back since the record before; the order is that of the numbers";
      return withFinding(fields, { code: "clock_went_back", message, details }, prepare);
    },
  };
}
