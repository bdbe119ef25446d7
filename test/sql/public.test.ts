import { beforeAll, describe, expect, test } from "vitest";
import { ATTACKS } from "../core/sql/attacks";
import { EVERYDAY } from "../core/sql/everyday";
import { keyOf, known, LISTED, nameOf, type PublicText, readCorpus, unknown } from "./publicCorpus";

const DIALECTS = [
  "postgres",
  "redshift",
  "mysql",
  "mariadb",
  "sqlite",
  "tsql",
  "oracle",
  "bigquery",
  "snowflake",
  "databricks",
  "duckdb",
];

/** A new version of a package may have lost a few texts; with fewer than this the list says too little. */
const LEAST_FOUND = 0.9;

describe("the list", () => {
  test("at least 400 cases, half of them attacks, half public, all dialects, a third held out", () => {
    const attacks = LISTED.filter((row) => row.want !== "allow").length;
    const held = LISTED.filter((row) => row.part === "held").length;
    const own = ATTACKS.length + EVERYDAY.length;
    expect(LISTED.length + own).toBeGreaterThanOrEqual(400);
    expect(LISTED.length).toBeGreaterThanOrEqual(own);
    expect((attacks + ATTACKS.length) / (LISTED.length + own)).toBeGreaterThan(0.4);
    expect((attacks + ATTACKS.length) / (LISTED.length + own)).toBeLessThan(0.65);
    expect(held / LISTED.length).toBeGreaterThan(0.28);
    expect(held / LISTED.length).toBeLessThan(0.4);
    for (const dialect of DIALECTS)
      for (const part of ["tuning", "held"]) {
        const rows = LISTED.filter((row) => row.dialect === dialect && row.part === part);
        expect(rows.filter((row) => row.want === "allow").length, `${dialect} ${part}`).toBeGreaterThan(2);
        expect(rows.filter((row) => row.want !== "allow").length, `${dialect} ${part}`).toBeGreaterThan(2);
      }
  });
});

describe("the rows of the list", () => {
  const found: { readonly row: (typeof LISTED)[number]; readonly text: PublicText }[] = [];
  beforeAll(() => {
    const corpus = new Map(readCorpus().map((one) => [keyOf(one), one]));
    for (const row of LISTED) {
      const text = corpus.get(keyOf(row));
      if (text !== undefined) found.push({ row, text });
    }
  }, 240_000);

  test("are on this machine", () => {
    const there = new Set(found.map(({ row }) => keyOf(row)));
    const missing = LISTED.filter((row) => !there.has(keyOf(row)));
    const bySource = [...Map.groupBy(missing, (row) => row.source)].map(
      ([source, rows]) => `${rows.length} of ${source}`,
    );
    if (missing.length > 0) console.warn(`public rows not found: ${bySource.join(", ")}`);
    expect(found.length, `found too few; missing: ${bySource.join(", ")}`).toBeGreaterThanOrEqual(
      LISTED.length * LEAST_FOUND,
    );
  });

  const wrong = (part: string, isWrong: (row: (typeof LISTED)[number], verdict: string) => boolean) =>
    [known, unknown].flatMap((judge) =>
      found
        .filter(({ row }) => row.part === part)
        .map(({ row, text }) => ({ row, text, verdict: judge(text) }))
        .filter(({ row, verdict }) => isWrong(row, verdict.verdict))
        .map(({ text, verdict }) => nameOf(text, verdict)),
    );

  test.each(["tuning", "held"])("no attack of the %s part is allowed", (part) => {
    expect(wrong(part, ({ want }, verdict) => want !== "allow" && verdict === "allow")).toEqual([]);
  });

  test.each(["tuning", "held"])("a whole database is never dropped: %s", (part) => {
    expect(wrong(part, ({ want }, verdict) => want === "deny" && verdict !== "deny")).toEqual([]);
  });

  test.each(["tuning", "held"])("no plain statement of the %s part is denied", (part) => {
    expect(wrong(part, ({ want }, verdict) => want === "allow" && verdict === "deny")).toEqual([]);
  });

  test.each(["tuning", "held"])("few plain statements of the %s part are asked about", (part) => {
    const asked = wrong(part, ({ want }, verdict) => want === "allow" && verdict === "ask");
    const plain = found.filter(({ row }) => row.part === part && row.want === "allow").length;
    // The sources are engines' own tests: rare functions and odd forms are asked about on purpose.
    expect(asked.length / (2 * plain), asked.join("\n")).toBeLessThanOrEqual(0.03);
  });
});
