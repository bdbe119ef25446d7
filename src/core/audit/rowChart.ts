/** Counts over time for a chart: rows in a few dozen buckets of a round length. Knows nothing of how they are drawn. */

/** Calls that passed, those that a person was asked about or that were changed, and those stopped or failed or damaged. */
export type Bar = readonly [passed: number, noted: number, stopped: number];

export interface RowChart {
  /** Start of the first bucket, ms since 1970. */
  readonly start: number;
  /** Length of a bucket, ms. */
  readonly step: number;
  readonly bars: readonly Bar[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  1000,
  5000,
  15_000,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  365 * DAY,
] as const;
const MOST_BARS = 60;

const PLACE: Readonly<Record<string, 0 | 1 | 2>> = {
  asks_user: 1,
  rewrite: 1,
  denied: 2,
  error: 2,
  damaged: 2,
};

interface Rows {
  /** Calls `take` with every row's time (NaN = none) and decision. */
  each(take: (time: number, decision: string) => void): void;
  /** Minutes east of Greenwich, so that days begin at the reader's midnight. */
  readonly offsetMinutes: number;
}

/** Null when no row has a time. A clock that once stood wrong by decades widens the buckets; no row is left out. */
export function rowChart({ each, offsetMinutes }: Rows): RowChart | null {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  each((time) => {
    if (time < first) first = time;
    if (time > last) last = time;
  });
  if (first > last) return null;
  const shift = offsetMinutes * MINUTE;
  const startOf = (step: number) => Math.floor((first + shift) / step) * step - shift;
  const fits = (step: number) => (last - startOf(step)) / step < MOST_BARS;
  const step = STEPS.find(fits) ?? Math.ceil((last - first) / (MOST_BARS - 1) / DAY) * DAY;
  const start = startOf(step);
  const bars = Array.from({ length: Math.floor((last - start) / step) + 1 }, (): [number, number, number] => [
    0, 0, 0,
  ]);
  each((time, decision) => {
    const bar = bars[Math.floor((time - start) / step)];
    const place = PLACE[decision] ?? 0;
    if (bar !== undefined) bar[place] += 1;
  });
  return { start, step, bars };
}
