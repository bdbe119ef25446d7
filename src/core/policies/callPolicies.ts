/** The policies around a tool call: which are asked, in which order, on which arguments. Knows them only as something to be asked. */
import type { Clock } from "../../ports";
import type { Args, ToolCall } from "../call";
import { sameValue } from "../values";
import {
  closedRun,
  failureOf,
  finding,
  type OpenPolicyRun,
  openPolicyRun,
  takePolicyAnswer,
} from "./compose";
import { policyEvent } from "./event";
import type {
  CallPolicies,
  PolicyAfter,
  PolicyAnswer,
  PolicyCallback,
  PolicyEnd,
  RunnablePolicy,
} from "./types";

export interface CallPoliciesDeps {
  readonly clock: Pick<Clock, "monotonic">;
  /** What a call is about: the command, the SQL or the path in its arguments. */
  readonly subject: (call: ToolCall, args: Args) => string;
  readonly issues: CallPolicies["issues"];
  readonly dispose: CallPolicies["dispose"];
}

export function callPolicies(policies: readonly RunnablePolicy[], deps: CallPoliciesDeps): CallPolicies {
  const wanted = (callback: PolicyCallback, toolName: string, canonicalName: string) =>
    policies.filter((policy) => policy.has(callback) && policy.matches(toolName, canonicalName));
  const of = (callback: PolicyCallback, { toolName, canonicalName }: ToolCall) =>
    wanted(callback, toolName, canonicalName);
  return {
    watches: (event, toolName, canonicalName = toolName) =>
      wanted(event === "before" ? "beforeToolCall" : "afterToolCall", toolName, canonicalName).length > 0,
    before: (call, args, signal) => before(of("beforeToolCall", call), { call, deps, signal }, args),
    after: (call, args, end, signal) =>
      after(of("afterToolCall", call), { call, deps, signal }, { args, end }),
    issues: deps.issues,
    dispose: deps.dispose,
  };
}

interface Asking {
  readonly call: ToolCall;
  readonly deps: CallPoliciesDeps;
  readonly signal: AbortSignal;
}

/** Each sees what those before it made of the arguments. All are asked, so that an observer's figures do not hang on the order. */
async function before(policies: readonly RunnablePolicy[], asking: Asking, args: Args) {
  const run = openPolicyRun(args);
  const seen = new Map<RunnablePolicy, Args>();
  for (const policy of policies) {
    seen.set(policy, run.args);
    const { answer, ms } = await timed(policy, asking, { args: run.args });
    takePolicyAnswer(run, { by: policy.name, kind: policy.kind, answer, ms });
  }
  await askAgain(run, asking, seen);
  return closedRun(run);
}

/** Who refuses by arguments has judged nothing where others run: what was rewritten behind its back is put to it too. */
async function askAgain(run: OpenPolicyRun, asking: Asking, seen: ReadonlyMap<RunnablePolicy, Args>) {
  const { args } = run;
  for (const [policy, before] of seen) {
    if (run.deny !== undefined) return;
    if (policy.kind === "observer" || before === args || sameValue(before, args)) continue;
    // Its own rewrite is what runs: it need not be asked of that.
    if (run.rewrittenBy === policy.name && [...seen.keys()].at(-1) === policy) continue;
    const { answer, ms } = await timed(policy, asking, { args });
    takePolicyAnswer(run, {
      by: policy.name,
      kind: policy.kind,
      answer,
      ms,
      again: { args, same: sameValue },
    });
  }
}

async function after(
  policies: readonly RunnablePolicy[],
  asking: Asking,
  what: { readonly args: Args; readonly end: PolicyEnd },
): Promise<PolicyAfter> {
  const state: { -readonly [K in keyof PolicyAfter]: PolicyAfter[K] } = { findings: [], trail: [] };
  for (const policy of policies) {
    const { name: by, kind } = policy;
    const { answer, ms } = await timed(policy, asking, what);
    const why = failureOf(answer);
    const note = why === undefined ? {} : { note: why };
    const decision = why === undefined ? "log-only" : "error";
    state.trail = [...state.trail, { by, stage: "policies", decision, ms, ...note }];
    if (why === undefined) continue;
    const severity = kind === "enforcement" ? "error" : "warning";
    state.findings = [...state.findings, finding(by, "policy_failed", { message: why, severity })];
    if (kind === "enforcement") state.error ??= { reason: why, by };
  }
  return state;
}

async function timed(
  policy: RunnablePolicy,
  { call, deps, signal }: Asking,
  what: { readonly args: Args; readonly end?: PolicyEnd },
): Promise<{ readonly answer: PolicyAnswer; readonly ms: number }> {
  const started = deps.clock.monotonic();
  const answer = await ask();
  return { answer, ms: Math.round((deps.clock.monotonic() - started) * 1000) / 1000 };

  async function ask(): Promise<PolicyAnswer> {
    try {
      const event = policyEvent(call, { ...what, subject: deps.subject(call, what.args) });
      if (!event.ok) return { kind: "failed", why: event.why };
      return await policy.run(
        what.end === undefined ? "beforeToolCall" : "afterToolCall",
        event.text,
        signal,
      );
    } catch (error) {
      return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
    }
  }
}
