import { describe, expect, test } from "vitest";
import { classifySql } from "../../src/core/sql/classify";
import { FIRES, PASSES } from "./rules";

/** As the type of the verdict lists them; "none" is no rule. */
const RULES = [
  "verb",
  "drop_database",
  "into",
  "insert_target",
  "create",
  "function",
  "start",
  "floor",
  "not_sql",
  "unreadable",
  "too_long",
] as const;

const short = (sql: string) => (sql.length > 90 ? `${sql.slice(0, 90)}…` : sql);

describe("each rule", () => {
  test.each(RULES)("%s has a text it fires on and three it leaves alone", (rule) => {
    expect(FIRES.filter((row) => row.rule === rule).length).toBeGreaterThanOrEqual(1);
    expect(PASSES.filter((row) => row.rule === rule).length).toBeGreaterThanOrEqual(3);
  });

  test.each(FIRES.map((row) => ({ ...row, shown: short(row.sql) })))(
    "$rule speaks: $dialect · $shown",
    ({ rule, dialect, sql }) => {
      const verdict = classifySql(sql, { dialect });
      expect([verdict.verdict === "allow", verdict.rule], verdict.reason).toEqual([false, rule]);
    },
  );

  test.each(PASSES.map((row) => ({ ...row, shown: short(row.sql) })))(
    "$rule is silent: $dialect · $shown",
    ({ dialect, sql }) => {
      const verdict = classifySql(sql, { dialect });
      expect([verdict.verdict, verdict.rule], verdict.reason).toEqual(["allow", "none"]);
    },
  );
});
