/** Sums up which evidence a log was found to agree with, and the level that follows. Knows nothing of lines. */
import type { CheckpointResult } from "./verifyCheckpoints";

export interface Evidence {
  /** The first record's time, and any later one's. */
  first(ts: unknown): void;
  newest(ts: unknown): void;
  /** The log itself says that a checkpoint was made. */
  promise(): void;
  count(segment: number, result: CheckpointResult): void;
  readonly valid: number;
  readonly lastValid: { readonly segment: number; readonly size: number } | undefined;
  /** The log ends with its own checkpoints or after them, so nothing of its own says that something is missing. */
  readonly agreesWithItself: boolean;
  readonly outside: boolean;
  /** True when a log of so many records would have a checkpoint by now. */
  isOverdue(count: number): boolean;
}

/** Checkpoints come every 1,000 records and every minute; twice that is no accident. */
const GRACE_MS = 120_000;
export const GRACE_RECORDS = 2000;

export function collectEvidence(): Evidence {
  let firstTs = Number.NaN;
  let newestTs = Number.NaN;
  let valid = 0;
  let promised = 0;
  let beside = 0;
  let outside = 0;
  let fits = true;
  let lastValid: Evidence["lastValid"];
  return {
    first(ts) {
      if (Number.isNaN(firstTs)) firstTs = timeOf(ts);
    },
    newest(ts) {
      newestTs = timeOf(ts);
    },
    promise() {
      promised += 1;
    },
    count(segment, result) {
      valid += result.valid;
      beside += result.beside;
      outside += result.outside;
      fits &&= result.besideFits;
      if (result.beside > 0) lastValid = { segment, size: result.beside };
    },
    get valid() {
      return valid;
    },
    get lastValid() {
      return lastValid;
    },
    get agreesWithItself() {
      return beside > 0 && fits;
    },
    get outside() {
      return outside > 0;
    },
    isOverdue: (count) => promised > 0 || count > GRACE_RECORDS || newestTs - firstTs > GRACE_MS,
  };
}

function timeOf(ts: unknown): number {
  return typeof ts === "string" ? Date.parse(ts) : Number.NaN;
}

/** Each level holds what the ones below it hold; see `VerifyReport.level`. */
export function levelOf(found: {
  readonly isOurs: boolean;
  /** The reader named a key. */
  readonly wantsKey: boolean;
  readonly isSigned: boolean;
  readonly headHolds: boolean;
  readonly outside: boolean;
}): number {
  const { isOurs, wantsKey, isSigned, headHolds, outside } = found;
  if (isSigned && headHolds) return outside ? 4 : 3;
  if (isSigned) return 2;
  return headHolds && !wantsKey ? 3 : isOurs ? 1 : 0;
}
