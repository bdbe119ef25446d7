/** Words for a person and for the agent about SQL that was not allowed. Decides nothing. */
import type { SqlVerdict, StatementVerdict } from "../sql/classify";

const MAX_FRAGMENT = 160;
const MAX_SQL = 4_000;

/** "Statement 2 of 3: DELETE from users — ALL ROWS (no WHERE)" */
export function askPrompt(
  verdict: SqlVerdict,
  more: { readonly client?: string; readonly others: number },
): string {
  const one = verdict.statements[verdict.worst];
  const place =
    verdict.statements.length > 1 ? `Statement ${verdict.worst + 1} of ${verdict.statements.length}: ` : "";
  const program = more.client === undefined ? "" : `${more.client}: `;
  const what = verdict.rule === "floor" || one === undefined ? sentence(verdict.reason) : action(one);
  const asking = verdict.statements.filter((each) => each.verdict !== "allow").length - 1 + more.others;
  return `${program}${place}${what}${asking > 0 ? ` (and ${asking} more that must be approved)` : ""}`;
}

function action(one: StatementVerdict): string {
  const tables = one.tables.length === 0 ? "" : ` ${one.tables.slice(0, 5).join(", ")}`;
  const rows = one.hasWhere ? where(one.text) : " — ALL ROWS (no WHERE)";
  switch (one.op) {
    case "DELETE":
      return `DELETE from${tables}${rows}`;
    case "UPDATE":
      return `UPDATE${tables}${rows}`;
    case "TRUNCATE":
      return `TRUNCATE${tables} — ALL ROWS`;
    case "DROP":
    case "ALTER":
      return `${one.op} ${one.kind === "ROWS" ? "" : `${one.kind}`}${tables}`.replace(/ {2,}/g, " ").trim();
    default:
      return `${one.op}${one.op === "CREATE" || one.op === "CALL" ? "" : tables}: ${one.reason}`;
  }
}

function where(text: string): string {
  const at = text.search(/\bwhere\b/i);
  const condition = text.slice(at).replace(/\s+/g, " ");
  return at < 0
    ? ""
    : ` ${condition.length > MAX_FRAGMENT ? `${condition.slice(0, MAX_FRAGMENT)}…` : condition}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function askDetails(verdict: SqlVerdict, sql: string): Record<string, unknown> {
  const one = verdict.statements[verdict.worst];
  return {
    op: one?.op ?? "UNKNOWN",
    kind: one?.kind ?? "UNKNOWN",
    tables: one?.tables ?? [],
    has_where: one?.hasWhere ?? false,
    sql: (one?.text ?? sql).slice(0, MAX_SQL),
    dialect: verdict.dialect,
    rule: verdict.rule,
    why: verdict.reason,
    ...(verdict.statements.length > 1
      ? { statement: verdict.worst + 1, statements: verdict.statements.length }
      : {}),
  };
}

/** Says what is wrong and what the agent can do instead. */
export function denyReason(verdict: SqlVerdict): string {
  const one = verdict.statements[verdict.worst];
  if (verdict.rule === "drop_database") {
    return `${verdict.reason}. Drop the single objects you mean, one statement each, so that a person can approve them; a whole database is dropped by a person, outside the agent.`;
  }
  const shown = one === undefined ? "" : ` (${JSON.stringify(one.text.slice(0, 80))})`;
  return `The SQL cannot be read as ${verdict.dialect}: ${verdict.reason}${shown}. Send complete statements in the dialect of this database, with every quote, comment and bracket closed and no client commands or templates.`;
}
