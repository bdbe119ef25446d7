/** What goes between us and the process of a card's policies, beside requests and replies. Knows neither side. */
import type { PolicyKind } from "../../core/policies/types";
import type { StartModule } from "../handlers/servantMessages";

/** First line; answered by a reply with id 0 whose value is a `CardReport`. */
export interface CardStart {
  /** One a policy, each in a realm of its own. */
  readonly entries: readonly string[];
  readonly modules: readonly StartModule[];
  /** Resident memory above which the process ends itself. */
  readonly maxBytes: number;
  /** Whether code may run where the runtime keeps it from nothing. */
  readonly unconfined: boolean;
}

export interface CardReport {
  /** True where the runtime itself refuses files and programs. */
  readonly confined: boolean;
  /** In the order of the entries; empty where nothing was loaded. */
  readonly policies: readonly PolicyReport[];
}

export type PolicyReport =
  | {
      readonly ok: true;
      readonly kind: PolicyKind;
      readonly matcher: string | null;
      /** Null = the default. */
      readonly timeoutMs: number | null;
      readonly before: boolean;
      readonly after: boolean;
    }
  | { readonly ok: false; readonly why: string };

/** What a policy prints: a line that is no reply. */
export interface Printed {
  readonly printed: number;
  readonly level: ConsoleLevel;
  readonly text: string;
}

export type ConsoleLevel = "debug" | "info" | "warn" | "error";
