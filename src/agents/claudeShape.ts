/** The answer form that Claude Code began and others took over: `hookSpecificOutput` of a PreToolUse hook, exit 0. Knows nothing of outcomes. */
import type { BrokerAnswer } from "./hookRequest";
import type { Verdict } from "./verdict";

/**
 * The decision, or nothing at all where there is nothing to say: an explicit "allow" would skip the program's own question.
 * No other key: one program takes an unknown key for a broken hook and runs the tool.
 */
export function claudeShape(verdict: Verdict): BrokerAnswer {
  const body =
    verdict.kind === "deny"
      ? { permissionDecision: "deny", permissionDecisionReason: verdict.reason }
      : {
          ...(verdict.clicked ? { permissionDecision: "allow" } : {}),
          ...(verdict.input === undefined ? {} : { updatedInput: verdict.input }),
          ...(verdict.context === undefined ? {} : { additionalContext: verdict.context }),
        };
  if (Object.keys(body).length === 0) return { stdout: "" };
  return { stdout: JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...body } }) };
}
