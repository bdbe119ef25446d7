import { expect, test } from "vitest";
import { readFacets } from "../../../src/agents/toolFacts";
import type { Decision } from "../../../src/core/decision";
import { contextOf } from "../../../src/core/evaluate";
import { unacceptedConfig } from "../../../src/core/guards/unacceptedConfig";
import type { ConfigState } from "../../../src/core/rules/inForce";
import { call } from "../fixtures";

const problem = {
  code: "config.unknown_key",
  file: "gateway-hooks.toml",
  line: 1,
  column: 1,
  message: "unknown key `verson`",
  suggestion: "did you mean `version`?",
} as const;

async function judge(
  tool: string,
  state: ConfigState,
  askAllButReads: boolean,
): Promise<Decision | undefined> {
  const hook = unacceptedConfig({
    facets: readFacets,
    resolved: () => ({ askAllButReads, state, problems: [problem] }),
  });
  const one = call(tool, { filePath: "/ws/a", command: "ls" });
  return (await hook.preToolUse?.(contextOf(one), tool, one.input)) ?? undefined;
}

test.each<[string, ConfigState, boolean, string, RegExp | undefined]>([
  ["run_in_terminal", "waiting", true, "ask", /nobody has accepted it yet/],
  [
    "run_in_terminal",
    "broken",
    true,
    "ask",
    /gateway-hooks\.toml:1:1: unknown key `verson` \(did you mean `version`\?\)/,
  ],
  ["read_file", "broken", true, "allow", undefined],
  ["run_in_terminal", "accepted", false, "allow", undefined],
])("%s while %s", async (tool, state, ask, kind, prompt) => {
  const decision = await judge(tool, state, ask);
  expect(decision?.kind).toBe(kind);
  if (prompt !== undefined) expect(decision).toMatchObject({ prompt: expect.stringMatching(prompt) });
});
