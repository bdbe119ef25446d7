import { expect, test } from "vitest";
import { readFacets } from "../../../src/agents/toolFacts";
import type { Decision } from "../../../src/core/decision";
import { contextOf } from "../../../src/core/evaluate";
import { brokenCards } from "../../../src/core/guards/brokenCards";
import type { CardIssue } from "../../../src/core/policies/types";
import { call } from "../fixtures";

const issue: CardIssue = {
  code: "card.integrity",
  card: "@acme/backend",
  message: "its files are not those that card.lock names",
  mend: "Install it again.",
  severity: "error",
};

async function judge(tool: string, broken: readonly CardIssue[]): Promise<Decision | undefined> {
  const hook = brokenCards({ facets: readFacets, broken: () => broken });
  expect(hook.guard).toBe(true);
  const one = call(tool, { filePath: "/ws/a", command: "make" });
  return (await hook.preToolUse?.(contextOf(one), tool, one.input)) ?? undefined;
}

test("while a card that stops calls is broken, only reads pass", async () => {
  for (const tool of ["run_in_terminal", "create_file", "a_tool_nobody_knows"]) {
    expect([tool, (await judge(tool, [issue]))?.kind]).toEqual([tool, "deny"]);
    expect([tool, (await judge(tool, []))?.kind]).toEqual([tool, "allow"]);
  }
  expect((await judge("read_file", [issue]))?.kind).toBe("allow");
});

test("the reason names the card, what is wrong and the mend", async () => {
  expect(await judge("run_in_terminal", [issue])).toMatchObject({
    reason:
      "guard broken: @acme/backend: its files are not those that card.lock names. A person mends it: Install it again.",
  });
});
