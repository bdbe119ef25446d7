/** The decisions a hook may take, in the words of the hook-chain document. */
import type { Args } from "./call";

export interface Finding {
  readonly code: string;
  readonly message: string;
  /** Name of the hook, policy or rule that found it. */
  readonly by: string;
  readonly severity?: "info" | "warning" | "error";
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What every decision may carry beside its verdict. */
export interface Extras {
  readonly additionalContext?: string;
  readonly findings?: readonly Finding[];
  /**
   * What a grant for this call is bound to, e.g. `{ "path:filePath": "/real/path", "database": "sha256:..." }`.
   * Guards give it with an allow too: a value that differs after the person's click asks again.
   */
  readonly binding?: Readonly<Record<string, string>>;
}

/** A wider grant that the guard permits for this call; absent = only "once" is offered. */
export interface SessionScope {
  /** Calls with an equal key are covered. */
  readonly key: string;
  /** What the person approves, in words: "UPDATE on users, same columns". */
  readonly label: string;
}

/** Arguments that replace the call's input as a whole. */
export interface Patch {
  readonly input: Args;
}

export type AllowDecision = { readonly kind: "allow" } & Extras;
export type DenyDecision = {
  readonly kind: "deny";
  readonly reason: string;
  readonly syntheticOutput?: unknown;
} & Extras;
export type AskDecision = {
  readonly kind: "ask";
  readonly prompt: string;
  readonly details: Args;
  readonly confirmArgs: Args;
  readonly sessionScope?: SessionScope;
} & Extras;
export type RewriteDecision = { readonly kind: "rewrite"; readonly patch: Patch } & Extras;
export type LogOnlyDecision = { readonly kind: "log-only" } & Extras;

export type Decision = AllowDecision | DenyDecision | AskDecision | RewriteDecision | LogOnlyDecision;

/** Run the call unmodified. */
export function Allow(extras: Extras = {}): AllowDecision {
  return { ...extras, kind: "allow" };
}

/** Block the call; the agent sees `reason` as the error. */
export function Deny(reason: string, extras: Extras & { syntheticOutput?: unknown } = {}): DenyDecision {
  return { ...extras, kind: "deny", reason };
}

/** What `AskUser` takes; `confirm_args` is another spelling of `confirmArgs`. */
export type AskUserOptions = {
  readonly prompt: string;
  readonly details?: Args;
  readonly confirmArgs?: Args;
  readonly confirm_args?: Args;
  readonly sessionScope?: SessionScope;
} & Extras;

/** Hold the call back until a person approves it, or until it comes again carrying everything in `confirmArgs`. */
export function AskUser(options: AskUserOptions): AskDecision {
  const { confirm_args, confirmArgs, details, ...rest } = options;
  return { ...rest, kind: "ask", details: details ?? {}, confirmArgs: confirmArgs ?? confirm_args ?? {} };
}

/** Run the call with `input` in place of its arguments. */
export function Rewrite(input: Args, extras: Extras = {}): RewriteDecision {
  return { ...extras, kind: "rewrite", patch: { input } };
}

/** Run the call and note that it was observed. */
export function LogOnly(extras: Extras = {}): LogOnlyDecision {
  return { ...extras, kind: "log-only" };
}
