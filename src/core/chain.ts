/** The ordered hook chain of one run. Knows nothing of consent by a person, records or doors. */
import type { Clock, Log } from "../ports";
import type { Args } from "./call";
import { within } from "./deadline";
import { type AskDecision, type Decision, type Finding, LogOnly } from "./decision";
import { messageOf } from "./errors";
import type { Hook, HookContext, HookFailure, TrailEntry } from "./hook";
import { adapt, readAnswer, type SnakeHook } from "./hookAnswer";
import { carries } from "./values";

const GUARD_DEADLINE_MS = 1000;

export interface ChainDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** What the hooks said of one call. `args` are the arguments after every rewrite so far. */
export interface Survey {
  readonly args: Args;
  readonly rewritten: boolean;
  readonly deny?: {
    readonly reason: string;
    readonly by: string;
    readonly broken: boolean;
    readonly syntheticOutput?: unknown;
  };
  readonly asks: readonly (AskDecision & { readonly by: string })[];
  readonly logOnly: boolean;
  /** Name of the last hook that rewrote. */
  readonly rewrittenBy?: string;
  readonly contexts: readonly string[];
  readonly findings: readonly Finding[];
  readonly binding: Readonly<Record<string, string>>;
  readonly trail: readonly TrailEntry[];
}

/** What `pre` answers: the decision, and what it was taken on. */
export interface PreResult extends Survey {
  readonly decision: Decision;
  readonly by: string | null;
}

export class HookChain {
  readonly #deps: ChainDeps;
  readonly #hooks: Hook[] = [];

  constructor(deps: ChainDeps, hooks: readonly (Hook | SnakeHook)[] = []) {
    this.#deps = deps;
    for (const hook of hooks) this.#hooks.push(adapt(hook));
  }

  /**
   * Appends a hook; without `before` it goes ahead of `audit_log`, so that the audit stays last.
   * Throws a TypeError for something that is no hook, when a hook of that name is there already or `before` names none.
   */
  add(hook: Hook | SnakeHook, options: { before?: string } = {}): { dispose(): void } {
    const added = adapt(hook);
    if (this.#hooks.some((h) => h.name === added.name)) {
      throw new TypeError(`a hook named "${added.name}" is in the chain already`);
    }
    const wanted = options.before ?? (added.name === "audit_log" ? undefined : "audit_log");
    const at = wanted === undefined ? -1 : this.#hooks.findIndex((h) => h.name === wanted);
    if (options.before !== undefined && at < 0)
      throw new TypeError(`no hook named "${options.before}" in the chain`);
    this.#hooks.splice(at < 0 ? this.#hooks.length : at, 0, added);
    return {
      dispose: () => {
        const index = this.#hooks.indexOf(added);
        if (index >= 0) this.#hooks.splice(index, 1);
      },
    };
  }

  names(): string[] {
    return this.#hooks.map((hook) => hook.name);
  }

  hooks(): readonly Hook[] {
    return this.#hooks;
  }

  /**
   * The chain's own words: registration order, the first Deny or AskUser ends it, a Rewrite is seen by the next hook.
   * A call that carries everything in `confirm_args` has its ask lifted.
   */
  async pre(ctx: HookContext, toolName: string, args: Args): Promise<PreResult> {
    const survey = await this.survey(ctx, { toolName, args, onAsk: "stop-unless-carried" });
    const ask = survey.asks[0];
    if (survey.deny !== undefined) {
      return { ...survey, decision: { kind: "deny", reason: survey.deny.reason }, by: survey.deny.by };
    }
    if (ask !== undefined) return { ...survey, decision: ask, by: ask.by };
    if (survey.rewritten) {
      const decision: Decision = { kind: "rewrite", patch: { input: survey.args } };
      return { ...survey, decision, by: survey.rewrittenBy ?? null };
    }
    return { ...survey, decision: survey.logOnly ? LogOnly() : { kind: "allow" }, by: null };
  }

  /** Every hook in order; a deny ends it. With `collect` an ask does not: a later deny must be found before anybody is asked. */
  async survey(
    ctx: HookContext,
    options: {
      toolName: string;
      args: Args;
      onAsk: "collect" | "stop-unless-carried";
      only?: "guards";
      stage?: TrailEntry["stage"];
    },
  ): Promise<Survey> {
    const state = startSurvey(options.args);
    const stage = options.stage ?? "chain";
    for (const hook of [...this.#hooks]) {
      if (hook.preToolUse === undefined || (options.only === "guards" && hook.guard !== true)) continue;
      await this.#consult(hook, ctx, { toolName: options.toolName, state, stage });
      if (state.deny !== undefined) break;
      const ask = state.asks.at(-1);
      if (ask?.by !== hook.name || options.onAsk === "collect") continue;
      if (!carries(options.args, ask.confirmArgs)) break;
      state.asks.pop();
    }
    return state;
  }

  /** All hooks in order, or the one named `only`; a failure is logged and the next hook runs. Never rejects. */
  async post(
    ctx: HookContext,
    toolName: string,
    run: {
      readonly args: Args;
      readonly result: unknown;
      readonly error: string | null;
      readonly only?: string;
    },
  ): Promise<readonly HookFailure[]> {
    const failures: HookFailure[] = [];
    for (const hook of [...this.#hooks]) {
      if (run.only !== undefined && hook.name !== run.only) continue;
      try {
        await hook.postToolUse?.(
          { ...ctx, failures: [...failures] },
          toolName,
          run.args,
          run.result,
          run.error,
        );
      } catch (error) {
        failures.push({ by: hook.name, message: messageOf(error) });
        this.#deps.log.error(`hook ${hook.name} failed after ${toolName}: ${messageOf(error)}`);
      }
    }
    return failures;
  }

  async #consult(
    hook: Hook,
    ctx: HookContext,
    run: { toolName: string; state: MutableSurvey; stage: TrailEntry["stage"] },
  ): Promise<void> {
    const { clock, log } = this.#deps;
    const { state, stage } = run;
    const started = clock.monotonic();
    const trail = (decision: TrailEntry["decision"], note?: string): void => {
      const ms = Math.round((clock.monotonic() - started) * 1000) / 1000;
      state.trail.push({ by: hook.name, stage, decision, ms, ...(note === undefined ? {} : { note }) });
    };
    let answered = false;
    try {
      const work = (): unknown => hook.preToolUse?.(ctx, run.toolName, state.args);
      const ms = hook.deadlineMs ?? (hook.guard === true ? GUARD_DEADLINE_MS : undefined);
      const answer = ms === undefined ? await work() : await within(clock, ms, work);
      answered = true;
      const decision = readAnswer(answer);
      apply(state, hook.name, decision);
      trail(decision.kind, decision.kind === "deny" ? decision.reason : undefined);
    } catch (error) {
      const message = messageOf(error);
      log.error(`hook ${hook.name} failed before ${run.toolName}: ${message}`);
      trail("error", message);
      state.findings.push({ code: "hook_failed", message, by: hook.name, severity: "error" });
      // A hook's bug does not stop the agent; a guard's, or an answer that cannot be applied (it may have been a deny), must not let the call through.
      if (hook.guard === true || answered) {
        state.deny = { reason: `guard broken: ${hook.name}: ${message}`, by: hook.name, broken: true };
      }
    }
  }
}

type MutableSurvey = {
  -readonly [K in keyof Survey]: Survey[K] extends readonly (infer T)[] ? T[] : Survey[K];
};

function startSurvey(args: Args): MutableSurvey {
  return {
    args,
    rewritten: false,
    asks: [],
    logOnly: false,
    contexts: [],
    findings: [],
    binding: {},
    trail: [],
  };
}

function apply(state: MutableSurvey, by: string, decision: Decision): void {
  if (decision.additionalContext !== undefined)
    state.contexts.push(`[hook ${by}] ${decision.additionalContext}`);
  if (decision.findings !== undefined) state.findings.push(...decision.findings);
  if (decision.binding !== undefined) state.binding = { ...state.binding, ...decision.binding };
  switch (decision.kind) {
    case "allow":
      return;
    case "log-only":
      state.logOnly = true;
      return;
    case "deny":
      state.deny = { ...decision, by, broken: false };
      return;
    case "ask":
      state.asks.push({ ...decision, by });
      return;
    case "rewrite":
      state.args = decision.patch.input;
      state.rewritten = true;
      state.rewrittenBy = by;
      return;
    default:
      decision satisfies never;
  }
}
