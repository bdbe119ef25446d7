import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Args, Facets } from "../../../src/core/call";
import { type DestructiveSqlOptions, destructiveSql } from "../../../src/core/guards/destructiveSql";
import { classifySql } from "../../../src/core/sql/classify";
import { createSecondOpinion } from "../../../src/node/sql/secondOpinion";
import { ATTACKS } from "../../core/sql/attacks";
import { EVERYDAY } from "../../core/sql/everyday";

const opinion = createSecondOpinion({ log: { info() {}, warn() {}, error() {} } });
afterAll(() => opinion.close());
beforeAll(async () => {
  for (let turn = 0; turn < 20; turn++)
    if ((await opinion.judge("SELECT 1", "postgres")) === "agrees") return;
});

describe("PostgreSQL's own parser", () => {
  test.each([
    "TABLE t",
    "VALUES (1)",
    "EXPLAIN SELECT 1",
    "EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1",
    "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
    "SELECT 'a'\n'b'",
    "SELECT $1, $2",
    "BEGIN; SELECT 1; COMMIT",
    "COMMIT AND CHAIN",
    "SET timezone = 'UTC'",
    "SET NAMES 'UTF8'",
    'SELECT "DeleteStmt", \'DeleteStmt\' AS "DropStmt" FROM t',
    "CREATE TYPE mood AS ENUM ('a')",
    "CREATE SCHEMA s CREATE TABLE t (a int)",
    "",
    "-- nothing",
    ";;",
    "SELECT '\ud800'",
  ])("agrees: %s", async (sql) => expect(await opinion.judge(sql, "postgres")).toBe("agrees"));

  test.each([
    "DELETE FROM t",
    "UPDATE t SET a = 1",
    "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE t",
    "DROP TABLE t",
    "ALTER TABLE t ADD a int",
    "GRANT ALL ON t TO x",
    "COPY t FROM STDIN",
    "COPY t TO '/tmp/x'",
    "COPY (SELECT 1) TO PROGRAM 'cat'",
    "COPY (DELETE FROM t RETURNING 1) TO STDOUT",
    "CALL p()",
    "DO $$ BEGIN END $$",
    "LOCK t",
    "VACUUM t",
    "SELECT 1 INTO x",
    "SELECT 1 INTO x UNION SELECT 2",
    "SELECT 1 UNION (WITH d AS (DELETE FROM t RETURNING a) SELECT a FROM d)",
    "SELECT 1; SELECT 2; DELETE FROM t",
    "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d",
    "SELECT * FROM (WITH a AS (WITH b AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM b) SELECT * FROM a) x",
    "EXPLAIN ANALYZE DELETE FROM t",
    "EXPLAIN EXECUTE p",
    "PREPARE p AS DELETE FROM t",
    "PREPARE TRANSACTION 'x'",
    "COMMIT PREPARED 'x'",
    "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 1",
    "CREATE OR REPLACE VIEW v AS SELECT 1",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC DELETE FROM t; SELECT 1; END",
    "CREATE RULE r AS ON INSERT TO t DO ALSO DELETE FROM u",
    "CREATE SCHEMA s GRANT ALL ON t TO x",
    "CREATE AGGREGATE a (int) (sfunc = f, stype = int)",
    "SET role = 'postgres'",
    "SET standard_conforming_strings = off",
    "RESET ALL",
    "MOVE 1 FROM c",
    "REFRESH MATERIALIZED VIEW v",
    "DELETE FROM t WHERE a = ?",
  ])("is stricter: %s", async (sql) => expect(await opinion.judge(sql, "postgres")).toBe("stricter"));

  test.each([
    "SELECT FROM FROM",
    "SELECT 1; SELEKT 2",
    "SELECT * FROM t WHERE",
    "SELECT (1",
    "SELECT 'a",
    "SELECT 1x",
    "SELECT 'a' 'b'",
    "DESCRIBE t",
    "SELECT a FROM t LIMIT 5, 10",
    "SELECT ::",
    "SELECT * FROM t WHERE WHERE a = ?",
    "SELECT 1\0; DELETE FROM t",
  ])("refuses for good: %j", async (sql) =>
    expect(await opinion.judge(sql, "postgres")).toBe("refuses-exact"),
  );

  test.each([
    "SELECT * FROM t WHERE a = ?",
    "SELECT * FROM t WHERE a=:id AND b = :'name' LIMIT :n",
    'SELECT * FROM :"tbl"',
    "INSERT INTO t VALUES (%(a)s, %(b)s)",
    "SELECT * FROM t WHERE a::text = :id",
  ])("has no opinion where a driver fills in values: %s", async (sql) =>
    expect(await opinion.judge(sql, "postgres")).toBe("unverified"),
  );
});

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

async function decide(text: string, options: Partial<DestructiveSqlOptions>): Promise<number> {
  const facets = (_: unknown, args: Args): Facets => ({
    paths: [],
    commands: [],
    sql: [{ arg: "sql", text: String(args.sql), dialect: "postgres" }],
    effect: "unknown",
  });
  const rules = { onUnparseable: "deny", onUnverified: "allow", confirmArg: "confirm" } as const;
  const hook = destructiveSql({ facets, ...rules, ...options });
  const input = { sql: text };
  const names = { toolName: "db_query_sql", canonicalName: "db_query_sql" };
  const ids = { callId: "c", runId: "r", sessionId: "s", traceId: "t", agent: "vscode", profile: "default" };
  const call = { ...ids, ...names, input, extra: {} } as const;
  const ctx = { sessionId: "s", profile: "default", traceId: "t", extra: {}, call };
  const kind = (await hook.preToolUse?.(ctx, "db_query_sql", input))?.kind ?? "allow";
  const rank = Object.entries(RANK).find(([name]) => name === kind)?.[1];
  if (rank === undefined) throw new Error(`a guard decided ${kind}`);
  return rank;
}

const secondOpinion = opinion;

describe("with the rules", () => {
  test("it makes no decision milder, whatever the settings", async () => {
    let stricter = 0;
    for (const { sql } of [...ATTACKS, ...EVERYDAY]) {
      for (const onUnverified of ["allow", "ask", "deny"] as const) {
        const alone = await decide(sql, { onUnverified });
        const both = await decide(sql, { onUnverified, secondOpinion });
        expect(both, sql).toBeGreaterThanOrEqual(alone);
        if (both > alone) stricter++;
      }
    }
    expect(stricter).toBeGreaterThan(100);
  }, 60_000);

  test("no everyday statement of PostgreSQL is denied or asked about, in the strictest setting either", async () => {
    const rows = EVERYDAY.filter((row) => row.dialect === "postgres");
    expect(rows.length).toBeGreaterThan(40);
    for (const { sql } of rows)
      expect(await decide(sql, { onUnverified: "deny", secondOpinion }), sql).toBe(RANK.allow);
  }, 60_000);

  test("it sees by itself each statement that the rules blame for its verb", async () => {
    const rows = ATTACKS.filter(({ sql }) => /^(verb|start|into|create|drop_database)$/.test(ruleOf(sql)));
    expect(rows.length).toBeGreaterThan(100);
    for (const { sql } of rows.filter(({ sql }) => !READ_DIFFERENTLY.test(sql)))
      expect(await opinion.judge(sql, "postgres"), sql).not.toBe("agrees");
  }, 60_000);
});

const ruleOf = (sql: string): string => classifySql(sql, { dialect: "postgres" }).rule;

/** Settings and old or odd line ends decide how these are read; and in Transact-SQL a second statement may follow without a mark. */
const READ_DIFFERENTLY = /\\'|^SELECT 1 --|\/\* \/\*|'a'DELETE|^SELECT 1 (SHUTDOWN|DELETE)/;
