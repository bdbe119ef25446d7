/** The rules' stage of a verdict: what the rules said of the chain's arguments, in the chain's words. Judges nothing itself. */
import type { Args, ToolCall } from "../call";
import type { Survey } from "../chain";
import { AskUser } from "../decision";
import type { TrailEntry } from "../hook";
import { sameValue } from "../values";
import type { CallRules } from "./callRules";
import { type HandlerError, labelled, type RuleRun } from "./ruleRun";

/**
 * What the rules answered for a call that is judged again after a person's click: their handlers run once per call,
 * as long as they are the same rules and see the same arguments.
 */
export interface RulesMemo {
  kept?: { readonly rules: CallRules; readonly args: Args; readonly run: RuleRun };
}

export interface RulesInput {
  readonly args: Args;
  readonly signal: AbortSignal;
  readonly memo: RulesMemo;
}

export async function rulesStage(call: ToolCall, rules: CallRules, input: RulesInput): Promise<RuleRun> {
  const { args, memo, signal } = input;
  const { kept } = memo;
  if (kept !== undefined && kept.rules === rules && sameValue(kept.args, args)) return kept.run;
  const run = await rules.pre(call, args, signal);
  memo.kept = { rules, args, run };
  return run;
}

/** The chain's survey with the rules' word added. `args` are the final ones, when they were rewritten. */
export function withRules(survey: Survey, run: RuleRun): Survey {
  const { deny } = run;
  return {
    ...survey,
    rewritten: survey.rewritten || run.rewritten,
    ...(run.rewrittenBy === undefined ? {} : { rewrittenBy: run.rewrittenBy }),
    ...(survey.deny !== undefined || deny === undefined
      ? {}
      : { deny: { reason: deny.reason, by: deny.by, broken: deny.broken } }),
    asks: [...survey.asks, ...run.asks.map(askOf)],
    contexts: [...survey.contexts, ...run.contexts.map(labelled)],
    findings: [...survey.findings, ...run.findings],
    trail: [...survey.trail.filter((one) => !isAgain(one)), ...run.trail, ...survey.trail.filter(isAgain)],
  };
}

/** Guards that judged what the rules made of the call: they spoke behind the rules. */
const isAgain = ({ stage }: TrailEntry): boolean => stage === "recheck";

function askOf({ rule, handler, message }: HandlerError): Survey["asks"][number] {
  const who = rule === handler ? `the rule ${rule}` : `the rule ${rule} (${handler})`;
  const prompt = `guard broken: ${who} could not judge this call: ${message}`;
  return { ...AskUser({ prompt, details: { rule, handler, why: message } }), by: rule };
}
