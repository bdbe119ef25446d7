/** Words for a person and for the agent about SQL that was not allowed. Decides nothing. */
import type { SqlVerdict, StatementVerdict } from "../sql/classify";

const MAX_ALSO = 3;
const MAX_SQL = 4_000;

/** "Statement 2 of 3: DELETE from users — ALL ROWS (no WHERE); also UPDATE accounts WHERE id = 1" */
export function askPrompt(
  verdict: SqlVerdict,
  more: { readonly client?: string; readonly others: readonly SqlVerdict[] },
): string {
  const one = verdict.statements[verdict.worst];
  const place =
    verdict.statements.length > 1 ? `Statement ${verdict.worst + 1} of ${verdict.statements.length}: ` : "";
  const program = more.client === undefined ? "" : `${more.client}: `;
  const what = verdict.rule === "floor" || one === undefined ? sentence(verdict.reason) : action(one);
  return `${program}${place}${what}${also(otherActions(verdict, more.others))}`;
}

/** What else must be approved with it. */
export function otherActions(verdict: SqlVerdict, others: readonly SqlVerdict[]): readonly string[] {
  const own = verdict.statements.filter((each, index) => each.verdict !== "allow" && index !== verdict.worst);
  const theirs = others.flatMap(({ statements, reason }) => {
    const asking = statements.filter((each) => each.verdict !== "allow");
    return asking.length === 0 ? [sentence(reason)] : asking.map(action);
  });
  return [...own.map(action), ...theirs];
}

function also(actions: readonly string[]): string {
  if (actions.length === 0) return "";
  const rest = actions.length - MAX_ALSO;
  return `; also ${actions.slice(0, MAX_ALSO).join("; ")}${rest > 0 ? `; and ${rest} more that must be approved` : ""}`;
}

function action(one: StatementVerdict): string {
  const tables = one.tables.length === 0 ? "" : ` ${one.tables.slice(0, 5).join(", ")}`;
  switch (one.op) {
    case "DELETE":
      return `DELETE from${tables}${rows(one)}`;
    case "UPDATE":
      return `${/^update\s+or\s+replace\b/i.test(one.words) ? "UPDATE OR REPLACE" : "UPDATE"}${tables}${rows(one)}`;
    case "UPSERT":
      return `INSERT into${tables}, UPDATE of rows that exist already`;
    case "TRUNCATE":
      return `TRUNCATE${tables} — ALL ROWS${/\bcascade\b/i.test(one.words) ? ", and those of every table that refers to it (CASCADE)" : ""}`;
    case "DROP":
    case "ALTER":
      return one.words;
    default:
      return one.words === "" ? `${one.op}: ${one.reason}` : `${one.words} — ${one.reason}`;
  }
}

/** Which rows: the condition, what else limits them, or all. */
function rows({ hasWhere, condition, words }: StatementVerdict): string {
  if (hasWhere) return ` ${condition}`;
  if (condition !== null) return ` — ALL ROWS (${condition} names no column)`;
  const limit = /\b(?:limit|top)\s*\(?\s*\d+/i.exec(words)?.[0];
  if (limit !== undefined) return ` — ${limit.toUpperCase()}, whichever they are (no WHERE)`;
  return /\b(?:join|using)\b/i.test(words)
    ? " — ALL ROWS that the other table matches (no WHERE)"
    : " — ALL ROWS (no WHERE)";
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function askDetails(
  verdict: SqlVerdict,
  { sql, others }: { readonly sql: string; readonly others: readonly SqlVerdict[] },
): Record<string, unknown> {
  const one = verdict.statements[verdict.worst];
  const also = otherActions(verdict, others);
  return {
    op: one?.op ?? "UNKNOWN",
    kind: one?.kind ?? "UNKNOWN",
    tables: one?.tables ?? [],
    has_where: one?.hasWhere ?? false,
    sql: (one?.text ?? sql).slice(0, MAX_SQL),
    dialect: verdict.dialect,
    rule: verdict.rule,
    why: verdict.reason,
    ...(also.length === 0 ? {} : { also: also.slice(0, 20) }),
    ...(verdict.statements.length > 1
      ? { statement: verdict.worst + 1, statements: verdict.statements.length }
      : {}),
  };
}

/** Says what is wrong and what the agent can do instead. `dialects` are those it was judged under; none = every one. */
export function denyReason(verdict: SqlVerdict, dialects: readonly string[]): string {
  const one = verdict.statements[verdict.worst];
  if (verdict.rule === "drop_database") {
    return `${verdict.reason}. Drop the single objects you mean, one statement each, so that a person can approve them; a whole database is dropped by a person, outside the agent.`;
  }
  const shown = one === undefined ? "" : ` (${JSON.stringify(one.text.slice(0, 80))})`;
  const asWhat = dialects.length === 0 ? "SQL of any dialect" : verdict.dialect;
  return `The text cannot be read as ${asWhat}: ${verdict.reason}${shown}. Send complete statements in the dialect of this database, with every quote, comment and bracket closed and no client commands or templates.`;
}
