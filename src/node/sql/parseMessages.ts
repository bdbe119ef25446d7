/** What the SQL thread is asked and what it answers. Knows no parser. */
import type { SentVerdict } from "./sentVerdict";

/** "refuses-exact" = the engine's own parser finds a syntax error; "refuses" = no opinion can be had. */
export type Says = "reads" | "acts" | "refuses" | "refuses-exact";

/** What a real parser says of a text. */
export interface ParseQuestion {
  readonly text: string;
  /** The same text cut into statements, for parsers that read one at a time. */
  readonly statements: readonly string[];
  /** The text with what a driver or client puts values into (`?`, `:name`, `%(name)s`) filled; absent where there is none. */
  readonly filled?: string;
  readonly dialect: string;
}

/** What the rules say of a text that takes long to read. */
export interface ReadQuestion {
  readonly read: string;
  /** As the caller named them; none = every dialect. */
  readonly dialects: readonly string[];
}

export type SqlQuestion = ParseQuestion | ReadQuestion;

/** Sent to the thread. */
export type SqlRequest = SqlQuestion & { readonly id: number };

export type SqlAnswer =
  | { readonly kind: "said"; readonly says: Says }
  | { readonly kind: "read"; readonly verdict: SentVerdict };

/** Sent back: a warning where a parser is lacking, then that the work begins, then the answer. */
export type SqlReply = { readonly id: number } & (
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "loaded" }
  | SqlAnswer
);

export type Parse = (question: ParseQuestion) => Says;
