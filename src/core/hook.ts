/** The `Hook` protocol: what an interceptor of the chain looks like, and what it is told. */
import type { Args, ToolCall } from "./call";
import type { Decision, Finding } from "./decision";

/** Context of one call: the `ctx` of every hook. */
export interface HookContext {
  readonly sessionId: string;
  readonly profile: string;
  readonly userId?: string;
  readonly traceId: string;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly call: ToolCall;
  /** Only in `postToolUse`: what the chain and the person decided. */
  readonly outcome?: Outcome;
  /** Only in `postToolUse`: the decision already has its own record, so the result is a second one that names it. */
  readonly recorded?: boolean;
  /** Only in `postToolUse`: how long the tool ran, in milliseconds. */
  readonly durationMs?: number;
  /** Only in `postToolUse`: post hooks that failed before this one. */
  readonly failures?: readonly HookFailure[];
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement is a valid hook.
export type HookAnswer = Decision | undefined | void;

export interface HookFailure {
  readonly by: string;
  readonly message: string;
}

export interface Hook {
  readonly name: string;
  /**
   * Called before the tool runs. Nothing or `Allow()` lets the next hook speak.
   * A guard that throws, times out or answers nonsense denies the call; another hook's failure is recorded and the chain goes on.
   */
  preToolUse?(ctx: HookContext, toolName: string, args: Args): HookAnswer | Promise<HookAnswer>;
  /** Called after the tool ran, was denied or was held back. Observes; cannot steer. `error` is null when there is none. */
  postToolUse?(
    ctx: HookContext,
    toolName: string,
    args: Args,
    result: unknown,
    error: string | null,
  ): Promise<void> | void;
  /** True for guards: their failure denies the call. */
  readonly guard?: boolean;
  /** Milliseconds; default 1000 for guards, none for others. */
  readonly deadlineMs?: number;
}

/** One interceptor's part in the verdict. */
export interface TrailEntry {
  readonly by: string;
  readonly stage:
    | "security"
    | "chain"
    | "policies"
    | "rules"
    | "recheck"
    | "after-click"
    | "consent"
    | "person"
    | "audit";
  readonly decision: Decision["kind"] | "error";
  readonly ms: number;
  readonly note?: string;
}

interface OutcomeBase {
  /** The final arguments, without confirm keys. */
  readonly args: Args;
  readonly contexts: readonly string[];
  readonly findings: readonly Finding[];
  readonly trail: readonly TrailEntry[];
  readonly rewritten: boolean;
  /** Set when a person was asked or consent was used. */
  readonly askId?: string;
}

export type RunOutcome = OutcomeBase & {
  readonly kind: "run";
  readonly decision: "allow" | "rewrite" | "log_only";
  readonly by: string | null;
  /** What the guards resolved for this very call: real paths, database. */
  readonly binding: Readonly<Record<string, string>>;
  /** How an ask was lifted: a click, a session grant, the arguments; absent = nobody needed to be asked. */
  readonly consent?: "once" | "session" | "args";
};
export type DeniedOutcome = OutcomeBase & {
  readonly kind: "denied";
  readonly reason: string;
  readonly by: string;
  readonly syntheticOutput?: unknown;
  /** True when something of ours failed: the text says "guard broken", never "policy denied". */
  readonly broken: boolean;
};
export type AsksUserOutcome = OutcomeBase & {
  readonly kind: "asks_user";
  readonly askId: string;
  readonly prompt: string;
  readonly details: Args;
  readonly confirm_args: Args;
  readonly by: string;
};

export type Outcome = RunOutcome | DeniedOutcome | AsksUserOutcome;
