/** What of a handler's words is plain text, and what a result in the wrong place or shape. */
import { describe, expect, test } from "vitest";
import { doubledKey, notPlainText } from "../../../src/core/hookRules/answerShape";
import { readAnswerText } from "../../../src/node/handlers/answerText";

/** What is printed, how it is taken. */
const rows: readonly (readonly [text: string, kind: string])[] = [
  ["", "result"],
  ["null", "result"],
  ["{}", "result"],
  ['{"decision":"deny","reason":"no"}', "result"],
  ["ok", "context"],
  ["checked 3 files, all well", "context"],
  ["3", "context"],
  ["[lint] 3 warnings", "context"],
  ["The deny list is empty.", "context"],
  ["a decision: allow", "context"],
  ['config: {"name": "x", "reason": "y"}', "context"],
  ["use { braces } and [brackets]", "context"],
  ['checking...\n{"decision":"deny"}', "failed"],
  ['checking...\n{\n  "decision": "deny"\n}', "failed"],
  ['{"decision":"deny"}\ndone', "failed"],
  ['{"decision":"allow"}\n{"decision":"deny"}', "failed"],
  ['a warning on line 3 {"reason":"x","decision":"deny"}', "failed"],
  ["{'decision': 'deny'}", "failed"],
  ["info\n{'decision': 'deny'}", "failed"],
  ['info\n{"findings":["x"]}', "failed"],
  ['info {"hookSpecificOutput":{"permissionDecision":"deny"}}', "failed"],
  ['[{"decision":"deny"}]', "failed"],
  ["[]", "failed"],
  ["[1, 2]", "failed"],
  ['"deny"', "failed"],
  ['"anything"', "failed"],
  ["false", "failed"],
  ["true", "failed"],
  ["deny", "failed"],
  ["DENY!", "failed"],
  ['{"decision":"deny","decision":"allow"}', "failed"],
  ['{"decision":"deny","d\\u0065cision":"allow"}', "failed"],
  ['{"decision":"deny", "reason":"a", "reason":null}', "failed"],
  ['{"decision":"rewrite","updated_input":{"a":1,"b":{"a":2}}}', "result"],
];

test.each(rows)("%j is a %s", (text, kind) => {
  expect(readAnswerText(text).kind).toBe(kind);
});

describe("keys", () => {
  test.each([
    ['{"a":"b","b":"a"}', undefined],
    ['{"a":{"b":1,"b":2},"b":3}', undefined],
    ['{"a":"{\\"a\\":1}"}', undefined],
    ['{"a":1,"b":2,"a" :3}', "a"],
  ])("%s: %s stands twice", (json, key) => expect(doubledKey(json)).toBe(key));

  test("a word alone says how it is to be written", () =>
    expect(notPlainText("deny")).toContain('{"decision": "deny"}'));
});
