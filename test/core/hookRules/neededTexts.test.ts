/** What is looked for before a pattern never changes what the pattern finds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { folded } from "../../../src/core/hookRules/neededTexts";
import { compilePattern, type Pattern } from "../../../src/core/hookRules/pattern";
import { foundIn, searched } from "../../../src/core/hookRules/patternSearch";

const pattern = (source: string): Pattern => {
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(compiled.mistake.message);
  return compiled.pattern;
};
const needs = (source: string) => pattern(source).needs();

describe("what a pattern needs", () => {
  test.each([
    // An engine that names its parts otherwise would find nothing here.
    ["(?i)\\bdrop\\s+table\\s+secret_7\\b", ["secret_7"]],
    ["\\bdrop\\s+TABLE\\b", ["table"]],
    ["(?i)\\b(?:drop|truncate|delete)\\b", ["drop", "truncate", "delete"]],
    ["(?i)\\b(?:drop|truncate|delete)\\s+table\\b", ["table"]],
    ["(?is)select.*secret", ["select"]],
    ["(a(b(cd)+)){2}", ["cd"]],
    ["x(?i:drop)", ["x"]],
    ["naïvely", ["vely"]],
    ["(?i)\u212aey\\d", ["key"]],
    ["(?i)[k]ey\\d", ["key"]],
    ["abcdefghijklmnopqrstuvwxyz\\d", ["abcdefghijklmnop"]],
    ["(?i)drop?", ["dro"]],
  ])("%s", (source, texts) => expect(needs(source)).toEqual(texts));

  test.each([
    "[a-z]+",
    "(?i)a|\\d",
    "(?:drop)*x?",
    "(?i)",
    "(?i)|drop",
    "\\d{3}",
    "[^a]b?",
    "(?:drop){0}",
    "éé",
    // More alternatives than are worth looking for.
    Array.from({ length: 17 }, (_, i) => `${String.fromCharCode(97 + i)}word\\d`).join("|"),
  ])("nothing: %s", (source) => expect(needs(source)).toBeUndefined());
});

test.each([
  ["DROP", "drop"],
  ["ſecret \u212aEY", "secret key"],
  ["É", "é"],
])("%s is folded to %s", (text, plain) => expect(folded(text)).toBe(plain));

const literal = fc.constantFrom(
  "a",
  "ab",
  "k",
  "K",
  "s",
  "ſ",
  "\u212a",
  "skS",
  "é",
  "É",
  "İ",
  "i",
  "ß",
  "Σ",
  "\\.",
  "😀",
);
const set = fc.constantFrom(
  ".",
  "[ab]",
  "[aA]",
  "[^a]",
  "[^k]",
  "[k]",
  "[sS]",
  "\\w",
  "\\W",
  "\\p{Lu}",
  "\\PL",
  "[[:alpha:]]",
);
const other = fc.constantFrom("\\b", "\\B", "^", "$", "(?i)", "(?-i)", "(?i:k)", "(?s:.)", "\\Qk.\\E", "");
const count = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,3}", "{1,}", "{0}", "+?");
const { source } = fc.letrec<{ source: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 5, arbitrary: fc.tuple(literal, count).map(([one, many]) => one + many) },
    { weight: 2, arbitrary: fc.tuple(set, count).map(([one, many]) => one + many) },
    { weight: 1, arbitrary: other },
    { weight: 2, arbitrary: fc.tuple(tie("source"), count).map(([one, many]) => `(?:${one})${many}`) },
  ),
  source: fc
    .array(fc.array(tie("part"), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((all) => all.map((parts) => parts.join("")).join("|")),
}));
const flags = fc.constantFrom("", "(?i)", "(?i)", "(?is)", "(?mi)", "(?U)", "(?iU)");
const text = fc.string({
  unit: fc.constantFrom(..."abkKsSſ\u212aéÉİiIßẞΣςσ.\n Aẗ", "😀", "i\u0307"),
  maxLength: 10,
});

test("no match is lost for it, in part or as a whole", () => {
  let decided = 0;
  fc.assert(
    fc.property(flags, source, fc.array(text, { minLength: 1, maxLength: 8 }), (flag, plain, texts) => {
      const made = compilePattern(flag + plain);
      if (!made.ok) return;
      for (const one of texts) {
        const matches = made.pattern.somewhere(one);
        const needed = made.pattern.needs();
        if (needed !== undefined && !matches) decided += 1;
        if (matches && needed !== undefined)
          expect(needed.some((need) => folded(one).includes(need))).toBe(true);
        const budget = { left: 1_000_000 };
        expect(foundIn([searched(one)], made.pattern, budget)).toBe(matches ? "yes" : "no");
        if (made.pattern.whole(one)) expect(matches).toBe(true);
      }
    }),
    { numRuns: 1500 },
  );
  // Else the law would hold of nothing.
  expect(decided).toBeGreaterThan(500);
});

test("looking for it is charged, so that no text is looked through for ever", () => {
  const one = pattern("(?i)\\b(?:drop|truncate)\\b");
  const budget = { left: 199 };
  expect(foundIn([searched("x".repeat(100))], one, budget)).toBe("unsearched");
  expect(foundIn([searched("x".repeat(99))], one, { left: 199 })).toBe("no");
});
