/** Whether a person who allowed a call was shown that its tool had changed. Pure. */
import { TOOL_PIN } from "../../core/guards/toolPin";
import type { RunOutcome } from "../../core/hook";

export function pinWasApproved({ consent, trail }: RunOutcome): boolean {
  const clicked = consent === "once" || consent === "session";
  return clicked && trail.some((entry) => entry.by === TOOL_PIN && entry.decision === "ask");
}
