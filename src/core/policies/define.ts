/** The typed declaration of a policy, so that its author's editor checks it. Knows nothing of how policies are run. */
import type { Args } from "../call";

/** What a policy is told of a call. It is a copy: what a policy does to it reaches nobody. */
export interface PolicyEvent {
  /** The tool's name as the agent sent it. */
  readonly toolName: string;
  /** Bash, Read, Write, Edit, Glob, Grep, WebFetch, Task, `mcp__<server>__<tool>`, else `toolName`. */
  readonly canonicalName: string;
  /** `String(event.input)` gives the command, the SQL or the path that the arguments hold, else their JSON. */
  readonly input: Args;
  /** Only in `afterToolCall`: what the tool gave back; null where it failed. */
  readonly output?: unknown;
  /** Only in `afterToolCall`: the tool's own failure, or null. */
  readonly error?: string | null;
  readonly sessionId: string;
  /** The program that calls: "vscode", "claude", "codex", "library", … */
  readonly agent: string;
  /** "vscode" in the editor's own agent, else the program that calls. */
  readonly runtime: string;
  /** Absolute path. */
  readonly cwd?: string;
  /** The same when a policy is asked again of the same call, because its arguments were rewritten after it was asked. */
  readonly callId: string;
}

export type PolicyDecision =
  | { readonly action: "allow"; readonly additionalContext?: string; readonly updatedInput?: Args }
  | { readonly action: "deny"; readonly reason: string; readonly syntheticOutput?: unknown }
  | { readonly action: "ask"; readonly reason: string }
  | { readonly action: "log-only" };

// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return statement is a valid callback.
export type PolicyVerdict = PolicyDecision | undefined | void;

export interface ToolPolicy {
  /** An observer never blocks; an enforcement policy's failure denies. */
  readonly policyKind: "observer" | "enforcement";
  /** Anchored pattern on the tool's raw or canonical name; absent, "" and "*" = every tool. */
  readonly matcher?: string;
  /** Milliseconds per callback, default 25 000. */
  readonly timeoutMs?: number;
  beforeToolCall?(event: PolicyEvent): PolicyVerdict | Promise<PolicyVerdict>;
  /** Only for calls that ran. What it returns is not looked at. */
  afterToolCall?(event: PolicyEvent): unknown;
}

/** Gives the policy back unchanged; its type is what it is for. */
export function defineToolPolicy(policy: ToolPolicy): ToolPolicy {
  return policy;
}
