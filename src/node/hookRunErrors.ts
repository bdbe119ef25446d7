/** What a run throws: a refusal, and a rule that could not be applied. Knows nothing of rules or tools. */
import type { Args } from "../core/call";
import type { Finding } from "../core/decision";
import { CountersignError } from "../core/errors";

export interface Refusal {
  readonly reason: string;
  /** Name of the handler or guard that refused. */
  readonly handler: string;
  readonly findings: readonly Finding[];
}

/** A call, request or result was refused. The message is the reason, for the agent to read. */
export class HookDenied extends CountersignError {
  readonly reason: string;
  readonly handler: string;
  readonly findings: readonly Finding[];
  /** Where a guard asked: the same call with these arguments added is confirmed. */
  readonly confirmArgs: Args | undefined;

  constructor(reason: string, refusal: Partial<Omit<Refusal, "reason">> & { confirmArgs?: Args } = {}) {
    super("hook.denied", reason);
    this.name = "HookDenied";
    this.reason = reason;
    this.handler = refusal.handler ?? "";
    this.findings = refusal.findings ?? [];
    this.confirmArgs = refusal.confirmArgs;
  }
}

/** A rule could not be built or applied, or the run was used in a way that it cannot be. */
export class HookError extends CountersignError {
  /** Name of the handler, where one is to blame. */
  readonly handler: string | undefined;

  constructor(message: string, options: { handler?: string; hint?: string; cause?: unknown } = {}) {
    const { handler, ...rest } = options;
    super("hook.failed", message, rest);
    this.name = "HookError";
    this.handler = handler;
  }
}
