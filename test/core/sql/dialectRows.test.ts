import { expect, test } from "vitest";
import { classifySql } from "../../../src/core/sql/classify";
import { DIALECT_ROWS } from "./dialectRows";

test.each(DIALECT_ROWS)("$want: $idea · $dialect · $sql", ({ dialect, sql, want }) => {
  const verdict = classifySql(sql, dialect === undefined ? {} : { dialect });
  expect(verdict.verdict, `${verdict.dialect} ${verdict.rule}: ${verdict.reason}`).toBe(want);
});
