import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitRows } from "../../../src/core/sql/limit";
import { limitedOf, sourceOf, textRows } from "./limitRows";

const added = [
  " LIMIT 7",
  " TOP (7)",
  " TOP (7) ",
  " FETCH FIRST 7 ROWS ONLY",
  " OFFSET 0 ROWS FETCH NEXT 7 ROWS ONLY",
];

/** The text without one of the places where `part` stands, for each of them. */
const withoutOne = (text: string, part: string): readonly string[] =>
  text
    .split(part)
    .slice(1)
    .map((_piece, i) => {
      const pieces = text.split(part);
      return pieces.slice(0, i + 1).join(part) + pieces.slice(i + 1).join(part);
    });

describe("a limit is put in where it belongs, and nowhere else", () => {
  test.each(textRows)("%s: %j", (dialect, marked) => {
    expect(limitRows(sourceOf(marked), { dialect, max: 3 })).toBe(limitedOf(marked));
  });

  test.each(textRows.filter(([, marked]) => limitedOf(marked) !== null))(
    "never twice: %s: %j",
    (dialect, marked) => {
      expect(limitRows(limitedOf(marked) ?? "", { dialect, max: 3 })).toBeNull();
    },
  );

  test("only insertion: what was there stays, letter by letter", () => {
    const pieces = [
      "SELECT * FROM t",
      " UNION ",
      "(SELECT 1)",
      " FOR UPDATE",
      "'",
      '"',
      "--",
      "\n",
      "/*",
      "*/",
      ";",
      "$$",
      "\\",
      "LIMIT 1",
      "`",
      "[",
      "]",
      " x",
      "#",
      "TOP",
      "VALUES (1)",
    ];
    const text = fc
      .array(fc.constantFrom(...pieces), { maxLength: 12 })
      .map((parts) => `SELECT 1 ${parts.join(" ")}`);
    const dialects = fc.constantFrom(
      "sqlite",
      "postgres",
      "mysql",
      "duckdb",
      "tsql",
      "oracle",
      "bigquery",
      "snowflake",
      "databricks",
    );
    fc.assert(
      fc.property(text, dialects, (sql, dialect) => {
        const limited = limitRows(sql, { dialect, max: 7 });
        if (limited === null) return;
        expect(added.some((part) => withoutOne(limited, part).includes(sql))).toBe(true);
        expect(limitRows(limited, { dialect, max: 7 })).toBeNull();
      }),
      { numRuns: 3000 },
    );
  });

  test("long texts are left alone, and fast", () => {
    const long = `SELECT ${"(".repeat(100_000)}`;
    expect(limitRows(long, { dialect: "postgres", max: 1 })).toBeNull();
  });
});
