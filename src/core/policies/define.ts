/** The typed declaration of a policy, so that its author's editor checks it. Knows nothing of how policies are run. */
import type { Args } from "../call";

/** What a policy is told of a call; `output` only afterwards. */
export interface PolicyEvent {
  readonly toolName: string;
  readonly input: Args;
  readonly output?: unknown;
  readonly sessionId: string;
  readonly runtime: string;
}

export type PolicyDecision =
  | { readonly action: "allow"; readonly additionalContext?: string; readonly updatedInput?: Args }
  | { readonly action: "deny"; readonly reason: string; readonly syntheticOutput?: unknown }
  | { readonly action: "ask"; readonly reason: string }
  | { readonly action: "log-only" };

export interface ToolPolicy {
  /** An observer never blocks; an enforcement policy's failure denies. */
  readonly policyKind: "observer" | "enforcement";
  /** Anchored pattern on the tool name; absent = every tool. */
  readonly matcher?: string;
  /** Milliseconds per callback, default 25 000. */
  readonly timeoutMs?: number;
  beforeToolCall?(event: PolicyEvent): PolicyDecision | undefined | Promise<PolicyDecision | undefined>;
  afterToolCall?(event: PolicyEvent): void | Promise<void>;
}

/** Gives the policy back unchanged; its type is what it is for. */
export function defineToolPolicy<P extends ToolPolicy>(policy: P): P {
  return policy;
}
