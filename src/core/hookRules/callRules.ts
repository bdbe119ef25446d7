/** The rules around a tool call as the governed call sees them. Knows no file, no handler's kind, no door. */
import type { Args, ToolCall } from "../call";
import type { Outcome } from "../hook";
import type { CompiledRules } from "./fires";
import type { RuleRun, RunDeps } from "./ruleRun";
import { runRules } from "./runRules";
import type { HookEvent } from "./types";

export interface CallEnd {
  readonly outcome: Outcome;
  readonly result: unknown;
  readonly error: string | null;
}

export interface CallRules {
  /** False = no rule of this event can match: nothing needs to be asked. */
  readonly watches: (event: "pre_tool_call" | "post_tool_call") => boolean;
  pre(call: ToolCall, args: Args, signal: AbortSignal): Promise<RuleRun>;
  /** For calls that ran, were denied or are held back. */
  post(call: ToolCall, end: CallEnd, signal: AbortSignal): Promise<RuleRun>;
}

export function callRules(rules: CompiledRules, deps: RunDeps): CallRules {
  return {
    watches: (event) => rules.has(event),
    pre: (call, args, signal) =>
      runRules(rules, deps, { event: { ...eventOf(call, "pre_tool_call"), tool_input: args }, signal }),
    post: (call, end, signal) => runRules(rules, deps, { event: endEvent(call, end), signal }),
  };
}

function eventOf(call: ToolCall, event: "pre_tool_call" | "post_tool_call"): HookEvent {
  const { cwd, vendor, toolName, canonicalName } = call;
  return {
    event,
    run_id: call.runId,
    session_id: call.sessionId,
    call_id: call.callId,
    agent: call.agent,
    ...(cwd === undefined ? {} : { cwd }),
    tool_name: toolName,
    ...(canonicalName === toolName ? {} : { canonical_name: canonicalName }),
    ...(vendor === undefined ? {} : { vendor }),
  };
}

function endEvent(call: ToolCall, { outcome, result, error }: CallEnd): HookEvent {
  const base = { ...eventOf(call, "post_tool_call"), tool_input: outcome.args, outcome: outcome.kind };
  switch (outcome.kind) {
    case "run":
      return { ...base, tool_result: error === null ? result : null, error };
    case "denied":
      return { ...base, tool_result: null, error: outcome.reason };
    case "asks_user":
      return { ...base, tool_result: null, error: outcome.prompt };
    default:
      return outcome satisfies never;
  }
}
