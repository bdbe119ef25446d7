import { defineToolPolicy } from "countersign/policy";

const MOST = 25;
/** Session → calls that were let through. */
const seen = new Map<string, Set<string>>();

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "crm_.*|mcp__crm__.*",

  beforeToolCall({ sessionId, callId }) {
    const calls = seen.get(sessionId) ?? new Set();
    seen.set(sessionId, calls);
    if (calls.has(callId)) return undefined;
    if (calls.size >= MOST) {
      return { action: "ask", reason: `This session has made ${MOST} calls of the paid service already.` };
    }
    calls.add(callId);
    return { action: "allow", additionalContext: `${MOST - calls.size} calls of this service are left.` };
  },
});
