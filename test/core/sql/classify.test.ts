import { describe, expect, test } from "vitest";
import { classifySql } from "../../../src/core/sql/classify";
import { ATTACKS } from "./attacks";
import { EVERYDAY } from "./everyday";

const judge = (sql: string, dialect: string | undefined) =>
  classifySql(sql, dialect === undefined ? {} : { dialect });

describe("attacks are never allowed", () => {
  test.each(ATTACKS)("$idea · $dialect · $sql", ({ dialect, sql, want }) => {
    const verdict = judge(sql, dialect);
    expect(verdict.verdict, verdict.reason).not.toBe("allow");
    if (want === "deny")
      expect([verdict.verdict, verdict.unparseable], verdict.reason).toEqual(["deny", false]);
  });

  test.each(ATTACKS.filter((row) => !row.harmlessElsewhere))(
    "nor with no dialect named: $dialect · $sql",
    ({ sql }) => {
      expect(judge(sql, undefined).verdict).not.toBe("allow");
    },
  );
});

/** Under an unknown dialect these are read by some engine as something else. */
const ASKED_WHEN_UNKNOWN = new Set<string>([
  "SELECT t.delete FROM t",
  "SELECT $$it's$$, $q$ DELETE FROM t $q$",
  "SELECT dbo.fn_total(a) FROM t",
  "CREATE INDEX titles ON books (title(20), id)",
  // Elsewhere COPY writes a file, and a name before a bracket is a call.
  ...EVERYDAY.flatMap(({ sql }) => (/^COPY/i.test(sql) ? [sql] : [])),
  'SELECT * FROM a JOIN b x(c, d) ON x.c = a.c LEFT JOIN s.e "Y"(f) USING (f)',
  "SELECT x.n FROM public.numbers x(n) WHERE x.n > 1",
]);

describe("everyday statements pass", () => {
  test.each(EVERYDAY)("$dialect · $sql", ({ dialect, sql }) => {
    const verdict = judge(sql, dialect);
    expect(verdict.verdict, `${verdict.rule}: ${verdict.reason}`).toBe("allow");
  });

  test.each(EVERYDAY)("with no dialect named: $sql", ({ sql }) => {
    const verdict = judge(sql, undefined);
    expect(verdict.verdict, `${verdict.dialect} ${verdict.rule}: ${verdict.reason}`).toBe(
      ASKED_WHEN_UNKNOWN.has(sql) ? "ask" : "allow",
    );
  });
});
