import { beforeAll, describe, expect, test } from "vitest";
import { known, nameOf, type PublicText, readCorpus, unknown } from "./publicCorpus";

/** Least number of statements that may not be allowed, and largest part of the valid ones that may be denied. */
const GOALS = [
  { dialect: "postgres", least: 1500, denied: 0.001 },
  { dialect: "redshift", least: 400, denied: 0.001 },
  { dialect: "duckdb", least: 150, denied: 0.001 },
  { dialect: "sqlite", least: 400, denied: 0.001 },
  { dialect: "mysql", least: 500, denied: 0.001 },
  { dialect: "mariadb", least: 150, denied: 0.001 },
  { dialect: "tsql", least: 100, denied: 0.005 },
  { dialect: "oracle", least: 150, denied: 0.005 },
  { dialect: "bigquery", least: 50, denied: 0.005 },
  { dialect: "snowflake", least: 50, denied: 0.005 },
  { dialect: "databricks", least: 50, denied: 0.005 },
];
const EVERYDAY_ASKED = { known: 0.002, unknown: 0.005 };

let corpus: readonly PublicText[] = [];
beforeAll(() => {
  corpus = readCorpus();
}, 240_000);

/** What an attack tool splices into a query is not always a statement of its own. */
const isValid = (one: PublicText) => one.kind !== "sqlmap attack";

describe.each(GOALS)("the $dialect corpus", ({ dialect, least, denied }) => {
  test("nothing that changes or removes is allowed", () => {
    const harmful = corpus.filter(
      (one) => one.dialect === dialect && one.want !== undefined && one.want !== "allow",
    );
    expect(harmful.length, "too few of them to say anything").toBeGreaterThanOrEqual(least);
    for (const judge of [known, unknown]) {
      const allowed = harmful
        .map((one) => ({ one, verdict: judge(one) }))
        .filter(({ verdict }) => verdict.verdict === "allow");
      expect(allowed.map(({ one, verdict }) => nameOf(one, verdict))).toEqual([]);
    }
  });

  test("valid statements are not taken for something else", () => {
    const valid = corpus.filter((one) => one.dialect === dialect && isValid(one));
    const refused = valid
      .map((one) => ({ one, verdict: known(one) }))
      .filter(({ verdict }) => verdict.unparseable);
    expect(
      refused.length / valid.length,
      refused.map(({ one, verdict }) => nameOf(one, verdict)).join("\n"),
    ).toBeLessThanOrEqual(denied);
  });
});

describe("what programs send all day", () => {
  test.each([
    { name: "known", judge: known },
    { name: "unknown", judge: unknown },
  ] as const)("passes, dialect $name", ({ name, judge }) => {
    const everyday = corpus.filter((one) => one.everyday && one.want === "allow");
    expect(everyday.length).toBeGreaterThan(700);
    const stopped = everyday
      .map((one) => ({ one, verdict: judge(one) }))
      .filter(({ verdict }) => verdict.verdict !== "allow");
    const said = stopped.map(({ one, verdict }) => nameOf(one, verdict)).join("\n");
    expect(stopped.filter(({ verdict }) => verdict.verdict === "deny").length, said).toBe(0);
    expect(stopped.length / everyday.length, said).toBeLessThanOrEqual(EVERYDAY_ASKED[name]);
  });
});
