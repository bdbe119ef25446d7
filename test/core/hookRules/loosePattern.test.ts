/** A pattern without its counts finds something wherever the pattern does. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutCounts } from "../../../src/core/hookRules/loosePattern";
import { compilePattern } from "../../../src/core/hookRules/pattern";

test.each([
  ["a{3}b", "a*b"],
  ["a{3,}b{0,2}?", "a*b*?"],
  ["abc", undefined],
  ["a{,3}", undefined],
  ["a\\{3}", undefined],
  ["[a{3}]", undefined],
  ["[]a{3}]", undefined],
  ["[^]a{3}]x{2}", "[^]a{3}]x*"],
  ["[[:alpha:]{3}]", undefined],
  ["[\\]{3}]", undefined],
  ["\\x{41}{2}", "\\x{41}*"],
  ["\\p{L}{2}", "\\p{L}*"],
  ["[\\x{41}]{2}", "[\\x{41}]*"],
  ["\\Qa{3}\\E", undefined],
])("%s becomes %s", (source, loose) => expect(withoutCounts(source)).toBe(loose));

const atom = fc.constantFrom(
  "a",
  "b",
  ".",
  "[ab]",
  "[^a]",
  "[]a{2}]",
  "[[:digit:]{2}]",
  "\\x{61}",
  "\\p{L}",
  "\\b",
  "^",
  "$",
  "(?:a|b)",
  "(?i)A",
  "\\{",
  "{",
);
const count = fc.constantFrom("", "", "*", "+", "?", "{2}", "{0,3}", "{1,}", "{0}", "{2}?");
const piece = fc.tuple(atom, count).map(([one, many]) => one + many);
const source = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => all.join("")),
  fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 3 }), count)
    .map(([all, many]) => `(${all.join("")})${many}`),
);
const text = fc.string({
  unit: fc.constantFrom("a", "b", "1", "]", "{", "}", "2", "\n", "A"),
  maxLength: 12,
});

test("it misses nothing", () => {
  fc.assert(
    fc.property(source, text, (pattern, within) => {
      const made = compilePattern(pattern);
      if (!made.ok || made.pattern.loose === undefined || !made.pattern.somewhere(within)) return;
      expect(made.pattern.loose.somewhere(within)).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
