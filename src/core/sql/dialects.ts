/** What each SQL dialect's lexer does differently, as data. Knows no statement. */

/** Facts that decide where a string, a name, a comment or a statement ends. */
export interface Profile {
  /** A backslash escapes in '..' (and in ".." where that is a string). */
  readonly backslash: boolean;
  /** '' inside '..' is one quote. Where it is false, two strings stand side by side. */
  readonly doubledQuote: boolean;
  readonly doubleQuote: "name" | "string";
  readonly backtick: "none" | "name" | "escaped";
  readonly bracket: "operator" | "doubled" | "plain";
  /** `--` starts a comment only before a blank. */
  readonly dashNeedsBlank: boolean;
  /** A carriage return alone ends a `--` comment. */
  readonly returnEndsComment: boolean;
  readonly hash: "comment" | "operator" | "name";
  readonly slashComment: boolean;
  readonly nestedComment: boolean;
  /** A comment still open at the end of the text is accepted. */
  readonly openComment: boolean;
  /** MySQL runs what stands between slash-star-bang and star-slash; `run` reads it, `skip` leaves it out. */
  readonly executable: "none" | "run" | "skip";
  readonly dollar: "none" | "tag" | "double";
  readonly qQuote: boolean;
  readonly tripleQuote: boolean;
  /** r'..' knows no escape at all. */
  readonly rawString: boolean;
  readonly eString: boolean;
  /** `@x` is a name of its own. */
  readonly atName: boolean;
  /** `\G` and `\g` end a statement, `\N` is NULL. */
  readonly backslashWord: boolean;
  /** SQLite reads `$x(..)`, `@x(..)`, `:x(..)` and `#x(..)` up to the bracket as one parameter, quotes within included. */
  readonly bracketParam: boolean;
  /** Informix: `{ .. }` is a comment. */
  readonly braceComment: boolean;
  /** A line with GO alone ends a batch. */
  readonly goLine: boolean;
  /** A line with `/` alone ends a statement. */
  readonly slashLine: boolean;
}

export type Family =
  | "postgres"
  | "mysql"
  | "sqlite"
  | "tsql"
  | "oracle"
  | "bigquery"
  | "snowflake"
  | "databricks"
  | "duckdb"
  | "other";

export interface Dialect {
  readonly name: string;
  readonly family: Family;
  /** More than one where a server setting decides: the text is read in each way. */
  readonly readings: readonly Profile[];
  /** True where a user's function can change data from within a SELECT. */
  readonly judgesFunctions: boolean;
}

const ANSI: Profile = {
  backslash: false,
  doubledQuote: true,
  doubleQuote: "name",
  backtick: "none",
  bracket: "operator",
  dashNeedsBlank: false,
  returnEndsComment: false,
  hash: "operator",
  slashComment: false,
  nestedComment: false,
  openComment: false,
  executable: "none",
  dollar: "none",
  qQuote: false,
  tripleQuote: false,
  rawString: false,
  eString: false,
  atName: false,
  backslashWord: false,
  bracketParam: false,
  braceComment: false,
  goLine: false,
  slashLine: false,
};

const POSTGRES: Profile = {
  ...ANSI,
  nestedComment: true,
  dollar: "tag",
  eString: true,
  returnEndsComment: true,
};
const DUCKDB: Profile = { ...POSTGRES, returnEndsComment: false };
/** With standard_conforming_strings off, which a server or a connection may set, a backslash escapes. */
const POSTGRES_READINGS: readonly Profile[] = [POSTGRES, { ...POSTGRES, backslash: true }];
const SQLITE: Profile = {
  ...ANSI,
  backtick: "name",
  bracket: "plain",
  openComment: true,
  atName: true,
  bracketParam: true,
};
const TSQL: Profile = {
  ...ANSI,
  bracket: "doubled",
  hash: "name",
  nestedComment: true,
  atName: true,
  goLine: true,
};
const ORACLE: Profile = { ...ANSI, hash: "name", qQuote: true };
const BIGQUERY: Profile = {
  ...ANSI,
  backslash: true,
  doubledQuote: false,
  doubleQuote: "string",
  backtick: "escaped",
  hash: "comment",
  tripleQuote: true,
  atName: true,
};
const SNOWFLAKE: Profile = { ...ANSI, backslash: true, slashComment: true, dollar: "double", atName: true };
const DATABRICKS: Profile = {
  ...ANSI,
  backslash: true,
  doubleQuote: "string",
  backtick: "name",
  nestedComment: true,
  rawString: true,
  dollar: "double",
};
const MYSQL: Profile = {
  ...ANSI,
  backslash: true,
  doubleQuote: "string",
  backtick: "name",
  dashNeedsBlank: true,
  hash: "comment",
  executable: "skip",
  atName: true,
  backslashWord: true,
};

/** NO_BACKSLASH_ESCAPES, ANSI_QUOTES and the version in an executable comment are the server's business. */
const MYSQL_READINGS: readonly Profile[] = (
  [MYSQL, { ...MYSQL, doubleQuote: "name" }, { ...MYSQL, backslash: false }] satisfies Profile[]
).flatMap((profile) => [profile, { ...profile, executable: "run" as const }]);

const row = (
  name: string,
  family: Family,
  readings: readonly Profile[],
  judgesFunctions: boolean,
): Dialect => ({ name, family, readings, judgesFunctions });

export const DIALECTS: readonly Dialect[] = [
  row("postgres", "postgres", POSTGRES_READINGS, true),
  row("redshift", "postgres", POSTGRES_READINGS, true),
  row("mysql", "mysql", MYSQL_READINGS, true),
  row("mariadb", "mysql", MYSQL_READINGS, true),
  row("sqlite", "sqlite", [SQLITE], true),
  row("tsql", "tsql", [TSQL], false),
  row("oracle", "oracle", [ORACLE, { ...ORACLE, slashLine: true }], true),
  row("bigquery", "bigquery", [BIGQUERY], false),
  row("snowflake", "snowflake", [SNOWFLAKE, { ...SNOWFLAKE, nestedComment: true }], false),
  row(
    "databricks",
    "databricks",
    [
      DATABRICKS,
      { ...DATABRICKS, nestedComment: false },
      { ...DATABRICKS, doubleQuote: "name" },
      { ...DATABRICKS, dollar: "none" },
    ],
    false,
  ),
  row("duckdb", "duckdb", [DUCKDB], false),
];

const CLICKHOUSE: Profile = {
  ...ANSI,
  backslash: true,
  doubleQuote: "string",
  backtick: "escaped",
  hash: "comment",
  dollar: "tag",
};

/** Engines that no call can name: where the dialect is unknown, the text is read as they do too. */
export const OTHER_DIALECTS: readonly Dialect[] = [
  row("standard SQL", "other", [ANSI], false),
  row("H2", "other", [{ ...ANSI, slashComment: true, dollar: "double" }], false),
  row("ClickHouse", "other", [CLICKHOUSE, { ...CLICKHOUSE, hash: "operator" }], false),
  row("Informix", "other", [{ ...ANSI, doubleQuote: "string", braceComment: true }], false),
];

const SYNONYMS: Readonly<Record<string, string>> = {
  postgresql: "postgres",
  pg: "postgres",
  psql: "postgres",
  postgis: "postgres",
  timescaledb: "postgres",
  cockroachdb: "postgres",
  cockroach: "postgres",
  greenplum: "postgres",
  yugabyte: "postgres",
  sqlite3: "sqlite",
  libsql: "sqlite",
  turso: "sqlite",
  mysql2: "mysql",
  mysqlsh: "mysql",
  percona: "mysql",
  tidb: "mysql",
  maria: "mariadb",
  mssql: "tsql",
  sqlserver: "tsql",
  "sql server": "tsql",
  sqlcmd: "tsql",
  "t-sql": "tsql",
  transactsql: "tsql",
  azuresql: "tsql",
  synapse: "tsql",
  fabric: "tsql",
  plsql: "oracle",
  sqlplus: "oracle",
  oracledb: "oracle",
  bq: "bigquery",
  googlesql: "bigquery",
  snowsql: "snowflake",
  spark: "databricks",
  sparksql: "databricks",
  hive: "databricks",
  motherduck: "duckdb",
};

const BY_NAME: ReadonlyMap<string, Dialect> = new Map(DIALECTS.map((dialect) => [dialect.name, dialect]));

/** The dialect of that name or synonym in any case; undefined for "generic" and every name unknown here. */
export function findDialect(name: string | undefined): Dialect | undefined {
  const key = (name ?? "").trim().toLowerCase();
  return BY_NAME.get(Object.hasOwn(SYNONYMS, key) ? (SYNONYMS[key] ?? key) : key);
}
