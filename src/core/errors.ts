/** The one error class and the one list of codes. Knows nothing of where an error is shown. */

export type ErrorCode =
  | "config.syntax"
  | "config.unknown_key"
  | "config.type"
  | "config.doubled"
  | "config.missing"
  | "config.waiting"
  | "config.unreadable"
  | "folder.unsafe"
  | "hook.bad_rewrite"
  | "hook.bad_answer"
  | "hook.denied"
  | "hook.failed"
  | "guard.broken"
  | "guard.timeout"
  | "audit.unwritable"
  | "audit.unreadable"
  | "audit.locked"
  | "audit.path"
  | "broker.unreachable"
  | "broker.foreign"
  | "payload.malformed"
  | "database.url"
  | "database.failed"
  | "csv.row"
  | "kb.failed"
  | "runtime.missing"
  | "usage";

export class CountersignError extends Error {
  readonly code: ErrorCode;
  /** What to do next, one sentence. */
  readonly hint?: string;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CountersignError";
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/** What to do next, on a line of its own; empty where nothing is said. Told by shape: bundles that stand alone have a class of their own. */
export function hintOf(error: unknown): string {
  return error instanceof Error && "hint" in error && error.hint !== undefined ? `\n${error.hint}` : "";
}

/** Something wrong in a file, at a place a person can go to. Lines and columns count from 1. */
export interface Problem {
  readonly code: ErrorCode;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly message: string;
  /** How to mend it: "did you mean `enabled`?" */
  readonly suggestion?: string;
  /** The exact text to put in the place of the range, where there is one. */
  readonly replacement?: string;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `file:line:column: message (suggestion)` */
export function formatProblem(p: Problem): string {
  const said = `${p.message}${p.suggestion === undefined ? "" : ` (${p.suggestion})`}`;
  // A variable is its own place.
  return p.message.startsWith(`${p.file}: `) ? said : `${p.file}:${p.line}:${p.column}: ${said}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
