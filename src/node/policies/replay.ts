/** A policy on recorded calls, as an observer would see them: what it would have refused or asked. No tool runs, and nothing is recorded. */
import { canonicalName } from "../../agents/toolFacts";
import type { AuditRecord } from "../../core/audit/record";
import type { ToolCall } from "../../core/call";
import type { PolicyRun, PolicySource } from "../../core/policies/types";
import { nodeClock } from "../ports";
import { openPolicies, type PolicyHostDeps } from "./policyHost";

export interface Replayed {
  readonly record: AuditRecord;
  readonly would: "deny" | "ask" | "rewrite" | "fail";
  /** The policy's own words. */
  readonly why: string;
}

export interface Replay {
  /** Calls that were put to it, in the log's order. */
  readonly calls: number;
  /** Of these, the calls whose tool it is for. */
  readonly matched: number;
  readonly said: readonly Replayed[];
  /** Why it cannot judge at all. */
  readonly broken?: string;
}

/** Never rejects. `source` runs confined or not at all. */
export async function replayPolicy(
  source: PolicySource,
  records: readonly AuditRecord[],
  deps: Omit<PolicyHostDeps, "clock"> & { readonly signal: AbortSignal },
): Promise<Replay> {
  const { unconfined: _, ...confined } = source;
  const policies = await openPolicies([confined], { ...deps, clock: nodeClock });
  try {
    const [issue] = policies.issues();
    const calls = records.filter(({ event, tool }) => event === "call" && tool !== undefined);
    if (issue !== undefined) return { calls: calls.length, matched: 0, said: [], broken: issue.message };
    const said: Replayed[] = [];
    let matched = 0;
    for (const record of calls) {
      if (deps.signal.aborted) break;
      const call = callOf(record);
      if (!policies.watches("before", call.toolName, call.canonicalName)) continue;
      matched += 1;
      const what = saidOf(await policies.before(call, call.input, deps.signal));
      if (what !== undefined) said.push({ record, ...what });
    }
    return { calls: calls.length, matched, said };
  } finally {
    await policies.dispose();
  }
}

function saidOf(run: PolicyRun): Omit<Replayed, "record"> | undefined {
  const found = (code: string) => run.findings.find((finding) => finding.code === code)?.message;
  const failed = found("policy_failed");
  if (failed !== undefined) return { would: "fail", why: failed };
  const deny = run.deny?.reason ?? found("would_deny");
  if (deny !== undefined) return { would: "deny", why: deny };
  const ask = run.asks[0]?.reason ?? found("would_ask");
  if (ask !== undefined) return { would: "ask", why: ask };
  return run.rewritten ? { would: "rewrite", why: JSON.stringify(run.args) } : undefined;
}

function callOf(record: AuditRecord): ToolCall {
  const toolName = record.tool ?? "";
  return {
    callId: record.call_id ?? "replay",
    runId: "replay",
    sessionId: record.session_id ?? "replay",
    agent: record.agent ?? "",
    toolName,
    canonicalName: canonicalName(toolName),
    input: record.args ?? {},
    profile: record.profile ?? "default",
    traceId: "replay",
    extra: {},
  };
}
