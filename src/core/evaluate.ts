/** Judges one call: security, the chain, the policies, the rules, the re-check of the guards, one combined verdict. Asks nobody, records nothing. */
import type { Clock, Hasher } from "../ports";
import { TOKEN_KEY } from "./asks";
import type { Args, ToolCall } from "./call";
import type { HookChain, Survey } from "./chain";
import type { Finding } from "./decision";
import { messageOf } from "./errors";
import { brokenEvaluation, bypassed, type Evaluation } from "./evaluation";
import type { HookContext, TrailEntry } from "./hook";
import type { CallRules } from "./hookRules/callRules";
import { type RulesMemo, rulesStage, withRules } from "./hookRules/stage";
import { type PoliciesMemo, policiesStage } from "./policies/stage";
import type { CallPolicies } from "./policies/types";
import { recheck } from "./recheck";
import { copyArgs, withoutKeys } from "./values";
import { verdict } from "./verdict";

export interface EvaluateDeps {
  readonly chain: HookChain;
  readonly clock: Clock;
  readonly hasher: Hasher;
  /** Rules around calls; absent = none. */
  readonly rules?: CallRules;
  /** Policies that a person trusted; absent = none. */
  readonly policies?: CallPolicies;
  /** False bypasses the chain, the policies and the rules entirely. */
  readonly enabled: boolean;
  readonly consent: "human" | "args";
  /** Arguments that carry consent; removed before a handler or a fingerprint sees the call. */
  readonly confirmKeys: readonly string[];
  /** What an adapter binds every grant to: real cwd, hashes of the files a command executes. */
  readonly bind?: (call: ToolCall, args: Args) => Promise<Readonly<Record<string, string>>>;
  /** Secret of this run: makes the token for an ask that names no confirm_args. */
  readonly nonce: string;
}

export interface EvaluateOptions {
  readonly declaredArgs?: readonly string[];
  readonly stage?: TrailEntry["stage"];
  /** One per call, so that policies and handlers of rules run once although the call is judged again after a click. */
  readonly memo?: RulesMemo & PoliciesMemo;
  /** Aborted when the caller has gone: policies and handlers of rules are ended. */
  readonly signal?: AbortSignal;
}

const NEVER = new AbortController().signal;

export async function evaluate(
  call: ToolCall,
  deps: EvaluateDeps,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  try {
    return await judge(call, deps, options);
  } catch (error) {
    return brokenEvaluation(call, messageOf(error));
  }
}

async function judge(given: ToolCall, deps: EvaluateDeps, options: EvaluateOptions): Promise<Evaluation> {
  // Read once: what is judged, asked, bound and run is this copy, whatever the caller or a hook does to theirs.
  const call: ToolCall = { ...given, input: copyArgs(given.input, { freeze: "yes" }) };
  const secured = secure(call, deps, options.declaredArgs);
  const bound = await deps.bind?.(call, secured.args);
  if (!deps.enabled) return bypassed(secured.args, bound ?? {});
  const ctx = contextOf(call);
  const stage = options.stage ?? "chain";
  const first = await deps.chain.survey(ctx, {
    toolName: call.toolName,
    args: secured.args,
    onAsk: "collect",
    stage,
  });
  const { signal = NEVER, memo = {} } = options;
  const policed = await policiesStage(call, deps.policies, { first, signal, memo });
  const survey = await withoutSmuggling(call, ctx, { deps, first: policed, options });
  const rebound = survey.rewritten ? await deps.bind?.(call, survey.args) : bound;
  return verdict(call, deps, {
    survey: { ...survey, binding: { ...rebound, ...survey.binding } },
    secured: secured.findings,
  });
}

export function contextOf(call: ToolCall): HookContext {
  const { sessionId, profile, traceId, extra } = call;
  return { sessionId, profile, traceId, extra, call };
}

/** Undeclared keys go, and with a person's consent also the keys that only claim it. */
function secure(
  call: ToolCall,
  deps: EvaluateDeps,
  declared: readonly string[] | undefined,
): { args: Args; findings: Finding[] } {
  const keep = new Set([...(declared ?? []), ...deps.confirmKeys, TOKEN_KEY]);
  const undeclared = declared === undefined ? [] : Object.keys(call.input).filter((key) => !keep.has(key));
  const dropped = deps.consent === "human" ? [...undeclared, ...deps.confirmKeys, TOKEN_KEY] : undeclared;
  const args = Object.freeze(withoutKeys(call.input, dropped));
  const findings: Finding[] =
    undeclared.length === 0
      ? []
      : [
          {
            code: "undeclared_args",
            message: `removed: ${undeclared.join(", ")}`,
            by: "security",
            severity: "info",
          },
        ];
  return { args, findings };
}

/** The rules speak on the chain's arguments; after any rewrite the guards judge the final ones. A denial ends it. */
async function withoutSmuggling(
  call: ToolCall,
  ctx: HookContext,
  run: { deps: EvaluateDeps; first: Survey; options: EvaluateOptions },
): Promise<Survey> {
  const { deps, first, options } = run;
  if (first.deny !== undefined) return first;
  if (deps.rules === undefined || !deps.rules.watches("pre_tool_call")) {
    return first.rewritten ? recheck(call, ctx, { chain: deps.chain, first }) : first;
  }
  const { signal = NEVER, memo = {} } = options;
  const args = copyArgs(first.args, { freeze: "yes" });
  const ruled = await rulesStage(call, deps.rules, { args, signal, memo });
  const final = { ...first, args: ruled.rewritten ? (ruled.event.tool_input ?? args) : first.args };
  const checked =
    ruled.deny === undefined && (first.rewritten || ruled.rewritten)
      ? await recheck(call, ctx, { chain: deps.chain, first: final })
      : final;
  return withRules(checked, ruled);
}
