/** The rules of the text to start from stop what they say they stop. */
import { expect, test } from "vitest";
import { parseConfig } from "../../../src/core/rules/parse";
import { starterText } from "../../../src/core/rules/starter";
import { compiled, rule, toolEvent } from "../hookRules/rigs";

const text = starterText().replace(/^# /gmu, "");
const parsed = parseConfig({ text, format: "toml", file: "f" });
const force = parsed.ok
  ? parsed.value.hooks?.pre_tool_call?.find(({ name }) => name === "no-force-push")
  : undefined;

test.each([
  ["git push --force", true],
  ["git push -f", true],
  ["git push -uf origin main", true],
  ["git push origin main --force-with-lease", true],
  ["cd x && git push -f", true],
  ["git -C x push -f", true],
  ["git push", false],
  ["git push --follow-tags", false],
  ["git push origin fix-f", false],
  ["git push; rm -f x", false],
  ['git commit -m "git push x --force"', false],
])("no-force-push: %s", (command, fires) => {
  const { matcher = "", arg = "" } = force ?? {};
  const event = toolEvent({ tool_name: "run_in_terminal", canonical_name: "Bash", tool_input: { command } });
  const found = compiled([rule([], { matcher, arg })])
    .of("pre_tool_call")
    .some((one) => one.fits(event, { left: 1_000_000 }) === "yes");
  expect(found).toBe(fires);
});
