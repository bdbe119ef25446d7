/** What is known of one database client, and how the table of them is written. Knows no client. */

export interface SqlClient {
  readonly dialect: string;
  /** Options whose value is SQL. */
  readonly sql: readonly string[];
  /** Of these the options behind which standard input is read all the same. */
  readonly startup: readonly string[];
  /** Options whose value is a file of SQL. */
  readonly file: readonly string[];
  /** Other options that take the next word. */
  readonly valued: readonly string[];
  /** `sql`: words behind the first are SQL; `firstSql`: every word is; `ignored`: names of databases and users. */
  readonly words: "ignored" | "sql" | "firstSql";
  readonly readsStdin: boolean;
  /** A letter that takes the rest of its word, never the next one: MySQL's `-psecret`. */
  readonly swallows?: string;
  /** Words that must follow the program's name: `wrangler d1 execute`; `query|execute` stands for either. */
  readonly verbs?: readonly string[];
  /** The client's own commands. */
  readonly meta: "psql" | "dot" | "mysql" | "sqlcmd" | "sqlplus" | "none";
}

const list = (words: string): readonly string[] => (words === "" ? [] : words.split(" "));

/** A client as it is written down: words divided by blanks, and what differs from most. */
export type Parts = Partial<Omit<SqlClient, "sql" | "startup" | "file" | "valued">> & {
  sql?: string;
  startup?: string;
  file?: string;
  valued?: string;
};

export const client = (dialect: string, parts: Parts): SqlClient => ({
  dialect,
  words: parts.words ?? "ignored",
  readsStdin: parts.readsStdin ?? true,
  meta: parts.meta ?? "none",
  sql: [...list(parts.sql ?? ""), ...list(parts.startup ?? "")],
  startup: list(parts.startup ?? ""),
  file: list(parts.file ?? ""),
  valued: list(parts.valued ?? ""),
  ...(parts.swallows === undefined ? {} : { swallows: parts.swallows }),
  ...(parts.verbs === undefined ? {} : { verbs: parts.verbs }),
});
