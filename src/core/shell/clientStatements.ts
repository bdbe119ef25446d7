/** Everyday statements of single clients, in the words of the dialect that judges them. Knows which file names are plain; judges no SQL. */
import type { SqlClient } from "./sqlClient";

/** A file of data in or under the folder that the command starts in. */
const DATA_FILE =
  /^(?:[\w-][\w.-]*\/){0,6}[\w-][\w.-]*\.(?:csv|tsv|json|jsonl|ndjson|parquet|arrow|feather|xlsx|dat)(?:\.gz|\.zst)?$/i;

const NAMED = /\bto\s*('[^'\n]{1,200}'|[^\s'()]{1,200})/gi;

/** The files of data that a text with COPY in it may write: what passes as SQL is judged as a file. */
export function copiedFiles(text: string): readonly string[] {
  if (!/\bcopy\b/i.test(text)) return [];
  return [...text.matchAll(NAMED)]
    .map(([, name = ""]) => name.replace(/^'|'$/g, ""))
    .filter((name) => DATA_FILE.test(name));
}

/** They write statistics only. */
const STATISTICS: Readonly<Record<string, RegExp>> = {
  sqlite: /^\s*analyze(?:\s+[\w."]+)?\s*;?\s*$/i,
  mysql: /^\s*analyze\s+(?:(?:local|no_write_to_binlog)\s+)?tables?\s+[\w.`]+(?:\s*,\s*[\w.`]+)*\s*;?\s*$/i,
  postgres:
    /^\s*analyze(?:\s+verbose|\s*\(\s*(?:verbose|skip_locked)\s*\))?(?:\s+[\w."]+(?:\s*\([\w\s,"]*\))?)?\s*;?\s*$/i,
};
/** T-SQL takes a first word that is no verb for a procedure. */
const PROCEDURE = /^\s*(?:\w+\.){0,2}sp_\w+(?:\s|;|$)/i;
const COPY_ROWS =
  /^\s*copy\s*(?:\(([^;]*)\)|([\w."]+))\s*to\s*'([^'\n]{1,200})'\s*(?:(?:with\s*)?\([\w\s,'=.|]{0,200}\))?\s*;?\s*$/i;

export function statementFor(text: string, { dialect, meta }: Pick<SqlClient, "dialect" | "meta">): string {
  if (STATISTICS[dialect === "mariadb" ? "mysql" : dialect]?.test(text) === true) return "";
  if (meta === "sqlcmd" && PROCEDURE.test(text)) return `EXEC ${text}`;
  if (dialect !== "duckdb") return text;
  const [, query, table, file = ""] = COPY_ROWS.exec(text) ?? [];
  return DATA_FILE.test(file) ? (query ?? `SELECT * FROM ${table}`) : text;
}

const COPY_OUT =
  /^\\copy\s*(?:\((.*)\)|([\w."]+(?:\s*\([\w\s,"]*\))?))\s+to\s+('[^']{1,200}'|[^\s'()]{1,200})(?:\s[\w\s,()'"=|]*)?;?$/i;

/** psql's `\copy .. to a file of data`: what of it the server runs. */
export function copiedRows(command: string): string | undefined {
  const [, query, table, target = ""] = COPY_OUT.exec(command) ?? [];
  const file = target.replace(/^'|'$/g, "");
  if (!/^p?stdout$/i.test(target) && !DATA_FILE.test(file)) return undefined;
  return `COPY ${query === undefined ? table : `(${query})`} TO STDOUT;`;
}
