/** What goes between those who find policies, those who run them and the governed call. Runs nothing, knows no file's content. */
import type { Args, ToolCall } from "../call";
import type { Finding } from "../decision";
import type { TrailEntry } from "../hook";

/** A policy that a person trusted: where it lies, and what its files held then. */
export interface PolicySource {
  /** `@handle/card/policy`, or the policy's own name where it is part of no card. */
  readonly name: string;
  readonly card?: string;
  /** Absolute; nothing outside of it may be imported. */
  readonly folder: string;
  /** Absolute path of its `policy.ts`. */
  readonly entry: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  readonly digest: string;
  /** A person agreed that it runs where the runtime cannot keep it from files, programs and the network. */
  readonly unconfined?: true;
}

/** Something about a card that a person can mend. Lines and columns count from 1. */
export interface CardIssue {
  readonly code: string;
  /** The card's name, or the policy's where it is part of none. */
  readonly card: string;
  readonly message: string;
  /** How to mend it, one sentence. */
  readonly mend: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly severity: "error" | "warning";
}

export type PolicyKind = "observer" | "enforcement";
export type PolicyCallback = "beforeToolCall" | "afterToolCall";

/** What came of one callback. */
export type PolicyAnswer =
  /** What it returned; `undefined` = it has nothing to say. */
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "late"; readonly ms: number }
  /** The caller has gone. */
  | { readonly kind: "aborted" };

/** One policy, ready to be asked. */
export interface RunnablePolicy {
  /** `by` in trails, findings and records. */
  readonly name: string;
  readonly kind: PolicyKind;
  readonly has: (callback: PolicyCallback) => boolean;
  readonly matches: (toolName: string, canonicalName: string) => boolean;
  /** `event` is JSON text. Ends what runs at the policy's timeout. Never rejects. */
  run(callback: PolicyCallback, event: PolicyEventText, signal: AbortSignal): Promise<PolicyAnswer>;
}

export interface PolicyEventText {
  /** The event in JSON. */
  readonly json: string;
  /** What `String(event.input)` gives: the command, the SQL or the path. */
  readonly subject: string;
}

/** What the policies made of a call before it runs. */
export interface PolicyRun {
  /** After every rewrite. */
  readonly args: Args;
  readonly rewritten: boolean;
  /** Name of the last policy that rewrote. */
  readonly rewrittenBy?: string;
  readonly deny?: PolicyDenial;
  readonly asks: readonly { readonly by: string; readonly reason: string }[];
  /** True where all that was said is that the call was seen. */
  readonly logOnly: boolean;
  /** Labelled. */
  readonly contexts: readonly string[];
  readonly findings: readonly Finding[];
  readonly trail: readonly TrailEntry[];
}

export interface PolicyDenial {
  readonly reason: string;
  readonly by: string;
  readonly syntheticOutput?: unknown;
}

/** How a call that ran came out. */
export interface PolicyEnd {
  readonly result: unknown;
  /** Message of what the tool threw. */
  readonly error: string | null;
}

/** What the policies made of it. */
export interface PolicyAfter {
  /** Takes the place of the result: an enforcement policy failed. */
  readonly error?: { readonly reason: string; readonly by: string };
  readonly findings: readonly Finding[];
  readonly trail: readonly TrailEntry[];
}

export interface CallPolicies {
  /** False = no policy of that name needs to be asked. */
  watches(event: "before" | "after", toolName: string, canonicalName?: string): boolean;
  /** Never rejects. `signal` is aborted when the caller has gone. */
  before(call: ToolCall, args: Args, signal: AbortSignal): Promise<PolicyRun>;
  /** Only for calls that ran. Never rejects. */
  after(call: ToolCall, args: Args, end: PolicyEnd, signal: AbortSignal): Promise<PolicyAfter>;
  /** As of now: more may come while policies run. */
  issues(): readonly CardIssue[];
  /** Ends what runs. */
  dispose(): Promise<void>;
}
