/** What the SQL guard, with the facets of the real tool tables, says to a terminal command. */
import { readFacets } from "../../../src/agents/toolFacts";
import type { Decision } from "../../../src/core/decision";
import { destructiveSql } from "../../../src/core/guards/destructiveSql";
import { callOn, LINUX } from "../guards/worlds";
import type { TerminalRow } from "./sqlTerminalRows";

const hook = destructiveSql({
  facets: readFacets,
  onUnparseable: "deny",
  onUnverified: "allow",
  confirmArg: "confirm_destructive",
});

export async function decisionOf(
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<Decision> {
  const call = callOn(LINUX, toolName, args, extra);
  const ctx = { sessionId: "s", profile: "default", traceId: "t", extra: call.extra, call };
  return (await hook.preToolUse?.(ctx, call.toolName, call.input)) ?? { kind: "allow" };
}

export async function kindOf({ command, shell }: TerminalRow): Promise<string> {
  return (await decisionOf("run_in_terminal", { command }, { shell })).kind;
}
