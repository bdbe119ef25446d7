/** What goes between us and a process that answers events, one JSON text a line. Knows neither side. */

export interface StartModule {
  readonly path: string;
  /** Path from the configuration's folder, for messages. */
  readonly name: string;
  readonly code: string;
  readonly imports: Readonly<Record<string, string>>;
}

/** First line; answered by a reply with id 0. */
export interface CallableStart {
  readonly entry: string;
  /** As in the configuration, for messages. */
  readonly name: string;
  readonly modules: readonly StartModule[];
  /** Resident memory above which the process ends itself. */
  readonly maxBytes: number;
}

export interface ServantRequest {
  /** From 1. */
  readonly id: number;
  readonly fn: string;
  /** Absent = only tell whether there is such a function. */
  readonly event?: unknown;
}

export type ServantReply =
  | { readonly id: number; readonly ok: true; readonly value?: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string }
  /** The process is about to end, and why. */
  | { readonly ended: string };
