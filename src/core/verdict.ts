/** One verdict out of a survey: who denies, who asks, what consent the call carries. Asks nobody, runs no hook. */
import type { Hasher } from "../ports";
import { combine, TOKEN_KEY, withToken } from "./asks";
import type { ToolCall } from "./call";
import type { Survey } from "./chain";
import type { Finding } from "./decision";
import type { Evaluation } from "./evaluation";
import { carries, withoutKeys } from "./values";

export interface VerdictDeps {
  readonly hasher: Hasher;
  readonly consent: "human" | "args";
  /** Arguments that carry consent. */
  readonly confirmKeys: readonly string[];
  /** Secret of this run, for tokens of asks. */
  readonly nonce: string;
}

/** deny > ask > rewrite or allow > log-only. `secured` = what was found before the hooks were asked. */
export function verdict(
  call: ToolCall,
  deps: VerdictDeps,
  judged: { readonly survey: Survey; readonly secured: readonly Finding[] },
): Evaluation {
  const { survey, secured } = judged;
  const asks = survey.asks.map((ask) => withToken(call, deps, ask));
  const confirmKeys = [
    ...deps.confirmKeys,
    TOKEN_KEY,
    ...asks.flatMap((ask) => Object.keys(ask.confirmArgs)),
  ];
  const open = asks.filter((ask) => !carries(call.input, ask.confirmArgs));
  const claimed = asks.length > 0 && open.length === 0;
  const forged =
    deps.consent === "human" && asks.some((ask) => carries(call.input, ask.confirmArgs)) ? [FORGED] : [];
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

const FORGED: Finding = {
  code: "forged_consent",
  message: "the call carried its own consent; only a person's click counts",
  by: "security",
  severity: "warning",
};
