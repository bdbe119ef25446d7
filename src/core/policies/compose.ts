/** What several policies said of one call, made one: deny > ask > allow > log-only > none, and observers never block. Asks nobody. */
import type { Args } from "../call";
import type { Finding } from "../decision";
import type { TrailEntry } from "../hook";
import { readPolicyDecision } from "./decision";
import type { PolicyAnswer, PolicyDenial, PolicyKind, PolicyRun } from "./types";

/** One policy's part. */
export interface Said {
  readonly by: string;
  readonly kind: PolicyKind;
  readonly answer: PolicyAnswer;
  readonly ms: number;
  /** Asked again, on arguments that were rewritten after it was asked: it may refuse or ask, not rewrite. */
  readonly again?: { readonly args: Args; readonly same: (a: Args, b: Args) => boolean };
}

export type OpenPolicyRun = {
  -readonly [K in keyof PolicyRun]: PolicyRun[K] extends readonly (infer T)[] ? T[] : PolicyRun[K];
} & { allowed: boolean; logged: boolean };

export function openPolicyRun(args: Args): OpenPolicyRun {
  const lists = { asks: [], contexts: [], findings: [], trail: [] };
  return { args, rewritten: false, logOnly: false, allowed: false, logged: false, ...lists };
}

/** As it stands: an `allow` outweighs what was only logged. */
export function closedRun(run: OpenPolicyRun): PolicyRun {
  const { allowed, logged, ...rest } = run;
  const blocks = rest.deny !== undefined || rest.asks.length > 0;
  return { ...rest, logOnly: logged && !allowed && !blocks };
}

/** What the trail says of it. */
interface Told {
  readonly decision: TrailEntry["decision"];
  readonly note?: string;
}

/** The first denial stands, whoever comes later. */
export function takePolicyAnswer(run: OpenPolicyRun, said: Said): void {
  const { by, ms, again } = said;
  const { decision, note } = told(run, said);
  const words = [...(again === undefined ? [] : ["asked again"]), ...(note === undefined ? [] : [note])];
  const noted = words.length === 0 ? {} : { note: words.join(": ") };
  run.trail.push({ by, stage: "policies", decision, ms, ...noted });
}

function told(run: OpenPolicyRun, said: Said): Told {
  const { answer } = said;
  const why = failureOf(answer);
  if (why !== undefined || answer.kind !== "returned") return failed(run, said, why ?? "");
  const read = readPolicyDecision(answer.value);
  if (!read.ok) return failed(run, said, `policy error: ${read.why}`);
  const { decision } = read;
  switch (decision.action) {
    case "none":
      return { decision: "allow", note: "no decision" };
    case "log-only":
      run.logged = true;
      return { decision: "log-only" };
    case "deny":
      return denied(run, said, decision);
    case "ask":
      return asked(run, said, decision.reason);
    case "allow":
      return allowed(run, said, decision);
    default:
      return decision satisfies never;
  }
}

function denied(run: OpenPolicyRun, said: Said, { reason, syntheticOutput }: Omit<PolicyDenial, "by">): Told {
  if (said.kind === "observer") return observed(run, said, { code: "would_deny", reason });
  const { by } = said;
  run.deny ??= { reason, by, ...(syntheticOutput === undefined ? {} : { syntheticOutput }) };
  return { decision: "deny", note: reason };
}

function asked(run: OpenPolicyRun, said: Said, reason: string): Told {
  if (said.kind === "observer") return observed(run, said, { code: "would_ask", reason });
  const { by } = said;
  // Asked twice, one question is enough.
  if (!run.asks.some((ask) => ask.by === by && ask.reason === reason)) run.asks.push({ by, reason });
  return { decision: "ask", note: reason };
}

function observed(run: OpenPolicyRun, said: Said, what: { code: string; reason: string }): Told {
  const words = what.code === "would_deny" ? "would deny" : "would ask";
  run.logged = true;
  run.findings.push(finding(said.by, what.code, { message: what.reason, severity: "warning" }));
  return { decision: "log-only", note: `${words}: ${what.reason}` };
}

function allowed(
  run: OpenPolicyRun,
  said: Said,
  decision: { readonly additionalContext?: string; readonly updatedInput?: Args },
): Told {
  const { additionalContext: context, updatedInput } = decision;
  const { again, by } = said;
  if (again !== undefined) {
    if (updatedInput === undefined || again.same(updatedInput, again.args)) return { decision: "allow" };
    // The last rewrite holds; that it undoes an earlier one is on record.
    const message = `${run.rewrittenBy ?? "another policy"} rewrote what this policy had rewritten`;
    run.findings.push(finding(by, "rewrite_overruled", { message, severity: "warning" }));
    return { decision: "allow", note: "rewrite overruled" };
  }
  run.allowed = true;
  if (context !== undefined && context !== "") run.contexts.push(`[${labelOf(by)}] ${context}`);
  if (updatedInput === undefined) return { decision: "allow" };
  run.args = updatedInput;
  run.rewritten = true;
  run.rewrittenBy = by;
  return { decision: "rewrite" };
}

/** An enforcement policy that cannot judge refuses; an observer's failure is on record. */
function failed(run: OpenPolicyRun, { by, kind }: Said, why: string): Told {
  const severity = kind === "enforcement" ? "error" : "warning";
  run.findings.push(finding(by, "policy_failed", { message: why, severity }));
  if (kind === "enforcement") run.deny ??= { reason: why, by };
  return { decision: "error", note: why };
}

/** Why it gave no answer at all. */
export function failureOf(answer: PolicyAnswer): string | undefined {
  switch (answer.kind) {
    case "returned":
      return undefined;
    case "failed":
      return `policy error: ${answer.why}`;
    case "late":
      return `policy timeout (${answer.ms} ms)`;
    case "aborted":
      return "policy error: the caller has gone";
    default:
      return answer satisfies never;
  }
}

export function finding(by: string, code: string, what: Pick<Finding, "message" | "severity">): Finding {
  return { code, by, ...what };
}

const labelOf = (by: string): string => (by.startsWith("policy ") ? by : `policy ${by}`);
