/** What people write who know other programs is answered with the word that is meant here. */
import { expect, test } from "vitest";
import { formatProblem } from "../../../src/core/errors";
import { parseHookResult } from "../../../src/core/hookRules/parseHookResult";
import { readEnvironment } from "../../../src/core/rules/environment";
import { parseConfig } from "../../../src/core/rules/parse";

test.each([
  ["updated_args", "updated_input"],
  ["args", "updated_input"],
  ["updatedInput", "updated_input"],
  ["tool_result", "updated_result"],
  ["message", "reason"],
  ["additionalContext", "additional_context"],
  ["updated_eror", "updated_error"],
])("an answer with %s is told of %s", (key, meant) => {
  const read = parseHookResult({ [key]: {} });
  expect(read.ok ? [] : read.problems.map(({ suggestion }) => suggestion)).toContain(
    `did you mean \`${meant}\`?`,
  );
});

const handler = (more: string): string => `[[hooks.pre_tool_call]]\nhandlers = [{ ${more} }]\n`;

test.each([
  [handler("type = 'command', cmd = 'x'"), "did you mean `command`?"],
  [handler("type = 'deny', message = 'x'"), "did you mean `reason`?"],
  [`[[hooks.pre_tool_call]]\ntool = 'x'\nhandlers = [{ type = 'deny' }]\n`, "did you mean `matcher`?"],
  [
    '[[hooks.pre_tool_call]]\nmatcher = "prod\\."\nhandlers = [{ type = "deny" }]\n',
    "in double quotes a backslash is written twice; in single quotes, '…', it means itself",
  ],
])("%j: %s", (text, suggestion) => {
  const read = parseConfig({ text, format: "toml", file: "f" });
  expect(read.ok ? [] : read.problems.map((problem) => problem.suggestion)).toContain(suggestion);
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own notation.
test.each(["sh -c 'echo ${HOME} {a,b} {x}'", "x {run_id} {run_dir}", "awk '{print}'"])(
  "the command %j stands",
  (command) => {
    const hooks = { pre_tool_call: [{ handlers: [{ type: "command", command }] }] };
    expect(parseConfig({ text: JSON.stringify({ hooks }), format: "json", file: "f" }).ok).toBe(true);
  },
);

test("a variable is its own place", () => {
  const read = readEnvironment({ COUNTERSIGN__HOOKS__ENABLED: "maybe" });
  expect(read.ok ? [] : read.problems.map(formatProblem)).toEqual([
    "COUNTERSIGN__HOOKS__ENABLED: must be true or false (write true, 1, yes, on, or false, 0, no, off)",
  ]);
});
