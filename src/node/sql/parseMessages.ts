/** What the thread of SQL parsers is asked and what it answers. Knows no parser. */

/** "refuses-exact" = the engine's own parser finds a syntax error; "refuses" = no opinion can be had. */
export type Says = "reads" | "acts" | "refuses" | "refuses-exact";

/** Sent to the thread. */
export interface ParseRequest {
  readonly id: number;
  readonly text: string;
  /** The same text cut into statements, for parsers that read one at a time. */
  readonly statements: readonly string[];
  /** The text with what a driver or client puts values into (`?`, `:name`, `%(name)s`) filled; absent where there is none. */
  readonly filled?: string;
  readonly dialect: string;
}

/** Sent back: a warning where a parser is lacking, then that the parser is loaded, then what it says. */
export type ParseReply =
  | { readonly id: number; readonly kind: "warning"; readonly message: string }
  | { readonly id: number; readonly kind: "loaded" }
  | { readonly id: number; readonly kind: "said"; readonly says: Says };

export type Parse = (request: ParseRequest) => Says;
