/** The policies' stage of a verdict and of a call's end: what they said, in the chain's words. Judges nothing itself. */
import type { Log } from "../../ports";
import type { Args, ToolCall } from "../call";
import type { Survey } from "../chain";
import { AskUser, type Finding } from "../decision";
import { messageOf } from "../errors";
import type { Outcome, RunOutcome } from "../hook";
import type { AfterCall } from "../hookRules/afterCall";
import { copyArgs, sameValue } from "../values";
import type { CallPolicies, PolicyAfter, PolicyRun } from "./types";

/** What they said of a call that is judged again after a person's click: they are asked once, as long as they and the arguments are the same. */
export interface PoliciesMemo {
  policed?: { readonly policies: CallPolicies; readonly args: Args; readonly run: PolicyRun };
}

export interface PoliciesInput {
  readonly first: Survey;
  readonly signal: AbortSignal;
  readonly memo: PoliciesMemo;
}

/** They speak on the chain's arguments; what the chain refused they are not asked. */
export async function policiesStage(
  call: ToolCall,
  policies: CallPolicies | undefined,
  { first, signal, memo }: PoliciesInput,
): Promise<Survey> {
  if (policies === undefined || first.deny !== undefined) return first;
  if (!policies.watches("before", call.toolName, call.canonicalName)) return first;
  // A hook may have kept hold of what it rewrote.
  const args = first.rewritten ? copyArgs(first.args, { freeze: "yes" }) : first.args;
  const { policed } = memo;
  const kept = policed?.policies === policies && sameValue(policed.args, args) ? policed.run : undefined;
  const run = kept ?? (await policies.before(call, args, signal));
  memo.policed = { policies, args, run };
  return withPolicies(first, run);
}

function withPolicies(survey: Survey, run: PolicyRun): Survey {
  const { deny } = run;
  return {
    ...survey,
    args: run.rewritten ? copyArgs(run.args, { freeze: "yes" }) : survey.args,
    rewritten: survey.rewritten || run.rewritten,
    ...(run.rewrittenBy === undefined ? {} : { rewrittenBy: run.rewrittenBy }),
    ...(deny === undefined ? {} : { deny: { ...deny, broken: false } }),
    asks: [
      ...survey.asks,
      ...run.asks.map(({ by, reason }) => ({ ...AskUser({ prompt: reason, details: { policy: by } }), by })),
    ],
    logOnly: survey.logOnly || run.logOnly,
    contexts: [...survey.contexts, ...run.contexts],
    findings: [...survey.findings, ...run.findings],
    trail: [...survey.trail, ...run.trail],
  };
}

/** Asked when the call is over: a failure here must not look like the tool's own. */
export type FindPolicies = () => Promise<CallPolicies | undefined>;

interface Watching {
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** For doors that can hold a result back: an enforcement policy that failed takes its place. Never rejects. */
export async function policedEnd(
  find: FindPolicies,
  call: ToolCall,
  given: { readonly end: AfterCall } & Watching,
): Promise<AfterCall> {
  const { end } = given;
  // What a rule withheld nobody is shown.
  if (end.outcome.kind !== "run") return end;
  const { result, error } = end;
  const said = await asked(find, call, { outcome: end.recorded, result, error, ...given });
  if (said === undefined) return end;
  const recorded = withAfter(end.recorded, said);
  const seen = { ...end, outcome: withAfter(end.outcome, said), recorded };
  return said.error === undefined ? seen : { ...seen, result: null, error: said.error.reason, changed: true };
}

/** For doors that cannot: what they wanted is on record. Never rejects. */
export async function policedOutcome(
  find: FindPolicies,
  call: ToolCall,
  given: { readonly outcome: Outcome; readonly result: unknown; readonly error: string | null } & Watching,
): Promise<Outcome> {
  const { outcome } = given;
  if (outcome.kind !== "run") return outcome;
  const said = await asked(find, call, { ...given, outcome });
  if (said === undefined) return outcome;
  const findings: Finding[] = [...said.findings];
  if (said.error !== undefined) {
    const { reason, by } = said.error;
    findings.push({ code: "result_not_withheld", message: reason, by, severity: "warning" });
  }
  return withAfter(outcome, { ...said, findings });
}

function withAfter<T extends Outcome>(outcome: T, said: PolicyAfter): T {
  return {
    ...outcome,
    findings: [...outcome.findings, ...said.findings],
    trail: [...outcome.trail, ...said.trail],
  };
}

/** Undefined where no policy looks on. */
async function asked(
  find: FindPolicies,
  call: ToolCall,
  given: { readonly outcome: RunOutcome; readonly result: unknown; readonly error: string | null } & Watching,
): Promise<PolicyAfter | undefined> {
  const { outcome, result, error, log, signal } = given;
  try {
    const policies = await find();
    if (policies?.watches("after", call.toolName, call.canonicalName) !== true) return undefined;
    return await policies.after(call, outcome.args, { result, error }, signal);
  } catch (problem) {
    const reason = `policy error: ${messageOf(problem)}`;
    log.error(`after ${call.toolName}: ${reason}`);
    const failed: Finding = { code: "policy_failed", message: reason, by: "policies", severity: "error" };
    return { error: { reason, by: "policies" }, findings: [failed], trail: [] };
  }
}
