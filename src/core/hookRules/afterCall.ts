/** What the rules make of a call that ended: its result withheld, replaced or left. Runs no tool, writes no record. */
import type { Log } from "../../ports";
import type { ToolCall } from "../call";
import type { Finding } from "../decision";
import { messageOf } from "../errors";
import type { Ended } from "../govern";
import type { DeniedOutcome, Outcome, RunOutcome } from "../hook";
import type { CallEnd, CallRules } from "./callRules";
import { labelled, type RuleDenial, type RuleRun } from "./ruleRun";

export interface CallEnded {
  readonly outcome: RunOutcome;
  readonly result: unknown;
  /** Message of what the tool threw. */
  readonly error: string | null;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface AfterCall {
  /** For the caller: denied where a rule withholds what the tool brought. */
  readonly outcome: RunOutcome | DeniedOutcome;
  /** For the record: the call ran, whatever became of its result. */
  readonly recorded: RunOutcome;
  readonly result: unknown;
  readonly error: string | null;
  /** True when `result` is not the tool's own. */
  readonly changed: boolean;
}

/** Asked when the call is over: a failure here must not look like the tool's own. */
export type FindRules = () => Promise<CallRules | undefined>;

/** For doors that can hold a result back. Never rejects; what fails on the way withholds the result. */
export async function afterCall(rules: FindRules, call: ToolCall, ended: CallEnded): Promise<AfterCall> {
  const { outcome, result, error, log } = ended;
  const unchanged: AfterCall = { outcome, recorded: outcome, result, error, changed: false };
  try {
    const found = await rules();
    if (found?.watches("post_tool_call") !== true) return unchanged;
    return endedBy(await found.post(call, { outcome, result, error }, ended.signal), ended);
  } catch (problem) {
    const message = messageOf(problem);
    log.error(`after ${call.toolName}: ${message}`);
    const reason = `guard broken: the call's result could not be judged: ${message}`;
    const denial = { reason, by: "security", handler: "security", broken: true, raised: false };
    return withheld(outcome, denial);
  }
}

function endedBy(run: RuleRun, { outcome, result, error }: CallEnded): AfterCall {
  const seen = withRun(outcome, run);
  if (run.deny !== undefined) return withheld(seen, run.deny);
  if (!run.rewritten) return { outcome: seen, recorded: seen, result, error, changed: false };
  const { tool_result, error: shown = null } = run.event;
  const recorded = withFinding(seen, {
    code: "result_rewritten",
    message: "a rule changed what the agent is shown of the result",
    by: run.rewrittenBy ?? "",
    severity: "info",
  });
  return { outcome: recorded, recorded, result: tool_result, error: shown, changed: true };
}

function withRun(outcome: RunOutcome, run: RuleRun): RunOutcome {
  return {
    ...outcome,
    contexts: [...outcome.contexts, ...run.contexts.map(labelled)],
    findings: [...outcome.findings, ...run.findings],
    trail: [...outcome.trail, ...run.trail],
  };
}

function withheld(outcome: RunOutcome, deny: RuleDenial): AfterCall {
  const { reason, by, broken } = deny;
  const recorded = withFinding(outcome, {
    code: "result_withheld",
    message: reason,
    by,
    severity: "warning",
  });
  const { args, contexts, findings, trail, rewritten, askId } = recorded;
  const refused: DeniedOutcome = {
    kind: "denied",
    reason,
    by,
    broken,
    args,
    contexts,
    findings,
    trail,
    rewritten,
    ...(askId === undefined ? {} : { askId }),
  };
  return { outcome: refused, recorded, result: null, error: null, changed: true };
}

const withFinding = (outcome: RunOutcome, finding: Finding): RunOutcome => ({
  ...outcome,
  findings: [...outcome.findings, finding],
});

/** For doors that cannot hold a result back, and for calls that did not run: what a rule wanted is on record. Never rejects. */
export async function observeEnd(
  rules: FindRules,
  call: ToolCall,
  ended: Omit<CallEnded, "outcome"> & Pick<Ended, "tell"> & { readonly outcome: Outcome },
): Promise<Outcome> {
  const { outcome, result, error, log, signal, tell = () => false } = ended;
  const run = await watching(rules, call, { outcome, result, error, signal, log });
  if (run === undefined) {
    tell([]);
    return outcome;
  }
  const told = tell(run.contexts.map(labelled));
  const findings = [
    ...outcome.findings,
    ...run.findings,
    ...(outcome.kind === "run" ? unmet(run, told ? "told" : "untold") : []),
  ];
  return { ...outcome, findings, trail: [...outcome.trail, ...run.trail] };
}

/** Undefined where no rule looks on, or what fails is ours. */
async function watching(
  rules: FindRules,
  call: ToolCall,
  ended: CallEnd & Pick<CallEnded, "log" | "signal">,
): Promise<RuleRun | undefined> {
  const { log, signal, ...end } = ended;
  try {
    const found = await rules();
    return found?.watches("post_tool_call") === true ? await found.post(call, end, signal) : undefined;
  } catch (problem) {
    log.error(`after ${call.toolName}: ${messageOf(problem)}`);
    return undefined;
  }
}

/** What this door could not do for the rules. */
function unmet(run: RuleRun, contexts: "told" | "untold"): readonly Finding[] {
  const findings: Finding[] = [];
  if (run.deny !== undefined) {
    const { reason, by } = run.deny;
    findings.push({ code: "result_not_withheld", message: reason, by, severity: "warning" });
  } else if (run.rewritten) {
    const message = "this agent takes no other result than the tool's own";
    const by = run.rewrittenBy ?? "";
    findings.push({ code: "result_not_rewritten", message, by, severity: "warning" });
  }
  if (contexts === "untold" && run.contexts.length > 0) {
    const message = `not told to the agent: ${run.contexts.map(labelled).join(" ")}`;
    findings.push({
      code: "context_not_delivered",
      message,
      by: run.contexts[0]?.name ?? "",
      severity: "info",
    });
  }
  return findings;
}
