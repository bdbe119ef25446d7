/** Calls of a log that have not ended yet: which row they are. Remembers the newest and forgets the oldest. */

/** At least this many calls are remembered, and at most twice as many. */
const OPEN_CALLS = 50_000;

export interface OpenCall {
  readonly row: number;
  /** A decision other than a question was recorded. */
  readonly settled: boolean;
}

export type KeptCalls = readonly (readonly [key: string, row: number, settled: 0 | 1])[];

/** Forgets a generation at a time: finding the oldest key of one big map takes ever longer. */
export function openCalls(kept: KeptCalls = []) {
  let young = new Map<string, OpenCall>(
    kept.map(([key, row, settled]) => [key, { row, settled: settled === 1 }]),
  );
  let old = new Map<string, OpenCall>();
  return {
    find: (key: string): OpenCall | undefined => young.get(key) ?? old.get(key),
    remember(key: string, call: OpenCall): void {
      if (young.size >= OPEN_CALLS) {
        old = young;
        young = new Map();
      }
      young.set(key, call);
    },
    forget(key: string): void {
      young.delete(key);
      old.delete(key);
    },
    all(): KeptCalls {
      return [...new Map([...old, ...young])].map(([key, { row, settled }]) => [key, row, settled ? 1 : 0]);
    },
  };
}
