import * as fc from "fast-check";
import { expect, test } from "vitest";
import { allowResult, parseHookResult } from "../../../src/core/hookRules/parseHookResult";
import { UNSET } from "../../../src/core/hookRules/types";

const right: readonly (readonly [unknown, object])[] = [
  [null, {}],
  [undefined, {}],
  [{}, {}],
  [
    { decision: "deny", reason: "no" },
    { decision: "deny", reason: "no" },
  ],
  [{ updated_result: null }, { updated_result: null }],
  [{ updated_error: null }, { updated_error: null }],
  [{ updated_result: undefined }, { updated_result: UNSET }],
  [
    { updated_input: { a: 1 }, additional_context: "x" },
    { updated_input: { a: 1 }, additional_context: "x" },
  ],
  [{ findings: ["odd"] }, { findings: [{ code: "finding", message: "odd", by: "" }] }],
  [
    { findings: [{ code: "c", message: "m", severity: "warning", details: { a: 1 }, by: "forged" }] },
    { findings: [{ code: "c", message: "m", severity: "warning", details: { a: 1 }, by: "" }] },
  ],
];
test.each(right)("%j is a result", (answer, expected) => {
  expect(parseHookResult(answer)).toEqual({ ok: true, value: { ...allowResult, ...expected } });
});

const wrong: readonly (readonly [unknown, string])[] = [
  [[], "the answer must be an object, not a list"],
  ["allow", 'the answer must be an object, not the text "allow"'],
  [5, "the answer must be an object, not a number (5)"],
  [new Map(), "the answer must be an object, not an object of another kind"],
  [{ decision: "block" }, 'decision must be allow, deny or rewrite, not the text "block"'],
  [{ decision: null }, "decision must be allow, deny or rewrite, not null"],
  [{ desicion: "deny" }, "the answer has an unknown key `desicion`"],
  [{ updated_input: null }, "updated_input must be an object, not null"],
  [{ updated_input: [] }, "updated_input must be an object, not a list"],
  [{ updated_error: 5 }, "updated_error must be text or null, not a number (5)"],
  [{ reason: {} }, "reason must be text or null, not an object"],
  [{ additional_context: 1 }, "additional_context must be text or null, not a number (1)"],
  [{ findings: {} }, "findings must be a list, not an object"],
  [{ findings: [5] }, "findings[0] must be an object or text, not a number (5)"],
  [{ findings: [{ severity: "bad" }] }, "findings[0]: severity must be info, warning or error"],
];
test.each(wrong)("%j is none", (answer, message) => {
  const parsed = parseHookResult(answer);
  expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.message)).toEqual([message]);
});

test("nothing makes it throw, and what is no result never allows", () => {
  fc.assert(
    fc.property(fc.anything(), (answer) => {
      const parsed = parseHookResult(answer);
      if (answer !== null && typeof answer === "object" && Object.keys(answer).length === 0) return;
      if (answer !== null && answer !== undefined) expect(parsed.ok).toBe(false);
    }),
    { numRuns: 1000 },
  );
});
