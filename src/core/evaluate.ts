/** Judges one call: security, the chain, the rules, the re-check of the guards, one combined verdict. Asks nobody, records nothing. */
import type { Clock, Hasher } from "../ports";
import { combine, TOKEN_KEY, withToken } from "./asks";
import type { Args, ToolCall } from "./call";
import type { HookChain, Survey } from "./chain";
import type { AskDecision, Finding } from "./decision";
import { messageOf } from "./errors";
import type { HookContext, TrailEntry } from "./hook";
import type { CallRules } from "./hookRules/callRules";
import { type RulesMemo, rulesStage, withRules } from "./hookRules/stage";
import { carries, copyArgs, stableText, withoutKeys } from "./values";

export interface EvaluateDeps {
  readonly chain: HookChain;
  readonly clock: Clock;
  readonly hasher: Hasher;
  /** Rules around calls; absent = none. */
  readonly rules?: CallRules;
  /** False bypasses the chain and the rules entirely. */
  readonly enabled: boolean;
  readonly consent: "human" | "args";
  /** Arguments that carry consent; removed before a handler or a fingerprint sees the call. */
  readonly confirmKeys: readonly string[];
  /** What an adapter binds every grant to: real cwd, hashes of the files a command executes. */
  readonly bind?: (call: ToolCall, args: Args) => Promise<Readonly<Record<string, string>>>;
  /** Secret of this run: makes the token for an ask that names no confirm_args. */
  readonly nonce: string;
}

export interface Evaluation {
  readonly kind: "allow" | "rewrite" | "log-only" | "deny" | "ask";
  readonly by: string | null;
  readonly reason?: string;
  readonly syntheticOutput?: unknown;
  readonly broken: boolean;
  /** One ask, made of all that were raised; only with kind "ask" or when consent in the arguments lifted it. */
  readonly ask?: AskDecision & { readonly by: string; readonly askers: readonly string[] };
  readonly consentCarried: boolean;
  /** Final arguments, without confirm keys. */
  readonly args: Args;
  readonly rewritten: boolean;
  readonly contexts: readonly string[];
  readonly findings: readonly Finding[];
  readonly binding: Readonly<Record<string, string>>;
  readonly trail: readonly TrailEntry[];
}

export interface EvaluateOptions {
  readonly declaredArgs?: readonly string[];
  readonly stage?: TrailEntry["stage"];
  /** One per call, so that handlers of rules run once although the call is judged again after a click. */
  readonly memo?: RulesMemo;
  /** Aborted when the caller has gone: handlers of rules are ended. */
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
  const survey = await withoutSmuggling(call, ctx, { deps, first, options });
  const rebound = survey.rewritten ? await deps.bind?.(call, survey.args) : bound;
  return verdict(call, deps, { ...survey, binding: { ...rebound, ...survey.binding } }, secured.findings);
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
    return first.rewritten ? recheck(call, ctx, { deps, first }) : first;
  }
  const { signal = NEVER, memo = {} } = options;
  const args = copyArgs(first.args, { freeze: "yes" });
  const ruled = await rulesStage(call, deps.rules, { args, signal, memo });
  const final = { ...first, args: ruled.rewritten ? (ruled.event.tool_input ?? args) : first.args };
  const checked =
    ruled.deny === undefined && (first.rewritten || ruled.rewritten)
      ? await recheck(call, ctx, { deps, first: final })
      : final;
  return withRules(checked, ruled);
}

/** After a rewrite the guards judge what will really run; their word replaces their earlier one. */
async function recheck(
  call: ToolCall,
  ctx: HookContext,
  run: { deps: EvaluateDeps; first: Survey },
): Promise<Survey> {
  const { deps, first } = run;
  const args = copyArgs(first.args, { freeze: "yes" });
  const again = await deps.chain.survey(ctx, {
    toolName: call.toolName,
    args,
    onAsk: "collect",
    only: "guards",
    stage: "recheck",
  });
  const guards = new Set(
    deps.chain
      .hooks()
      .filter((hook) => hook.guard === true)
      .map((hook) => hook.name),
  );
  const changedAgain = again.rewritten && stableText(again.args) !== stableText(args);
  const deny =
    again.deny ??
    (changedAgain
      ? {
          reason: `guard broken: ${again.rewrittenBy ?? "a guard"} rewrites its own rewrite`,
          by: again.rewrittenBy ?? "security",
          broken: true,
        }
      : undefined);
  return {
    ...first,
    args,
    ...(deny === undefined ? {} : { deny }),
    asks: [...again.asks, ...first.asks.filter((ask) => !guards.has(ask.by))],
    contexts: [...first.contexts, ...again.contexts],
    findings: [...first.findings, ...again.findings],
    binding: { ...first.binding, ...again.binding },
    trail: [...first.trail, ...again.trail],
  };
}

/** deny > ask > rewrite or allow > log-only. */
function verdict(
  call: ToolCall,
  deps: EvaluateDeps,
  survey: Survey,
  secured: readonly Finding[],
): Evaluation {
  const asks = survey.asks.map((ask) => withToken(call, deps, ask));
  const confirmKeys = [
    ...deps.confirmKeys,
    TOKEN_KEY,
    ...asks.flatMap((ask) => Object.keys(ask.confirmArgs)),
  ];
  const open = asks.filter((ask) => !carries(call.input, ask.confirmArgs));
  const claimed = asks.length > 0 && open.length === 0;
  const forged: Finding[] =
    deps.consent === "human" && asks.some((ask) => carries(call.input, ask.confirmArgs))
      ? [
          {
            code: "forged_consent",
            message: "the call carried its own consent; only a person's click counts",
            by: "security",
            severity: "warning",
          },
        ]
      : [];
  const base = {
    broken: survey.deny?.broken ?? false,
    consentCarried: deps.consent === "args" && claimed,
    args: withoutKeys(survey.args, confirmKeys),
    rewritten: survey.rewritten,
    contexts: survey.contexts,
    findings: [...secured, ...survey.findings, ...forged],
    binding: survey.binding,
    trail: survey.trail,
    ...(asks.length === 0 ? {} : { ask: combine(deps.consent === "args" && !claimed ? open : asks) }),
  };
  if (survey.deny !== undefined) {
    const { reason, by, syntheticOutput } = survey.deny;
    return {
      ...base,
      kind: "deny",
      reason,
      by,
      ...(syntheticOutput === undefined ? {} : { syntheticOutput }),
    };
  }
  if (asks.length > 0 && !base.consentCarried) return { ...base, kind: "ask", by: base.ask?.by ?? null };
  if (survey.rewritten) return { ...base, kind: "rewrite", by: survey.rewrittenBy ?? null };
  return { ...base, kind: survey.logOnly ? "log-only" : "allow", by: null };
}

function bypassed(args: Args, binding: Readonly<Record<string, string>>): Evaluation {
  const finding: Finding = {
    code: "chain_disabled",
    message: "the hook chain is switched off",
    by: "security",
    severity: "warning",
  };
  return {
    kind: "allow",
    by: null,
    broken: false,
    consentCarried: false,
    args,
    rewritten: false,
    contexts: [],
    findings: [finding],
    binding,
    trail: [],
  };
}

/** A call that could not be judged is denied. */
export function brokenEvaluation(call: ToolCall, message: string): Evaluation {
  const reason = `guard broken: the call could not be judged: ${message}`;
  return {
    kind: "deny",
    by: "security",
    reason,
    broken: true,
    consentCarried: false,
    args: call.input,
    rewritten: false,
    contexts: [],
    findings: [{ code: "guard_broken", message, by: "security", severity: "error" }],
    binding: {},
    trail: [{ by: "security", stage: "security", decision: "error", ms: 0, note: message }],
  };
}
