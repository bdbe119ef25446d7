import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "../../../src/agents/install/lineDiff";

test("shows what comes and goes with three lines around it", () => {
  const before = "a\nb\nc\nd\ne\nf\ng\n";
  expect(lineDiff("file", before, before)).toEqual([]);
  expect(lineDiff("file", before, before.replace("e\n", "E\n!\n"))).toEqual([
    "--- file",
    "+++ file",
    "@@",
    " b",
    " c",
    " d",
    "-e",
    "+E",
    "+!",
    " f",
    " g",
    " ",
  ]);
  expect(lineDiff("file", "", "x\n")).toEqual(["--- file", "+++ file", "@@", "+x", "+"]);
});

test("hides no change: what is shown turns the one text into the other", () => {
  const line = fc.constantFrom("a", "b", "c", "");
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const shown = lineDiff("f", before, after).slice(2);
      const texts = (sign: string) => shown.filter((one) => one.startsWith(sign)).map((one) => one.slice(1));
      const lines = (value: string) => (value === "" ? [] : value.split("\n"));
      const count = (list: readonly string[], word: string) => list.filter((one) => one === word).length;
      for (const word of ["a", "b", "c", ""]) {
        const change = count(lines(after), word) - count(lines(before), word);
        expect(count(texts("+"), word) - count(texts("-"), word)).toBe(change);
      }
    }),
  );
});
