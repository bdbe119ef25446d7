/** The shape of a row about a program that can do away with data, and how rows are written. Knows no program. */

export interface DatabaseTool {
  /** Names without folder and ending. */
  readonly program: RegExp;
  /** Any of these does it: words that must stand behind the program in this order; others may stand between them. */
  readonly acts: readonly (readonly RegExp[])[];
  /** The act must be the first word that is no option: it is the name of a script, and what follows it are texts. */
  readonly first?: true;
  /** A word with which it only shows or writes down what it would do. */
  readonly unless?: RegExp;
  readonly dialect: string;
  /** What it does: SQL where one statement says it, with `%` for the last word that is no option. */
  readonly does: { readonly sql: string } | { readonly why: string };
}

/** With these a program tells about itself and does nothing. */
export const HARMLESS_WORDS = /^(?:--help|--version)$/;

export const RESETS = { why: "This empties or drops a whole database." } as const;
export const REPLACES = { why: "This drops, empties or replaces objects of the database." } as const;
export const UNDOES = {
  why: "Migrations are undone: the tables and columns that they made go, with their rows.",
} as const;

interface RowParts {
  readonly does: DatabaseTool["does"];
  readonly dialect?: string;
  readonly unless?: RegExp;
}

/**
 * `acts` holds one way per text, its words parted by blanks; each is a pattern for a whole word:
 * `db push --force-reset`, `db:(?:drop|reset)`.
 */
export function toolRow(program: string, acts: readonly string[], parts: RowParts): DatabaseTool {
  return {
    program: new RegExp(`^(?:${program})$`),
    acts: acts.map((act) => act.split(" ").map((word) => new RegExp(`^(?:${word})$`, "i"))),
    dialect: parts.dialect ?? "unknown",
    does: parts.does,
    ...(parts.unless === undefined ? {} : { unless: parts.unless }),
  };
}
