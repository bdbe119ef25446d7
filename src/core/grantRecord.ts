/** What the audit log is told of a grant: by whose answer, for what, how far, and how it ended. Knows nothing of when grants are given. */
import type { RecordBody } from "./audit/record";
import type { ToolCall } from "./call";
import type { GrantEnd, GrantState } from "./consent";

export interface GrantRecordFacts {
  readonly policyDigest?: string;
  /** The call at hand when the grant was given or ended; absent = there was none. */
  readonly call?: ToolCall;
  /** Absent = the grant begins with this record. */
  readonly ended?: GrantEnd | undefined;
}

/** `data {scope, shape, caps {calls, until}}` where it begins, `data {scope, ended, used}` where it ends; `ask_id` is the answered question's. */
export function grantRecord(grant: GrantState, { policyDigest, call, ended }: GrantRecordFacts): RecordBody {
  const { askId, scope, shape, calls, left, until } = grant;
  const caps = { calls, until: new Date(until).toISOString() };
  return {
    event: "grant",
    ...(call === undefined
      ? {}
      : { call_id: call.callId, trace_id: call.traceId, profile: call.profile, tool: call.toolName }),
    session_id: grant.call.sessionId,
    agent: grant.call.agent,
    approver: "person",
    ask_id: askId,
    ...(policyDigest === undefined ? {} : { policy_digest: policyDigest }),
    data:
      ended === undefined
        ? { scope, ...(shape === undefined ? {} : { shape }), caps }
        : { scope, ended, used: calls - left },
    error: null,
  };
}
