/** Words for a person and for the agent about SQL that was not allowed. Decides nothing. */
import type { SqlVerdict, StatementVerdict } from "../sql/classify";
import { findDialect } from "../sql/dialects";
import { sqlEffect } from "../sql/effects";
import { visibleLine } from "../visible";

const MAX_ALSO = 3;
const MAX_SQL = 4_000;
const MAX_EXCERPT = 200;

/** "Statement 2 of 3: DELETE from users — ALL ROWS (no WHERE); also UPDATE accounts SET open = false WHERE id = 1" */
export function askPrompt(
  verdict: SqlVerdict,
  more: { readonly client?: string; readonly text?: string; readonly others: readonly SqlVerdict[] },
): string {
  const one = verdict.statements[verdict.worst];
  const place =
    verdict.statements.length > 1 ? `Statement ${verdict.worst + 1} of ${verdict.statements.length}: ` : "";
  const program = more.client === undefined ? "" : `${more.client}: `;
  const what = verdict.rule === "floor" || one === undefined ? unsure(verdict, more.text ?? "") : action(one);
  return visibleLine(`${program}${place}${what}${also(otherActions(verdict, more.others))}`);
}

/** The text itself, with its comments, where the judge cannot say what of it runs. */
function unsure({ reason, statements }: SqlVerdict, text: string): string {
  return text === "" || statements.length === 0
    ? sentence(reason)
    : `${sentence(reason)}: ${excerpt(text, MAX_EXCERPT)}`;
}

/** Cut in its middle: what stands at the end can widen what stands before it. In UTF-16 units. */
export function excerpt(text: string, max: number): string {
  const line = max > MAX_EXCERPT ? text : text.replace(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  const tail = Math.floor(max / 2);
  return `${line.slice(0, max - tail - 3)} … ${line.slice(-tail)}`;
}

/** What else must be approved with it. */
export function otherActions(verdict: SqlVerdict, others: readonly SqlVerdict[]): readonly string[] {
  const own = verdict.statements.filter((each, index) => each.verdict !== "allow" && index !== verdict.worst);
  const theirs = others.flatMap(({ statements, reason }) => {
    const asking = statements.filter((each) => each.verdict !== "allow");
    return asking.length === 0 ? [reason.charAt(0).toLowerCase() + reason.slice(1)] : asking.map(action);
  });
  return [...own.map(action), ...theirs];
}

function also(actions: readonly string[]): string {
  if (actions.length === 0) return "";
  const rest = actions.length - MAX_ALSO;
  return `; also ${actions.slice(0, MAX_ALSO).join("; ")}${rest > 0 ? `; and ${rest} more that must be approved` : ""}`;
}

function action(one: StatementVerdict): string {
  const lead = one.own?.lead ?? "";
  if (lead === "") return done(one);
  if (!/^(?:explain|desc|describe)\b/i.test(lead)) return `${lead} ${done(one)}`;
  return `${lead} of ${done(one)}${/\banaly[sz]e\b/i.test(lead) ? ", which ANALYZE runs" : ""}`;
}

function done(one: StatementVerdict): string {
  const tables = one.tables.length === 0 ? "" : ` ${one.tables.slice(0, 5).join(", ")}`;
  switch (one.op) {
    case "DELETE":
      return `DELETE ${one.own?.target || `from${tables}`}${means(one)}${rows(one)}`;
    case "UPDATE":
      return `UPDATE ${one.own?.target || tables.trim()}${means(one)}${one.assigned === null ? "" : ` ${one.assigned}`}${rows(one)}`;
    case "UPSERT":
      return `INSERT into${tables}, UPDATE of rows that exist already`;
    case "TRUNCATE":
      return truncate(one, tables);
    case "DROP":
    case "ALTER":
      return one.words;
    default:
      return one.words === "" ? `${one.op}: ${sqlEffect(one)}` : `${one.words} — ${sqlEffect(one)}`;
  }
}

function means({ own }: StatementVerdict): string {
  return own === null || own.means === "" ? "" : `, that is (${own.means})`;
}

function truncate({ words }: StatementVerdict, tables: string): string {
  if (/\bpartitions?\s*\(/i.test(words)) return `${words} — all rows of these partitions`;
  const cascade = /\bcascade\b/i.test(words) ? ", and those of every table that refers to it (CASCADE)" : "";
  return `TRUNCATE${tables} — ALL ROWS${cascade}`;
}

/** Which rows: the condition, what else limits them, or all. */
function rows({ hasWhere, condition, own }: StatementVerdict): string {
  if (hasWhere) return ` ${condition}`;
  if (condition !== null) return ` — ALL ROWS (${condition} names no column)`;
  const which = own?.limit.startsWith("ORDER") ? "" : ", whichever they are";
  switch (own?.narrowed) {
    case "top":
      return " — whichever they are (no WHERE)";
    case "limit":
      return ` — ${own.limit}${which} (no WHERE)`;
    case "partition":
      return " — ALL ROWS of that partition (no WHERE)";
    case "join":
      return " — ALL ROWS that the other table matches (no WHERE)";
    default:
      return own === null || own?.means === "" ? " — ALL ROWS (no WHERE)" : " — ALL ROWS of that (no WHERE)";
  }
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
    op: one?.op ?? (verdict.rule === "database_tool" ? "TOOL" : "UNKNOWN"),
    kind: one?.kind ?? "UNKNOWN",
    tables: one?.tables ?? [],
    has_where: one?.hasWhere ?? false,
    sql: excerpt(verdict.rule === "floor" ? sql : (one?.text ?? sql), MAX_SQL),
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
    return visibleLine(
      `${verdict.reason}. Drop the single objects you mean, one statement each, so that a person can approve them; a whole database is dropped by a person, outside the agent.`,
    );
  }
  const shown = one === undefined ? "" : ` (${JSON.stringify(visibleLine(excerpt(one.text, 80)))})`;
  const named = dialects.some((name) => findDialect(name) !== undefined);
  const asWhat = named ? verdict.dialect : "SQL of any dialect";
  return `The text cannot be read as ${asWhat}: ${verdict.reason}${shown}. Send complete statements in the dialect of this database, with every quote, comment and bracket closed and no client commands or templates.`;
}
