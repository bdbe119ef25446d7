/** For each rule of the guard texts it fires on, and near ones it must leave alone. */
import type { StatementVerdict } from "../../src/core/sql/classify";

export interface RuleRow {
  readonly rule: StatementVerdict["rule"];
  readonly dialect: string;
  readonly sql: string;
}

type Rule = StatementVerdict["rule"];
const rows = (rule: Rule, list: readonly (readonly [dialect: string, sql: string])[]): RuleRow[] =>
  list.map(([dialect, sql]) => ({ rule, dialect, sql }));

export const FIRES: readonly RuleRow[] = [
  ...rows("verb", [
    ["postgres", "WITH d AS (DELETE FROM t RETURNING a) SELECT * FROM d"],
    ["mysql", "CREATE VIEW v AS SELECT 1; MERGE VIEW v"],
    ["mysql", "INSERT INTO t SELECT 1 INTO OUTFILE 'x'"],
    ["postgres", "WITH u AS (UPSERT INTO t VALUES (1)) SELECT 1"],
  ]),
  ...rows("drop_database", [
    ["postgres", "DROP SCHEMA s CASCADE"],
    ["bigquery", "DROP EXTERNAL SCHEMA s"],
    ["postgres", `SELECT '${"x".repeat(262_144)}'; DROP DATABASE d`],
    ["mysql", `drop /* ${"x".repeat(262_144)} */ Schema s`],
    ["tsql", `SELECT 1DROP DATABASE d -- ${"x".repeat(262_144)}`],
    ["databricks", `/* ${"x".repeat(262_144)} */ DROP\u00a0CATALOG c`],
  ]),
  ...rows("into", [
    ["tsql", "SELECT * INTO copy FROM t"],
    ["oracle", "SELECT a INTO :x FROM t"],
    ["oracle", "INSERT INTO t VALUES (1) RETURNING a INTO b"],
  ]),
  ...rows("insert_target", [
    ["sqlite", "INSERT INTO ft(ft) VALUES ('rebuild')"],
    ["sqlite", "INSERT INTO sqlite_master VALUES (1)"],
  ]),
  ...rows("create", [
    ["postgres", "CREATE EXTENSION dblink"],
    ["bigquery", "CREATE TABLE FUNCTION f() AS SELECT 1"],
    ["oracle", "CREATE TYPE BODY t AS MEMBER FUNCTION f RETURN NUMBER"],
  ]),
  ...rows("function", [
    ["postgres", "SELECT purge()"],
    ["postgres", "SELECT cursor(1)"],
    ["postgres", "SELECT materialized(1)"],
    ["postgres", "SELECT xor(1)"],
    ["postgres", "SELECT * FROM purge('x')"],
    ["postgres", 'SELECT "varchar" (purge(1))'],
    ["postgres", "SELECT master.other.fn_varbintohexstr(a) FROM t"],
    ["mysql", "INSERT INTO t VALUES (purge(1))"],
    ["sqlite", "SELECT a, load_extension('x') FROM t"],
    ["sqlite", "SELECT * FROM fsdir('/')"],
  ]),
  ...rows("start", [
    ["postgres", "VACUUM t"],
    ["oracle", "declare a number; b number; begin purge; end;"],
    ["oracle", "declare c sys_refcursor; d sys_refcursor; begin open c for select 1 from dual; end;"],
  ]),
  ...rows("floor", [["mysql", "SELECT 1 /*!50000 + 1 */"]]),
  ...rows("not_sql", [["postgres", "hello world"]]),
  ...rows("unreadable", [["postgres", "SELECT 'open"]]),
  ...rows("too_long", [
    ["postgres", `SELECT '${"x".repeat(262_144)}'`],
    ["postgres", `DROP TABLE t -- ${"x".repeat(262_144)}`],
    ["postgres", `SELECT 'the database' -- ${"x".repeat(262_144)}`],
    ["mysql", `INSERT INTO dropdown VALUES ('schemas, dropped') -- ${"x".repeat(262_144)}`],
  ]),
];

/** Each passes: neither this rule nor another one speaks. */
export const PASSES: readonly RuleRow[] = [
  ...rows("verb", [
    ["postgres", "SELECT * FROM t FOR UPDATE SKIP LOCKED"],
    ["postgres", "CREATE TABLE t (a int REFERENCES u ON DELETE CASCADE)"],
    ["postgres", "SELECT replace(a, 'x', 'y') FROM t"],
    ["postgres", "CREATE TABLE upsert (key int PRIMARY KEY)"],
    ["mysql", "CREATE ALGORITHM=MERGE VIEW v AS SELECT a FROM t"],
  ]),
  ...rows("drop_database", [
    ["postgres", "SELECT 'DROP DATABASE x'"],
    ["postgres", "SELECT schema_name FROM information_schema.schemata -- drop schema"],
    ["mysql", "CREATE DATABASE dropped"],
  ]),
  ...rows("into", [
    ["mysql", "INSERT IGNORE INTO t VALUES (1)"],
    ["oracle", "INSERT INTO t (a) VALUES (:a) RETURNING id, b INTO :x, :y"],
    ["oracle", "insert into t values (1) returning rowid into :1"],
    ["oracle", "INSERT ALL INTO a VALUES (1) INTO b VALUES (2) SELECT 1 FROM dual"],
  ]),
  ...rows("insert_target", [
    ["sqlite", "INSERT INTO ft(a) VALUES ('ft')"],
    ["postgres", "INSERT INTO master (a) VALUES (1)"],
    ["mysql", "INSERT INTO app.sys (a) VALUES (1)"],
  ]),
  ...rows("create", [
    ["postgres", "CREATE UNLOGGED TABLE t (a int)"],
    ["mysql", "CREATE FULLTEXT INDEX i ON t (a)"],
    ["mysql", "SHOW CREATE TABLE t"],
    ["snowflake", "CREATE TRANSIENT TABLE t (a int)"],
  ]),
  ...rows("function", [
    ["oracle", "SELECT cursor(SELECT 1 FROM dual) FROM dual"],
    ["postgres", "WITH a AS NOT MATERIALIZED (SELECT 1) SELECT * FROM a"],
    ["postgres", "CREATE TABLE a PARTITION OF b (c NOT NULL) FOR VALUES IN (1)"],
    ["tsql", "CREATE TABLE [a] ([b] [varchar] (64) NOT NULL, [c] [decimal] (10, 2))"],
    ["sqlite", "CREATE TABLE [a] ([b] [varchar] (64) NOT NULL)"],
    ["sqlite", "SELECT rowid FROM ft('word') ORDER BY rank"],
    ["mysql", "CREATE TABLE t (a text, FULLTEXT (a))"],
    ["mysql", "INSERT t (a, b) VALUES (1, 2)"],
    ["mysql", "SELECT 0 XOR (3 / 3)"],
  ]),
  ...rows("start", [
    ["bigquery", "DECLARE x INT64 DEFAULT 1; SELECT x"],
    ["postgres", "(SELECT 1) UNION (SELECT 2)"],
    ["sqlite", "PRAGMA table_info(t)"],
    ["mysql", "EXPLAIN t"],
  ]),
  ...rows("floor", [
    ["mysql", "SELECT 1 /* plain */"],
    ["postgres", "SELECT 'é', 'a\u00a0b'"],
    ["postgres", 'SELECT "naïve" FROM t'],
  ]),
  ...rows("not_sql", [
    ["postgres", "TABLE t"],
    ["duckdb", "FROM t"],
    ["postgres", "VALUES (1)"],
  ]),
  ...rows("unreadable", [
    ["postgres", "SELECT 'it''s', E'it\\'s', $$it's$$"],
    ["mysql", "SELECT 'it\\'s'"],
    ["sqlite", "SELECT 1 /* open"],
  ]),
  ...rows("too_long", [
    ["postgres", `SELECT '${"x".repeat(262_000)}'`],
    ["mysql", `SELECT 1 -- ${"x".repeat(262_000)}`],
    ["sqlite", `${" ".repeat(262_000)}SELECT 1`],
  ]),
];
