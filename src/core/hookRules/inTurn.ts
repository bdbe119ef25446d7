/** Two sets of rules around the same calls, one after the other. Knows nothing of where either comes from. */
import type { Args, ToolCall } from "../call";
import type { CallEnd, CallRules } from "./callRules";
import type { RuleRun } from "./ruleRun";

/** The second sees what the first rewrote; a denial of the first ends it. */
export function inTurn(first: CallRules, second: CallRules): CallRules {
  return {
    watches: (event) => first.watches(event) || second.watches(event),
    async pre(call: ToolCall, args: Args, signal: AbortSignal) {
      const before = await first.pre(call, args, signal);
      if (before.deny !== undefined) return before;
      const left = before.rewritten ? (before.event.tool_input ?? args) : args;
      return joined(before, await second.pre(call, left, signal));
    },
    async post(call: ToolCall, end: CallEnd, signal: AbortSignal) {
      const before = await first.post(call, end, signal);
      if (before.deny !== undefined) return before;
      const { tool_result, error = null } = before.event;
      const left = before.rewritten ? { outcome: end.outcome, result: tool_result, error } : end;
      return joined(before, await second.post(call, left, signal));
    },
  };
}

function joined(before: RuleRun, after: RuleRun): RuleRun {
  const by = after.rewrittenBy ?? before.rewrittenBy;
  return {
    event: after.event,
    rewritten: before.rewritten || after.rewritten,
    ...(by === undefined ? {} : { rewrittenBy: by }),
    ...(after.deny === undefined ? {} : { deny: after.deny }),
    asks: [...before.asks, ...after.asks],
    contexts: [...before.contexts, ...after.contexts],
    findings: [...before.findings, ...after.findings],
    errors: [...before.errors, ...after.errors],
    trail: [...before.trail, ...after.trail],
  };
}
