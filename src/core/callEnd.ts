/** The end of a governed call: its rules, its policies, its post hooks, its record. Judges and asks nothing, runs no tool. */
import type { Log } from "../ports";
import type { ToolCall } from "./call";
import { messageOf } from "./errors";
import { contextOf, type EvaluateDeps } from "./evaluate";
import type { Metrics } from "./events";
import type { Ended, Governed } from "./govern";
import type { HookContext, Outcome, RunOutcome } from "./hook";
import { afterCall, observeEnd } from "./hookRules/afterCall";
import type { CallRules } from "./hookRules/callRules";
import { rethrown } from "./hookRules/thrown";
import { policedEnd, policedOutcome } from "./policies/stage";
import type { CallPolicies } from "./policies/types";

export interface EndDeps {
  readonly evaluate: () => Promise<EvaluateDeps> | EvaluateDeps;
  readonly log: Log;
  readonly metrics: Metrics;
}

const NEVER = new AbortController().signal;

export interface Ran {
  readonly outcome: RunOutcome;
  readonly result?: unknown;
  readonly thrown?: { readonly error: unknown };
  readonly durationMs: number;
  readonly signal: AbortSignal | undefined;
  /** True where the decision has a record of its own. */
  readonly recorded: boolean;
}

/** The tool has run: the rules see what it came to, then the post hooks, then the caller. */
export async function endOf<T>(deps: EndDeps, call: ToolCall, ran: Ran): Promise<Governed<T>> {
  const { durationMs, thrown } = ran;
  const judging = once(deps.evaluate);
  const error = thrown === undefined ? null : messageOf(thrown.error);
  const watching = { log: deps.log, signal: ran.signal ?? NEVER };
  const ruled = await afterCall(() => rulesFor(judging), call, {
    outcome: ran.outcome,
    result: ran.result ?? null,
    error,
    ...watching,
  });
  const end = await policedEnd(() => policiesFor(judging), call, { end: ruled, ...watching });
  const shown = { result: end.result, error: end.error, durationMs };
  const shownTo = { outcome: end.recorded, ended: shown, recorded: ran.recorded };
  await post({ ...deps, evaluate: judging }, call, shownTo);
  if (end.outcome.kind !== "run") return { outcome: end.outcome };
  if (end.error !== null)
    throw thrown === undefined ? new Error(end.error) : rethrown(thrown.error, end.error);
  // A rule may put anything in the place of a result: the caller's type holds for what its own handler returned.
  return { outcome: end.outcome, result: (end.changed ? end.result : ran.result) as T };
}

/** One look at the configuration for the whole end of a call; one that failed is tried again. */
function once(evaluate: EndDeps["evaluate"]): () => Promise<EvaluateDeps> {
  let found: EvaluateDeps | undefined;
  return async () => {
    found ??= await evaluate();
    return found;
  };
}

async function rulesFor(evaluate: EndDeps["evaluate"]): Promise<CallRules | undefined> {
  const { rules, enabled } = await evaluate();
  return enabled ? rules : undefined;
}

async function policiesFor(evaluate: EndDeps["evaluate"]): Promise<CallPolicies | undefined> {
  const { policies, enabled } = await evaluate();
  return enabled ? policies : undefined;
}

/** The rules and policies see the end of a call that they cannot change any more, then the post hooks do. */
export async function observed(
  deps: EndDeps,
  call: ToolCall,
  run: { outcome: Outcome; ended: Ended; recorded: boolean },
): Promise<void> {
  const { result, error, tell } = run.ended;
  const seen = {
    outcome: run.outcome,
    result,
    error,
    log: deps.log,
    signal: NEVER,
    ...(tell === undefined ? {} : { tell }),
  };
  const judging = once(deps.evaluate);
  const ruled = await observeEnd(() => rulesFor(judging), call, seen);
  const outcome = await policedOutcome(() => policiesFor(judging), call, { ...seen, outcome: ruled });
  await post({ ...deps, evaluate: judging }, call, { ...run, outcome });
}

/** Post hooks in order; the audit hook is the last and writes the record. */
async function post(
  deps: EndDeps,
  call: ToolCall,
  run: { outcome: Outcome; ended: Ended; recorded: boolean },
): Promise<void> {
  const { outcome, ended } = run;
  const ctx: HookContext = {
    ...contextOf(call),
    outcome,
    recorded: run.recorded,
    ...(ended.durationMs === undefined ? {} : { durationMs: ended.durationMs }),
  };
  if (outcome.kind === "run")
    deps.metrics.finished(call, { durationMs: ended.durationMs ?? 0, error: ended.error });
  try {
    const { chain, enabled } = await deps.evaluate();
    const only = enabled ? {} : { only: "audit_log" };
    await chain.post(ctx, call.toolName, {
      args: outcome.args,
      result: ended.result,
      error: ended.error,
      ...only,
    });
  } catch (error) {
    // The call is over: what fails now must not look like the tool's own failure.
    deps.log.error(`after ${call.toolName}: ${messageOf(error)}`);
  }
}

export function notRun(outcome: Outcome): Ended {
  if (outcome.kind === "denied")
    return { result: { kind: "denied", reason: outcome.reason, by: outcome.by }, error: null };
  return { result: { kind: outcome.kind }, error: null };
}
