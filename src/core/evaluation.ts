/** The verdict on one call as values: what was judged, what came of it, and the two verdicts that no guard was asked for. Judges nothing. */
import type { Args, ToolCall } from "./call";
import type { AskDecision, Finding } from "./decision";
import type { TrailEntry } from "./hook";

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

/** The switch is off. */
export function bypassed(args: Args, binding: Readonly<Record<string, string>>): Evaluation {
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
