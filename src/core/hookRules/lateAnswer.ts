/** What async handlers come to after their call went on: too late to influence anything, so it is findings. Runs none. */
import type { Finding } from "../decision";
import { messageOf } from "../errors";
import type { HandlerError, LateAnswer, RunDeps } from "./ruleRun";
import type { Handler, HandlerAnswer, HookEvent, Rule } from "./types";

export const errorFinding = ({ rule, handler, message }: HandlerError): Finding => ({
  code: "handler_failed",
  message: rule === handler ? message : `${handler}: ${message}`,
  by: rule,
  severity: "error",
});

/** Never rejects. */
export async function reportLate(deps: RunDeps, late: LateAnswer): Promise<void> {
  if (late.error !== undefined) deps.log.warn(`rule ${late.error.rule}: ${late.error.message}`);
  try {
    await deps.onLate?.(late);
  } catch (error) {
    deps.log.error(`rule: ${messageOf(error)}`);
  }
}

/** An async handler comes too late to influence anything; what it wanted is a finding. */
export function lateAnswer(
  rule: Rule,
  handler: Handler,
  said: { readonly event: HookEvent; readonly answer: HandlerAnswer },
): LateAnswer {
  const { event, answer } = said;
  const failed = (message: string): LateAnswer => {
    const error = { rule: rule.name, handler: handler.name, message };
    return { event, error, findings: [errorFinding(error)] };
  };
  switch (answer.kind) {
    case "failed":
    case "broken":
      return failed(answer.why);
    case "deny":
      return failed(`an async handler cannot deny: ${answer.reason}`);
    case "context":
      return { event, findings: [] };
    case "result": {
      const { decision, reason, findings } = answer.result;
      const own = findings.map((one) => ({ ...one, by: rule.name }));
      if (decision === "allow") return { event, findings: own };
      const late = failed(`an async handler cannot ${decision}${reason === null ? "" : `: ${reason}`}`);
      return { ...late, findings: [...own, ...late.findings] };
    }
    default:
      return answer satisfies never;
  }
}
