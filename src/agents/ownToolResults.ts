/** What an agent is told when a tool of ours did not run, or failed. Pure. */
import { type Args, isPlainObject } from "../core/call";
import { CountersignError, messageOf } from "../core/errors";
import { describeRefusedAct } from "../core/guards/engineRefusal";
import type { Outcome } from "../core/hook";
import type { EngineRefused } from "../node/databases/database";

export function contextsOf(outcome: Outcome): Args {
  return outcome.contexts.length === 0 ? {} : { context: outcome.contexts };
}

/** The shapes of a refused and a held call. */
export function refusal(tool: string, outcome: Exclude<Outcome, { kind: "run" }>): Args {
  if (outcome.kind === "denied") {
    return {
      kind: "denied",
      tool,
      reason: outcome.reason,
      message: `${tool} was not run: ${outcome.reason}`,
      by: outcome.by,
      ...(outcome.syntheticOutput === undefined ? {} : { output: outcome.syntheticOutput }),
      ...contextsOf(outcome),
    };
  }
  return {
    requires_confirmation: true,
    tool,
    prompt: outcome.prompt,
    details: outcome.details,
    confirm_args: outcome.confirm_args,
    ask_id: outcome.askId,
    instruction: `${tool} was not run. Show the prompt to the user; only if the user agrees, call ${tool} again with the same arguments and confirm_args added.`,
    ...contextsOf(outcome),
  };
}

export function engineRefused(tool: string, error: EngineRefused): Args {
  return {
    kind: "engine_refused",
    tool,
    requires_confirmation: true,
    refused: error.acts,
    message: error.message,
    prompt: `The database would also ${error.acts.map(describeRefusedAct).join(", and ")}.`,
    instruction: `${error.outcome} If this is wanted, call ${tool} again with exactly the same arguments: a person is then asked to approve it.`,
  };
}

export function failure(tool: string, error: unknown): Args {
  const known = error instanceof CountersignError ? error : undefined;
  return {
    kind: "error",
    tool,
    ...(known === undefined ? {} : { code: known.code }),
    message: messageOf(error),
    ...(known?.hint === undefined ? {} : { hint: known.hint }),
  };
}

/** A rule may have put anything in the place of the tool's own result. */
export function shownResult(result: unknown): Args {
  return isPlainObject(result) ? result : { result };
}
