/**
 * One governed call from top to bottom: judge → consent → durable record → tool → rules → post hooks → record.
 * Read this file first. It knows doors only as callers and the world only through ports.
 */
import type { AskAnswer, AuditStore, Clock, Hasher, Log } from "../ports";
import type { Args, ToolCall } from "./call";
import { endOf, notRun, observed } from "./callEnd";
import { callRecords } from "./callRecords";
import { type DecideDeps, decide, type Judged } from "./decide";
import { messageOf } from "./errors";
import { type EvaluateDeps, type EvaluateOptions, evaluate } from "./evaluate";
import { brokenEvaluation, type Evaluation } from "./evaluation";
import type { AskedEvent, DeniedEvent, Emitter, Metrics } from "./events";
import type { Outcome, RunOutcome } from "./hook";
import { denied } from "./outcomes";
import { copyArgs } from "./values";

export interface GovernDeps {
  /** Read per call, and again after a person's click: a changed configuration governs the next judgement. */
  readonly evaluate: () => Promise<EvaluateDeps> | EvaluateDeps;
  readonly decide: () => Omit<DecideDeps, "onAsk" | "onAnswer" | "onGrant" | "consent"> & {
    /** Names the configuration in force. */
    readonly policyDigest: () => string;
  };
  /** Absent = the audit log is switched off. */
  readonly audit: () => AuditStore | undefined;
  /** False lets calls run when their record cannot be written. */
  readonly auditRequired: () => boolean;
  /** Where a checkpoint key stands behind the log, a person's choice is a record of its own. */
  readonly recordsChoices: boolean;
  readonly clock: Clock;
  readonly hasher: Hasher;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly asked: Emitter<AskedEvent>;
  readonly denied: Emitter<DeniedEvent>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Argument names the tool's schema declares; the rest is removed. Absent = all are kept. */
  readonly declaredArgs?: readonly string[];
  /** True once the caller was told to come back with the same call. */
  readonly detached?: () => boolean;
}

export interface Ended {
  readonly result: unknown;
  readonly error: string | null;
  readonly durationMs?: number;
  /** For doors that can add to a result: handed once what rules have to say, labelled; false = the agent is not told any more. */
  readonly tell?: (contexts: readonly string[]) => boolean;
}

export type Governed<T> =
  | { readonly outcome: RunOutcome; readonly result: T }
  | { readonly outcome: Exclude<Outcome, RunOutcome>; readonly result?: undefined };

/** `outcome` tells how the call came to run, and what it is bound to. */
export type Handler<T> = (args: Args, outcome: RunOutcome) => Promise<T> | T;

export interface Governor {
  /** Judges without asking or recording: what `judge` and `explain` print. */
  evaluate(call: ToolCall, options?: CallOptions): Promise<Evaluation>;
  /** For doors that hold the call while we decide and cannot run it themselves: the decision's record is durable before this resolves. Never rejects. */
  authorize(call: ToolCall, options?: CallOptions): Promise<Outcome>;
  /** The end of an authorized call: a second record that names the first. Never rejects. */
  settle(call: ToolCall, outcome: Outcome, ended: Ended): Promise<void>;
  /** A result that nobody authorized. */
  ranUngoverned(call: ToolCall, ended: Ended): Promise<void>;
  /** For doors where we run the tool: a durable intent before, one record after. Rejects only with the handler's own error. */
  govern<T>(call: ToolCall, handler: Handler<T>, options?: CallOptions): Promise<Governed<T>>;
  /** A call that was authorized at another door and is run here: its end is a second record. Rejects only with the handler's own error. */
  finish<T>(call: ToolCall, outcome: RunOutcome, handler: Handler<T>): Promise<Governed<T>>;
}

const NEVER = new AbortController().signal;

const evaluateOptions = ({ declaredArgs, signal }: CallOptions): EvaluateOptions => ({
  ...(declaredArgs === undefined ? {} : { declaredArgs }),
  ...(signal === undefined ? {} : { signal }),
});

export function createGovernor(deps: GovernDeps): Governor {
  const judge = async (call: ToolCall, options: CallOptions): Promise<Evaluation> =>
    evaluate(call, await deps.evaluate(), evaluateOptions(options));

  return {
    evaluate: (call, options = {}) => judge(call, options),

    async authorize(call, options = {}) {
      const concluded = await conclude(deps, call, options);
      // Only now: the record names the configuration that the call was judged by.
      const outcome = await callRecords(deps, call).decided(concluded);
      if (outcome.kind !== "run")
        await observed(deps, call, { outcome, ended: notRun(outcome), recorded: true });
      return outcome;
    },

    async settle(call, outcome, ended) {
      await observed(deps, call, { outcome, ended, recorded: true });
    },

    async ranUngoverned(call, ended) {
      deps.log.warn(`${call.toolName} of ${call.agent} ran without having been judged`);
      await callRecords(deps, call).ranUngoverned(ended);
    },

    async govern<T>(call: ToolCall, handler: Handler<T>, options: CallOptions = {}): Promise<Governed<T>> {
      const outcome = await conclude(deps, call, options);
      if (outcome.kind !== "run") return { outcome: await refusedHere(deps, call, outcome) };
      const admitted = await callRecords(deps, call).intended(outcome);
      if (admitted.kind !== "run") return { outcome: await refusedHere(deps, call, admitted) };
      const run = { outcome, admitted, handler, signal: options.signal, recorded: false };
      return runAndEnd<T>(deps, call, run);
    },

    finish: (call, outcome, handler) =>
      runAndEnd(deps, call, { outcome, admitted: outcome, handler, signal: undefined, recorded: true }),
  };
}

interface Run<T> {
  /** As judged. */
  readonly outcome: RunOutcome;
  /** As recorded. */
  readonly admitted: RunOutcome;
  readonly handler: Handler<T>;
  readonly signal: AbortSignal | undefined;
  /** True where the decision has a record of its own. */
  readonly recorded: boolean;
}

async function runAndEnd<T>(deps: GovernDeps, call: ToolCall, run: Run<T>): Promise<Governed<T>> {
  const { outcome, admitted, handler, signal, recorded } = run;
  const started = deps.clock.monotonic();
  const durationMs = (): number => Math.max(0, Math.round(deps.clock.monotonic() - started));
  let result: T;
  try {
    result = await handler(copyArgs(outcome.args, { freeze: "no" }), outcome);
  } catch (error) {
    const ran = { outcome: admitted, thrown: { error }, durationMs: durationMs(), signal, recorded };
    return endOf<T>(deps, call, ran);
  }
  return endOf<T>(deps, call, { outcome: admitted, result, durationMs: durationMs(), signal, recorded });
}

/** Verdict and consent. Whatever fails on the way denies the call. */
async function conclude(deps: GovernDeps, call: ToolCall, options: CallOptions): Promise<Outcome> {
  try {
    return await judgeAndDecide(deps, call, options);
  } catch (error) {
    const evaluation = brokenEvaluation(call, messageOf(error));
    const reason = evaluation.reason ?? "guard broken";
    deps.log.error(`${call.toolName}: ${reason}`);
    return denied(evaluation, { reason, by: "security" });
  }
}

async function judgeAndDecide(deps: GovernDeps, call: ToolCall, options: CallOptions): Promise<Outcome> {
  const common: EvaluateOptions = { ...evaluateOptions(options), memo: {} };
  const judge = async (how: EvaluateDeps, stage?: "after-click"): Promise<Judged> => {
    // Before the guards begin: a configuration that changes while they work is not the one they judged under.
    const policyDigest = deps.decide().policyDigest();
    const more = stage === undefined ? common : { ...common, stage };
    return { evaluation: await evaluate(call, how, more), policyDigest };
  };
  const how = await deps.evaluate();
  const judged = await judge(how);
  const outcome = await decide(
    call,
    {
      ...deps.decide(),
      consent: how.consent,
      onAsk: (_call, asked) => onAsk(deps, call, asked),
      onAnswer: (_call, answered) => onAnswer(deps, call, answered),
      onGrant: async (_call, grant, ended) => {
        if (deps.recordsChoices) await callRecords(deps, call).granted(grant, ended);
      },
    },
    {
      ...judged,
      again: async () => judge(await deps.evaluate(), "after-click"),
      signal: options.signal ?? NEVER,
      ...(options.detached === undefined ? {} : { detached: options.detached }),
    },
  );
  announce(deps, call, { outcome, evaluation: judged.evaluation });
  return outcome;
}

function announce(
  deps: GovernDeps,
  call: ToolCall,
  said: { outcome: Outcome; evaluation: Evaluation },
): void {
  const { outcome, evaluation } = said;
  deps.metrics.count(call, outcome);
  if (outcome.kind === "denied") deps.denied.fire({ call, reason: outcome.reason, by: outcome.by });
  // A held dialog announces itself when it opens; here is the ask that goes back to the agent.
  if (outcome.kind === "asks_user" && evaluation.ask !== undefined) {
    deps.asked.fire({ call, askId: outcome.askId, ask: evaluation.ask });
  }
}

async function onAsk(
  deps: GovernDeps,
  call: ToolCall,
  asked: { askId: string; evaluation: Evaluation },
): Promise<void> {
  if (asked.evaluation.ask !== undefined)
    deps.asked.fire({ call, askId: asked.askId, ask: asked.evaluation.ask });
  await callRecords(deps, call).asked(asked);
}

async function onAnswer(
  deps: GovernDeps,
  call: ToolCall,
  answered: { askId: string; answer: AskAnswer },
): Promise<void> {
  if (deps.recordsChoices) await callRecords(deps, call).answered(answered);
}

async function refusedHere<O extends Outcome>(
  deps: GovernDeps,
  call: ToolCall,
  outcome: O,
): Promise<Exclude<O, RunOutcome>> {
  await observed(deps, call, { outcome, ended: notRun(outcome), recorded: false });
  // Callers hand in only outcomes that do not run.
  return outcome as Exclude<O, RunOutcome>;
}
