/** Whether a text only reads, for a database that takes nothing else. Judges no danger. */
import { classifySql } from "./classify";

const ADDING = new Set(["INSERT", "CREATE"]);

/**
 * "writes" names the verb of the first statement that does; "unclear" = what it does is for the engine to find out:
 * a function that may write, a text that cannot be read.
 */
export type Effect =
  | { readonly kind: "reads" | "unclear" }
  | { readonly kind: "writes"; readonly verb: string };

export function effectOf(sql: string, dialects: readonly string[]): Effect {
  const { statements, floors, unparseable } = classifySql(sql, { dialect: dialects });
  const writing = statements.find(({ verdict, rule, op }) =>
    verdict === "allow"
      ? ADDING.has(op)
      : !["function", "floor", "not_sql", "unreadable", "too_long"].includes(rule),
  );
  if (writing !== undefined) return { kind: "writes", verb: writing.op };
  const clear = !unparseable && floors.length === 0 && statements.every(({ rule }) => rule === "none");
  return { kind: clear ? "reads" : "unclear" };
}
