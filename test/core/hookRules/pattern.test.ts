import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compilePattern } from "../../../src/core/hookRules/pattern";

const pattern = (source: string) => {
  const compiled = compilePattern(source);
  if (!compiled.ok) throw new Error(compiled.mistake.message);
  return compiled.pattern;
};

/** Pattern, text, whether all of it matches, whether some part does. */
const rows: readonly (readonly [string, string, boolean, boolean])[] = [
  ["Bash", "Bash", true, true],
  ["Bash", "bash", false, false],
  ["(?i)bash", "BASH", true, true],
  ["Bash|Write", "Write", true, true],
  ["Bash|Write", "Writer", false, true],
  ["spycloud_.*", "spycloud_lookup", true, true],
  ["spycloud_.*", "my_spycloud_lookup", false, true],
  ["spycloud_.*", "spycloud_a\nb", false, true],
  ["mcp__[a-z]+__(get|set).*", "mcp__shop__get_all", true, true],
  ["(?i)drop", "select 1; DrOp table", false, true],
  ["(?i)k", "\u212a", true, true],
  ["(?i)\\bdrop\\b", "dropped", false, false],
  ["(?s)a.*b", "a\nb", true, true],
  ["a.*b", "a\nb", false, false],
  ["(?P<n>a)(?<m>b)", "ab", true, true],
  ["", "", true, true],
  ["", "x", false, true],
  ["a\\.b", "a.b", true, true],
  ["a\\.b", "axb", false, false],
  ["a$", "a\n", false, false],
];
test.each(rows)("%j on %j", (source, text, whole, somewhere) => {
  expect([pattern(source).whole(text), pattern(source).somewhere(text)]).toEqual([whole, somewhere]);
});

test("what is answered without the engine is answered as the engine does", () => {
  const words = fc.array(fc.constantFrom("a", "B", "k", "s", "_", "ſ", "\u212a", " ", "1"), { maxLength: 4 });
  const text = words.map((list) => list.join(""));
  const source = fc.tuple(fc.constantFrom("", "(?i)"), fc.array(text, { minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(source, text, ([flags, alternatives], given) => {
      const plain = alternatives.map((one) => one.replace(/[^A-Za-z0-9_ ]/gu, "")).join("|");
      // A group keeps the engine from being left out.
      const [quick, engine] = [pattern(flags + plain), pattern(`${flags}(?:${plain})`)];
      expect(quick.whole(given)).toBe(engine.whole(given));
      expect(quick.somewhere(given)).toBe(engine.somewhere(given));
    }),
    { numRuns: 500 },
  );
});

const evil = ["(a+)+$", "^(a|a)*$", "(a|aa)+$", "(.*)(.*)(.*)x$", "(?i)(a+)+$", "([a-z]+)*[0-9]$"];

test.each(evil)("%s on 100 KB takes time in proportion to the text", (source) => {
  const compiled = pattern(source);
  const timeOf = (length: number): number => {
    const text = `${"a".repeat(length)}!`;
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round += 1) {
      const began = process.cpuUsage();
      expect(compiled.somewhere(text)).toBe(false);
      expect(compiled.whole(text)).toBe(false);
      best = Math.min(best, process.cpuUsage(began).user);
    }
    return best;
  };
  timeOf(100_000);
  const [small, large] = [timeOf(100_000), timeOf(800_000)];
  // Eight times the text: quadratic would be 64 times the time.
  expect(large / small).toBeLessThan(24);
});

test("no text makes it throw", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.string(), (source, text) => {
      const compiled = compilePattern(source);
      if (!compiled.ok) {
        const { start = 0, end = source.length } = compiled.mistake;
        expect(start).toBeLessThanOrEqual(end);
        expect(end).toBeLessThanOrEqual(source.length);
        return;
      }
      compiled.pattern.whole(text);
      compiled.pattern.somewhere(text);
    }),
    { numRuns: 1000 },
  );
});

test("a pattern of more than 1000 characters is refused", () => {
  expect(compilePattern("a".repeat(1001)).ok).toBe(false);
  expect(compilePattern("a".repeat(1000)).ok).toBe(true);
});
