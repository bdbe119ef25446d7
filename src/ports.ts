/** All that the core asks of the world, as small interfaces. Adapters in src/node and src/host implement them. */
import type { AuditRecord, RecordBody } from "./core/audit/record";
import type { Args, ToolCall } from "./core/call";
import type { SessionScope } from "./core/decision";

/** Milliseconds since 1970, and a monotonic clock for durations. */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms`; the timer does not keep a process alive. `cancel` frees it. */
  timer(ms: number): { readonly done: Promise<void>; cancel(): void };
}

/** A new unique id, e.g. `ask_01J...`; never repeats. */
export type Ids = (prefix: string) => string;

/** SHA-256 of the UTF-8 text, 64 lower-case hex digits. */
export type Hasher = (text: string) => string;

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A file system to judge paths on: the real one, or one imagined for another system. */
export interface FileSystem {
  readonly os: "linux" | "darwin" | "win32";
  /** Absolute path of the home folder. */
  readonly home: string;
  /**
   * What stands at exactly this absolute path, links not followed.
   * A link's target is as stored (may be relative).
   * `canonical` gives the name as the volume stores it where that differs (case, 8.3 short names).
   */
  look(
    path: string,
  ): Promise<
    | { readonly kind: "missing" }
    | { readonly kind: "there"; readonly canonical?: string }
    | { readonly kind: "link"; readonly target: string }
    | { readonly kind: "unreadable"; readonly message: string }
  >;
  /**
   * Where an absolute path without `..` ends, every link followed, as the volume stores it, in one question.
   * Undefined = that cannot be told. Left out where names must be looked at singly.
   */
  real?(path: string): Promise<string | undefined>;
  /** Whether names that differ only in case are one file here. */
  readonly caseInsensitive: boolean;
}

/** What a person is shown. All text is plain; the adapter escapes control and bidi characters and cuts it to size. */
export interface AskRequest {
  readonly askId: string;
  readonly call: ToolCall;
  /** One sentence: what is about to happen. */
  readonly prompt: string;
  /** Names of the hooks that ask. */
  readonly by: readonly string[];
  readonly details: Args;
  /** The exact arguments the tool will run with. */
  readonly finalArgs: Args;
  readonly sessionScope?: SessionScope;
  /** Set when asked again because something changed while the person thought. */
  readonly changed?: readonly string[];
}

export type AskAnswer =
  | { readonly kind: "allow"; readonly scope: "once" | "session" }
  /** `sentence` is what the person wrote to the agent. */
  | { readonly kind: "deny"; readonly sentence?: string; readonly pauseAgent?: boolean }
  /** Not shown to anybody: too many questions of this session wait already. */
  | { readonly kind: "busy"; readonly reason: string }
  /** Closed without an answer, or nobody there in time. */
  | { readonly kind: "dismissed" }
  | { readonly kind: "expired" }
  | { readonly kind: "cancelled" };

export interface Ask {
  /** False where no person can be reached: an ask becomes a deny. */
  readonly available: boolean;
  /** Shows the question; `signal` ends it (the caller went away). Never rejects. */
  ask(request: AskRequest, signal: AbortSignal): Promise<AskAnswer>;
}

/** The audit log as the core sees it. Every method resolves only once its effect is durable as configured, or rejects with `audit.*`. */
export interface AuditStore {
  /** Writes a durable intent before a handler runs; `append` with the same `call_id` clears it. */
  intend(body: RecordBody): Promise<void>;
  append(body: RecordBody): Promise<AuditRecord>;
}
