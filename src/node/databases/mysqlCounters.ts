/** What MariaDB's and MySQL's session counters tell of statements that ran inside triggers and functions, beside those that were sent. Knows no catalogue. */
import type { Connection } from "mysql2";
import { findDialect } from "../../core/sql/dialects";
import { lex } from "../../core/sql/lexer";
import { type Act, excess, type Intent } from "./intent";
import { askMysql } from "./mysqlConnection";
import { leadingWords } from "./split";

export type Counters = Readonly<Record<string, number>>;

/** The server counts each statement by its kind, those of triggers, functions and procedures too. */
const STATEMENTS = {
  DELETE: ["com_delete", "com_delete_multi"],
  UPDATE: ["com_update", "com_update_multi"],
  REPLACE: ["com_replace", "com_replace_select"],
  INSERT: ["com_insert", "com_insert_select"],
} as const;
/**
 * Rows updated. By itself it proves nothing: window functions update the rows of their own temporary table, and MySQL
 * counts all its temporary tables here.
 */
const UPDATED_ROWS = "handler_update";

const NAMES = [...Object.values(STATEMENTS).flat(), UPDATED_ROWS];

export async function counters(connection: Connection): Promise<Counters> {
  const rows = await askMysql(connection, "SHOW SESSION STATUS WHERE Variable_name IN (?)", [NAMES]);
  return Object.fromEntries(
    rows.map((row) => [String(row.Variable_name).toLowerCase(), Number(row.Value ?? 0)]),
  );
}

export interface Counted {
  /** Of a connection that is new, or FLUSH STATUS could hide what came before it. */
  readonly before: Counters;
  /** The statements that were sent since then. */
  readonly sent: readonly string[];
  readonly intent: Intent;
}

/** Statements that deleted or updated although no such verb was judged or approved. */
export async function countedBeyond(
  connection: Connection,
  { before, sent, intent }: Counted,
): Promise<readonly Act[]> {
  const after = await counters(connection);
  const grown = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0);
  const verbs: string[] = (["DELETE", "UPDATE", "REPLACE"] as const).filter(
    (verb) => grown(STATEMENTS[verb]) > 0,
  );
  // An INSERT updates rows only by ON DUPLICATE KEY: in its own words, or in one that was not sent.
  const inserts = sent.filter((statement) => /^INSERT\b/.test(leadingWords(statement))).length;
  const mayUpdate = grown(STATEMENTS.INSERT) > inserts || sent.some(updatesDuplicates);
  if (mayUpdate && grown([UPDATED_ROWS]) > 0) verbs.push("UPDATE");
  return excess(
    intent,
    verbs.map((verb) => ({ verb, table: null })),
  );
}

/** In one of the ways in which the server may read it. */
function updatesDuplicates(statement: string): boolean {
  if (!/duplicate/i.test(statement)) return false;
  return (findDialect("mysql")?.readings ?? []).some((profile) =>
    lex(statement, profile).tokens.some(
      ({ kind, text }, at, all) => kind === "word" && text === "DUPLICATE" && all[at - 1]?.text === "ON",
    ),
  );
}
