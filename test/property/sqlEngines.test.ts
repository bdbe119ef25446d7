import { afterAll, describe, expect, test } from "vitest";
import { fuzz } from "../../scripts/fuzzSql.mjs";
import { classifySql } from "../../src/core/sql/classify";
import { ENGINES } from "../engines/fuzzEngines.mjs";

const STRINGS = 5_000;
const SEED = 20_260;

describe("what the guard allows is run, and no row or table is lost", () => {
  // All engines at once: they wait for each other's machine, not for each other.
  const runs = new Map(
    ENGINES.map((engine) => [engine, fuzz({ engine, n: STRINGS, seed: SEED, classify: classifySql })]),
  );
  for (const run of runs.values()) run.catch(() => {});
  afterAll(() => Promise.allSettled(runs.values()));

  test.each(ENGINES)(`${STRINGS} strings on %s`, { timeout: 90_000 }, async (engine) => {
    const counts = await runs.get(engine);
    expect(counts?.changed).toEqual([]);
    expect(counts?.strings).toBe(STRINGS);
    // Texts that nothing allows, or that no engine runs or is changed by, would prove nothing.
    expect(counts?.allowed).toBeGreaterThan(STRINGS / 20);
    expect(counts?.ran).toBeGreaterThan(STRINGS / 60);
    expect(counts?.sampleChanged).toBeGreaterThan(5);
  });

  test("a guard that allows everything is found out", { timeout: 60_000 }, async () => {
    const { changed } = await fuzz({
      engine: "sqlite",
      n: 500,
      seed: SEED,
      classify: () => ({ verdict: "allow" }),
    });
    expect(changed.length).toBeGreaterThan(5);
  });
});
