import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SECRET_CONTEXTS } from "../../../src/core/audit/secretContexts";
import { gateSearch } from "../../../src/core/audit/secretGates";
import { SECRET_SHAPES } from "../../../src/core/audit/secretShapes";
import { SPOKEN_SECRETS } from "../../../src/core/audit/secretSpoken";

const contexts = [...SECRET_CONTEXTS, ...SPOKEN_SECRETS];
const groups: Readonly<Record<string, readonly RegExp[]>> = {
  shapes: SECRET_SHAPES.map(({ gate }) => gate),
  "contexts, case counts": contexts.map(({ gate }) => gate).filter(({ flags }) => flags === ""),
  "contexts, case does not count": contexts.map(({ gate }) => gate).filter(({ flags }) => flags === "i"),
  "spellings of all kinds": [
    /ab?c/,
    /(?:x|yz)w/,
    /\d{2}q/,
    /[a-c]_k/,
    /\bqq/,
    /(?:m|n)?o/,
    /[^a]z!/,
    /.z\?/,
    /r/,
  ],
};

/** Texts that a gate matches, or nearly. */
const near = (gate: RegExp): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.string({ unit: "grapheme", maxLength: 5 }),
      fc.stringMatching(plain(gate)),
      fc.string({ maxLength: 5 }),
    )
    .map((parts) => parts.join(""));

/** Without what the generator of texts does not know. */
function plain({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replaceAll("\\b", ""), flags.replace("i", ""));
}

test.each(Object.entries(groups))("%s: one search says what all gates say", (_name, gates) => {
  const other = [/nowhere to be found/, /zzzzzzzz/];
  const groupsIn = gateSearch([other, gates]);
  const search = (text: string): boolean => groupsIn(text) === 2;
  const all = (text: string): boolean => gates.some((gate) => gate.test(text));
  expect(all("")).toBe(search(""));
  for (const gate of gates) {
    fc.assert(
      fc.property(near(gate), fc.boolean(), fc.nat(200), (text, isUpper, cut) => {
        const spelt = isUpper ? text.toUpperCase() : text;
        for (const one of [spelt, spelt.slice(0, cut), `x ${spelt}`]) expect(search(one)).toBe(all(one));
      }),
      { numRuns: 20 },
    );
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(search(text)).toBe(all(text));
    }),
  );
});
