/** The `audit_log` hook: one record per call after it, or the result's record where the decision has its own. */
import type { AuditStore, Hasher } from "../../ports";
import { isPlainObject } from "../call";
import type { Hook, HookContext, Outcome } from "../hook";
import { decisionRecord } from "../recording";

export interface AuditHookOptions {
  readonly store: AuditStore;
  readonly hasher: Hasher;
  readonly policyDigest: () => string;
}

/** Last in the chain, so that it sees every prior decision, denials included. */
export function auditLog(options: AuditHookOptions): Hook {
  return {
    name: "audit_log",
    async postToolUse(ctx, _toolName, args, result, error) {
      const outcome = ctx.outcome ?? outcomeFrom(result, args);
      // A denied or held call has no result beside the decision that is on record already.
      if (ctx.recorded === true && outcome.kind !== "run") return;
      await options.store.append(
        decisionRecord(
          { call: ctx.call, hasher: options.hasher, policyDigest: options.policyDigest() },
          {
            outcome,
            ended: { result, error, ...(ctx.durationMs === undefined ? {} : { durationMs: ctx.durationMs }) },
            failures: ctx.failures ?? [],
            event: ctx.recorded === true ? "result" : "call",
          },
        ),
      );
    },
  };
}

/** Callers that drive `pre` and `post` themselves pass a denial as the result. */
function outcomeFrom(result: unknown, args: HookContext["call"]["input"]): Outcome {
  const base = { args, contexts: [], findings: [], trail: [], rewritten: false };
  if (isPlainObject(result) && result.kind === "denied") {
    return {
      ...base,
      kind: "denied",
      reason: String(result.reason ?? ""),
      by: String(result.by ?? "unknown"),
      broken: false,
    };
  }
  if (isPlainObject(result) && result.requires_confirmation === true) {
    const confirm_args = isPlainObject(result.confirm_args) ? result.confirm_args : {};
    return {
      ...base,
      kind: "asks_user",
      askId: "",
      prompt: String(result.prompt ?? ""),
      details: {},
      confirm_args,
      by: "unknown",
    };
  }
  return { ...base, kind: "run", decision: "allow", by: null, binding: {} };
}
