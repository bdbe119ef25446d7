/** Seeded SQL texts against a real engine. */
export interface FuzzCounts {
  readonly engine: string;
  readonly strings: number;
  /** Allowed by the guard under the engine's dialect or with none named; all of these are run. */
  readonly allowed: number;
  /** Of the allowed ones: run to the end, and stopped by an error at some place. */
  readonly ran: number;
  readonly refused: number;
  /** Of the others: run to see whether such texts change a table at all. */
  readonly sampled: number;
  readonly sampleChanged: number;
  /** Allowed texts that lost a row or table. */
  readonly changed: readonly string[];
}
export function fuzz(options: {
  engine: string;
  n: number;
  seed: number;
  classify: (text: string, options?: { dialect?: string }) => { verdict: string };
}): Promise<FuzzCounts>;
