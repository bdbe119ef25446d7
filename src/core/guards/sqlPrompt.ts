/** Words for a person and for the agent about SQL that was not allowed. Decides nothing. */
import type { SqlVerdict, StatementVerdict } from "../sql/classify";
import { visibleLine } from "../visible";

const MAX_ALSO = 3;
const MAX_SQL = 4_000;
const MAX_EXCERPT = 200;

/** Where the judge only says that something may happen: what it is. */
const EFFECTS: Readonly<Record<string, string>> = {
  COPY: "COPY moves rows between tables and files or programs of the server",
  VACUUM: "VACUUM rewrites what is stored and may lock it meanwhile",
  ATTACH: "ATTACH opens another database, and makes it if it is not there",
  DETACH: "DETACH closes a database of this session",
  LOCK: "LOCK keeps everybody else waiting",
  COMMENT: "COMMENT replaces what is noted on an object",
  REINDEX: "REINDEX builds indexes again and locks the table meanwhile",
  CLUSTER: "CLUSTER rewrites the table and locks it meanwhile",
  LOAD: "LOAD takes in a file or code of the server",
  KILL: "KILL ends somebody's connection or query",
  INSTALL: "INSTALL brings code into the server",
};

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
  const tables = one.tables.length === 0 ? "" : ` ${one.tables.slice(0, 5).join(", ")}`;
  switch (one.op) {
    case "DELETE":
      return `DELETE from${tables}${rows(one)}`;
    case "UPDATE":
      return `${/^update\s+or\s+replace\b/i.test(one.words) ? "UPDATE OR REPLACE" : "UPDATE"}${tables}${one.assigned === null ? "" : ` ${one.assigned}`}${rows(one)}`;
    case "UPSERT":
      return `INSERT into${tables}, UPDATE of rows that exist already`;
    case "TRUNCATE":
      return `TRUNCATE${tables} — ALL ROWS${/\bcascade\b/i.test(one.words) ? ", and those of every table that refers to it (CASCADE)" : ""}`;
    case "DROP":
    case "ALTER":
      return one.words;
    default:
      return one.words === "" ? `${one.op}: ${effect(one)}` : `${one.words} — ${effect(one)}`;
  }
}

function effect({ op, reason }: StatementVerdict): string {
  return Object.hasOwn(EFFECTS, op) && /changes (?:something|data)/.test(reason)
    ? (EFFECTS[op] ?? reason)
    : reason;
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
  const asWhat = dialects.length === 0 ? "SQL of any dialect" : verdict.dialect;
  return `The text cannot be read as ${asWhat}: ${verdict.reason}${shown}. Send complete statements in the dialect of this database, with every quote, comment and bracket closed and no client commands or templates.`;
}
