/** Sums up which evidence a log was found to agree with, and the level that follows. Knows nothing of lines. */
import { isFurther } from "./checkpoint";
import type { CheckpointResult } from "./verifyCheckpoints";

export interface Evidence {
  /** A record from the one on that names the reader's key, and its time; the first `GRACE_RECORDS` tell enough. */
  underKey(ts: unknown): void;
  /** Records that were counted so. */
  readonly keyed: number;
  /** The log itself says, signed, that this checkpoint was made. */
  promise(data: unknown): void;
  count(segment: number, result: CheckpointResult): void;
  readonly valid: number;
  /** Notes under keys that are not trusted. */
  readonly untrusted: number;
  /** The log itself tells of a newer checkpoint than the newest that is there. */
  readonly isShort: boolean;
  readonly lastValid: { readonly segment: number; readonly size: number } | undefined;
  /** The log ends with its own checkpoints or after them, so nothing of its own says that something is missing. */
  readonly agreesWithItself: boolean;
  readonly outside: boolean;
  /** True when so many records under that key, or so much time, would have a checkpoint by now. */
  readonly isOverdue: boolean;
}

/** One is due as soon as the key is named, then every 1,000 records and every minute; a log that has none after that lost them. */
const GRACE_MS = 60_000;
export const GRACE_RECORDS = 1000;

interface Reach {
  readonly segment: number;
  readonly size: number;
}

export function collectEvidence(): Evidence {
  let firstTs = Number.NaN;
  let newestTs = Number.NaN;
  let keyed = 0;
  let valid = 0;
  let promised = 0;
  let furthest: Reach = { segment: 0, size: 0 };
  let untrusted = 0;
  let beside = 0;
  let outside = 0;
  let fits = true;
  let lastValid: Evidence["lastValid"];
  return {
    underKey(ts) {
      keyed += 1;
      newestTs = timeOf(ts);
      if (Number.isNaN(firstTs)) firstTs = newestTs;
    },
    get keyed() {
      return keyed;
    },
    promise(data) {
      promised += 1;
      const reach = reachOf(data);
      if (reach !== undefined && isFurther(reach, furthest)) furthest = reach;
    },
    count(segment, result) {
      valid += result.valid;
      untrusted += result.untrusted;
      beside += result.beside;
      outside += result.outside;
      fits &&= result.besideFits;
      if (result.beside > 0) lastValid = { segment, size: result.beside };
    },
    get valid() {
      return valid;
    },
    get untrusted() {
      return untrusted;
    },
    get isShort() {
      return isFurther(furthest, lastValid ?? { segment: 0, size: 0 });
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
    get isOverdue() {
      return promised > 0 || keyed > GRACE_RECORDS || newestTs - firstTs > GRACE_MS;
    },
  };
}

function reachOf(data: unknown): Reach | undefined {
  if (typeof data !== "object" || data === null || !("segment" in data && "size" in data)) return undefined;
  const { segment, size } = data;
  return typeof segment === "number" && typeof size === "number" ? { segment, size } : undefined;
}

function timeOf(ts: unknown): number {
  return typeof ts === "string" ? Date.parse(ts) : Number.NaN;
}

/** Each level holds what the ones below it hold; see `VerifyReport.level`. */
export function levelOf(found: {
  readonly isOurs: boolean;
  /** The reader named a key. */
  readonly wantsKey: boolean;
  /** All that is signed, under keys that may be relied on. */
  readonly isSigned: boolean;
  readonly headHolds: boolean;
  readonly outside: boolean;
}): number {
  const { isOurs, wantsKey, isSigned, headHolds, outside } = found;
  if (isSigned && headHolds) return outside ? 4 : 3;
  if (isSigned) return 2;
  return headHolds && !wantsKey ? 3 : isOurs ? 1 : 0;
}
