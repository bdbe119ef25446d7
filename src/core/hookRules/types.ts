/** The words of rules: events, answers of handlers, rules. On the wire and in files the names are snake_case. Knows no file, process or door. */
import type { Finding } from "../decision";

export const hookEventNames = [
  "pre_tool_call",
  "post_tool_call",
  "pre_request",
  "post_response",
  "run_end",
] as const;
export type HookEventName = (typeof hookEventNames)[number];

/** One HTTP request of a session, before it is sent. */
export interface HookRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>> | null;
  readonly body: unknown;
}

export interface HookResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a handler is told, as it goes over the wire. Keys that an event does not have are absent. */
export interface HookEvent {
  readonly event: HookEventName;
  readonly run_id: string;
  readonly session_id?: string;
  readonly call_id?: string;
  /** The calling program: "vscode", "claude", "library", … */
  readonly agent?: string;
  readonly cwd?: string;
  /** Tool events. */
  readonly tool_name?: string;
  /** The tool's name in the words common to all agents, where it differs from `tool_name`. */
  readonly canonical_name?: string;
  readonly vendor?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
  /** post_tool_call: null where the tool threw or did not run. */
  readonly tool_result?: unknown;
  /** post_tool_call: the tool's own failure, or why the call did not run; null when there is none. */
  readonly error?: string | null;
  /** post_tool_call: whether the tool ran, or the call was denied or held for a person. */
  readonly outcome?: "run" | "denied" | "asks_user";
  /** pre_request, post_response. */
  readonly request?: HookRequest;
  /** post_response. */
  readonly response?: HookResponse;
  /** run_end. */
  readonly report?: unknown;
  readonly artifacts?: Readonly<Record<string, unknown>>;
}

/** "Leave it as it is"; null means "make it null". Survives two copies of this module. */
export const UNSET: unique symbol = Symbol.for("countersign.unset");
export type Unset = typeof UNSET;

export interface HookResult {
  readonly decision: "allow" | "deny" | "rewrite";
  readonly reason: string | null;
  readonly updated_input: Readonly<Record<string, unknown>> | Unset;
  readonly updated_result: unknown;
  readonly updated_error: string | null | Unset;
  readonly updated_request: Partial<HookRequest> | Unset;
  readonly updated_response: Partial<HookResponse> | Unset;
  readonly additional_context: string | null;
  readonly findings: readonly Finding[];
}

export type HandlerAnswer =
  | { readonly kind: "result"; readonly result: HookResult }
  /** Plain text for the agent. */
  | { readonly kind: "context"; readonly text: string }
  | { readonly kind: "deny"; readonly reason: string }
  /** It could not answer: `on_error` decides. */
  | { readonly kind: "failed"; readonly why: string }
  /** It is not the code that a person trusted, or could not be given the whole event: denied whatever `on_error` says. */
  | { readonly kind: "broken"; readonly why: string };

export type OnError = "record" | "ask" | "deny" | "raise";

export const handlerKinds = ["command", "http", "callable", "deny", "alias"] as const;
/** "function" is a handler given by a program. */
export type HandlerKind = (typeof handlerKinds)[number] | "function";

export interface Handler {
  /** Named in `[hook <name>]`, findings and errors; default the rule's name. */
  readonly name: string;
  readonly kind: HandlerKind;
  /** Not waited for, and cannot influence the call. */
  readonly async?: boolean;
  /** Milliseconds; absent = 30 000. */
  readonly timeoutMs?: number;
  /** Absent = the door's default. */
  readonly onError?: OnError;
  /** Why it is not the code that a person trusted; asked before one that nobody waits for is started. */
  changed?(): Promise<string | undefined>;
  /** `signal` is aborted at the timeout and when the caller has gone. A rejection counts as "failed". */
  run(event: HookEvent, signal: AbortSignal): Promise<HandlerAnswer>;
}

/** `"sql"`: that argument is there. `{ sql: "(?i)drop" }`: each dotted path's text holds a match of its pattern. */
export type ArgFilter = string | Readonly<Record<string, string>>;

export interface Rule {
  /** Unique in the list of rules that it is part of: `by` in verdicts and records. */
  readonly name: string;
  readonly event: HookEventName;
  /** Whole-name pattern on the tool's name, of requests on the path; absent, "" and "*" = all. */
  readonly matcher?: string;
  /** Whole-name pattern on the vendor. */
  readonly vendor?: string;
  readonly arg?: ArgFilter;
  /** Ahead of rules without it. */
  readonly before: boolean;
  readonly handlers: readonly Handler[];
}
