/** Rules of functions and the event that they see, for exact tests. */
import { createBackground } from "../../../src/core/hookRules/background";
import { compileRules } from "../../../src/core/hookRules/fires";
import { allowResult } from "../../../src/core/hookRules/parseHookResult";
import type { RuleRun, RunDeps } from "../../../src/core/hookRules/ruleRun";
import { runRules } from "../../../src/core/hookRules/runRules";
import type { Handler, HandlerAnswer, HookEvent, HookResult, Rule } from "../../../src/core/hookRules/types";
import type { Clock } from "../../../src/ports";
import { fakeClock, quietLog } from "../fixtures";

export const result = (fields: Partial<HookResult>): HandlerAnswer => ({
  kind: "result",
  result: { ...allowResult, ...fields },
});

type Says =
  | HandlerAnswer
  | ((event: HookEvent, signal: AbortSignal) => HandlerAnswer | Promise<HandlerAnswer>);

export const handler = (says: Says, more: Partial<Handler> = {}): Handler => ({
  name: "h",
  kind: "function",
  run: async (event, signal) => (typeof says === "function" ? says(event, signal) : says),
  ...more,
});

export const rule = (handlers: readonly Handler[], more: Partial<Rule> = {}): Rule => ({
  name: "r",
  event: "pre_tool_call",
  before: false,
  handlers,
  ...more,
});

export const toolEvent = (more: Partial<HookEvent> = {}): HookEvent => ({
  event: "pre_tool_call",
  run_id: "run",
  tool_name: "db_query_sql",
  tool_input: { sql: "SELECT 1" },
  ...more,
});

export function compiled(rules: readonly Rule[]) {
  const made = compileRules(rules);
  if (!made.ok) throw new Error(made.problems.map(({ message }) => message).join("; "));
  return made.value;
}

export function run(
  rules: readonly Rule[],
  event: HookEvent,
  more: Partial<RunDeps> & { readonly signal?: AbortSignal; readonly clock?: Clock } = {},
): Promise<RuleRun> {
  const { signal = new AbortController().signal, ...rest } = more;
  const clock = rest.clock ?? fakeClock();
  const deps: RunDeps = {
    clock,
    log: quietLog,
    onError: "ask",
    background: createBackground(clock),
    ...rest,
  };
  return runRules(compiled(rules), deps, { event, signal });
}
