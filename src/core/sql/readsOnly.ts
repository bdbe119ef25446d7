/** Whether a text only reads, for a database that takes nothing else. Judges no danger. */
import type { SqlVerdict } from "./classify";
import { classifySql } from "./classify";

/** Operations that pass and are no reads. */
export const ADDING: ReadonlySet<string> = new Set(["INSERT", "CREATE"]);

/**
 * "writes" names the verb of the first statement that does; "unclear" = what it does is for the engine to find out:
 * a function that may write, a text that cannot be read.
 */
export type Effect =
  | { readonly kind: "reads" | "unclear" }
  | { readonly kind: "writes"; readonly verb: string };

export function effectOf(sql: string, dialects: readonly string[]): Effect {
  return effectOfVerdict(classifySql(sql, { dialect: dialects }));
}

/** The same of a text that was read elsewhere. */
export function effectOfVerdict({ verdict: whole, statements, floors }: SqlVerdict): Effect {
  const writing = statements.find(({ verdict, rule, op }) =>
    verdict === "allow"
      ? ADDING.has(op)
      : !["function", "floor", "not_sql", "unreadable", "too_long"].includes(rule),
  );
  if (writing !== undefined) return { kind: "writes", verb: writing.op };
  // A text that was not read at all has no statement that could speak against it.
  const clear = whole === "allow" && floors.length === 0 && statements.every(({ rule }) => rule === "none");
  return { kind: clear ? "reads" : "unclear" };
}
