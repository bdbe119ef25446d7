/** Outcomes made of verdicts. Decides nothing. */
import type { Evaluation } from "./evaluation";
import type { Outcome } from "./hook";

function baseOf(
  evaluation: Evaluation,
): Pick<Outcome, "args" | "contexts" | "findings" | "trail" | "rewritten"> {
  const { args, contexts, findings, trail, rewritten } = evaluation;
  return { args, contexts, findings, trail, rewritten };
}

export function denied(evaluation: Evaluation, why: { reason: string; by: string; askId?: string }): Outcome {
  return {
    ...baseOf(evaluation),
    kind: "denied",
    reason: why.reason,
    by: why.by,
    broken: evaluation.broken,
    ...(why.askId === undefined ? {} : { askId: why.askId }),
    ...(evaluation.syntheticOutput === undefined ? {} : { syntheticOutput: evaluation.syntheticOutput }),
  };
}

export function allowed(
  evaluation: Evaluation,
  how: { consent?: "once" | "session"; askId?: string } = {},
): Outcome {
  const consent = how.consent ?? (evaluation.consentCarried ? "args" : undefined);
  const decision = evaluation.rewritten ? "rewrite" : evaluation.kind === "log-only" ? "log_only" : "allow";
  return {
    ...baseOf(evaluation),
    kind: "run",
    decision,
    by: evaluation.by ?? evaluation.ask?.by ?? null,
    binding: evaluation.binding,
    ...(consent === undefined ? {} : { consent }),
    ...(how.askId === undefined ? {} : { askId: how.askId }),
  };
}

export function held(evaluation: Evaluation, askId: string): Outcome {
  const { ask } = evaluation;
  if (ask === undefined) throw new Error("held needs an ask");
  return {
    ...baseOf(evaluation),
    kind: "asks_user",
    askId,
    prompt: ask.prompt,
    details: ask.details,
    confirm_args: ask.confirmArgs,
    by: ask.by,
  };
}
