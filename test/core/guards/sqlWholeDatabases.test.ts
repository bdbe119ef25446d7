/** Whole databases are never dropped: through the whole chain, with a person who approves everything, a real grant and the agent's own consent. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AskUser } from "../../../src/core/decision";
import { createHooks, type Hooks } from "../../../src/node/hooks";
import type { AskRequest } from "../../../src/ports";
import { quietLog } from "../fixtures";

const DIALECTS = [
  "postgres",
  "mysql",
  "mariadb",
  "sqlite",
  "tsql",
  "oracle",
  "bigquery",
  "snowflake",
  "redshift",
  "databricks",
  "duckdb",
  "generic",
  undefined,
] as const;

/** Read as the same statement everywhere. */
const EVERYWHERE = [
  "DROP DATABASE shop",
  "DROP SCHEMA shop",
  "DROP SCHEMA shop CASCADE",
  "DROP SCHEMA IF EXISTS shop CASCADE",
  "DROP DATABASE IF EXISTS shop",
  "drop database shop",
  "DrOp\tScHeMa\n\tshop",
  "DROP/**/SCHEMA/**/shop",
  "DROP -- x\nDATABASE shop",
  "/* x */ DROP /* y */ DATABASE /* z */ shop",
  'DROP DATABASE "shop"',
  "DROP SCHEMA a, b, c RESTRICT",
  "DROP CATALOG shop",
  "SELECT 1; DROP DATABASE shop",
  "SELECT 1;;;DROP SCHEMA shop;",
  "DROP TABLE t; DROP DATABASE shop; SELECT 2",
  "EXPLAIN DROP DATABASE shop",
  "WITH x AS (SELECT 1) DROP SCHEMA shop",
  "WITH x AS (DROP SCHEMA shop) SELECT 1",
  "BEGIN; DROP SCHEMA shop; COMMIT",
  "BEGIN DROP DATABASE shop; END",
  "IF 1 = 1 DROP DATABASE shop",
  "CREATE PROCEDURE p AS BEGIN DROP DATABASE shop END",
  "ALTER TABLE t ADD a int; DROP SCHEMA shop",
];

/** In one dialect, or with words only it has. */
const ALONE: readonly (readonly [string, string])[] = [
  ["mysql", "DROP DATABASE `shop`"],
  ["mysql", "DROP SCHEMA `shop`"],
  ["mysql", "/*!DROP DATABASE shop*/"],
  ["mysql", "/*!50000 DROP */ DATABASE shop"],
  ["mysql", "DROP /*!50000 DATABASE */ shop"],
  ["mariadb", "/*M! DROP DATABASE shop */"],
  ["mysql", "# x\nDROP DATABASE shop"],
  ["mysql", "SELECT 1 --1; DROP DATABASE shop"],
  ["mysql", "PREPARE s FROM 'DROP DATABASE shop'"],
  ["mysql", "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DROP DATABASE shop"],
  ["tsql", "DROP DATABASE [shop]"],
  ["tsql", "DROP SCHEMA [dbo.x]"],
  ["tsql", "SELECT 1 DROP DATABASE shop"],
  ["tsql", "SELECT 1\nGO\nDROP DATABASE shop\nGO"],
  ["tsql", "EXEC('DROP DATABASE shop')"],
  ["tsql", "EXEC sp_executesql N'DROP DATABASE shop'"],
  ["tsql", "DECLARE @q nvarchar(max) = N'DROP DATABASE shop'; EXEC(@q)"],
  ["tsql", "IF EXISTS (SELECT 1) BEGIN DROP DATABASE shop END"],
  ["postgres", "DO $$ BEGIN DROP SCHEMA shop; END $$"],
  ["postgres", "DO $x$ BEGIN EXECUTE 'DROP SCHEMA shop CASCADE'; END $x$"],
  ["postgres", "DO 'BEGIN DROP SCHEMA shop; END'"],
  ["postgres", "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP SCHEMA shop $$"],
  ["postgres", "DROP DATABASE shop WITH (FORCE)"],
  ["postgres", 'DROP SCHEMA U&"sh\\006fp"'],
  ["postgres", "/* /* */ */ DROP SCHEMA shop"],
  ["postgres", "SELECT '\\'; DROP SCHEMA shop; --'"],
  ["oracle", "BEGIN EXECUTE IMMEDIATE 'DROP DATABASE'; END;"],
  ["oracle", "DROP PLUGGABLE DATABASE shop INCLUDING DATAFILES"],
  ["oracle", "DROP DATABASE"],
  ["bigquery", "DROP SCHEMA `p.ds` CASCADE"],
  ["bigquery", "DROP EXTERNAL SCHEMA ds"],
  ["bigquery", 'EXECUTE IMMEDIATE "DROP SCHEMA ds CASCADE"'],
  ["snowflake", "DROP DATABASE shop CASCADE"],
  ["snowflake", "EXECUTE IMMEDIATE $$ DROP DATABASE shop $$"],
  ["snowflake", "// x\nDROP DATABASE shop"],
  ["databricks", "DROP CATALOG IF EXISTS shop CASCADE"],
  ["databricks", "DROP SCHEMA shop CASCADE"],
  ["redshift", "DROP SCHEMA shop DROP EXTERNAL DATABASE CASCADE"],
  ["duckdb", "DROP SCHEMA main.shop CASCADE"],
  ["sqlite", "DROP DATABASE shop /* open"],
];

const COMMANDS: readonly string[] = [
  "dropdb shop",
  "dropdb --if-exists -f shop",
  "sudo -u postgres dropdb shop",
  "docker exec db dropdb -U app shop",
  "mysqladmin drop shop",
  "mysqladmin -uroot -psecret --force drop shop",
  "mariadb-admin drop shop",
  `psql -c "DROP DATABASE shop"`,
  `psql -c 'drop schema public cascade; create schema public'`,
  `psql <<'E'\nDROP SCHEMA public CASCADE;\nE`,
  `mysql -e 'DROP SCHEMA shop'`,
  `echo 'DROP DATABASE shop' | mysql`,
  `sqlcmd -Q "DROP DATABASE [shop]"`,
  `bq query 'DROP SCHEMA ds CASCADE'`,
  `snowsql -q 'DROP DATABASE shop'`,
  `duckdb a.db 'DROP SCHEMA x CASCADE'`,
  `clickhouse-client -q 'DROP DATABASE shop'`,
  `cockroach sql -e 'DROP DATABASE shop CASCADE'`,
  `docker exec -i db psql -U app <<< 'DROP DATABASE shop'`,
  `kubectl exec db-0 -- mysql -e 'DROP DATABASE shop'`,
  `ssh prod "psql -c 'DROP DATABASE shop'"`,
  `X=psql; $X -c "DROP DATABASE shop"`,
  `frobnicate "DROP DATABASE shop"`,
  `python3 -c 'cur.execute("DROP DATABASE shop")'`,
  `curl localhost:8123 -d 'DROP DATABASE shop'`,
];

let base = "";
let hooks: Hooks;
const requests: AskRequest[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "countersign-whole-"));
  hooks = await createHooks({
    roots: [base],
    env: {},
    log: quietLog,
    config: { chain: { options: { destructive_sql: { consent: "human", on_unparseable: "ask" } } } },
    ask: {
      available: true,
      ask: async (request) => {
        requests.push(request);
        return { kind: "allow", scope: "session" };
      },
    },
  });
  // Everything is asked about, so that every call could get a grant.
  hooks.chain.add({
    name: "asker",
    guard: true,
    preToolUse: () => AskUser({ prompt: "Run it?", sessionScope: { key: "all", label: "everything" } }),
  });
});
afterAll(async () => {
  await hooks.close();
  await rm(base, { recursive: true, force: true });
});

async function outcomeOf(tool: string, args: Record<string, unknown>, dialect?: string): Promise<string> {
  const extra = dialect === undefined ? {} : { dialect };
  const ran: unknown[] = [];
  const { outcome } = await hooks.governor.govern(
    hooks.call(tool, args, { extra }),
    (final) => void ran.push(final),
  );
  return ran.length > 0 ? "ran" : `${outcome.kind} ${"by" in outcome ? outcome.by : ""}`;
}

describe("a grant is there and helps nothing", () => {
  test("the grant: a statement that may be approved runs", async () => {
    expect(await outcomeOf("db_query_sql", { sql: "DROP TABLE users" }, "postgres")).toBe("ran");
    expect(requests.length).toBeGreaterThan(0);
  });

  test.each(EVERYWHERE)("%s", async (sql) => {
    for (const dialect of DIALECTS)
      for (const args of [{ sql }, { sql, confirm_destructive: true }])
        expect(await outcomeOf("db_query_sql", args, dialect), dialect).toBe("denied destructive_sql");
    expect(await outcomeOf("mcp_shop_execute", { sql })).toBe("denied destructive_sql");
  });

  test.each(ALONE)("%s: %s", async (dialect, sql) => {
    for (const args of [{ sql }, { sql, confirm_destructive: true }])
      for (const named of [dialect, undefined])
        expect(await outcomeOf("db_query_sql", args, named), named).toBe("denied destructive_sql");
  });

  test.each(COMMANDS)("%s", async (command) => {
    const args = { command, explanation: "x", goal: "y", isBackground: false };
    for (const more of [{}, { confirm_destructive: true }])
      expect(await outcomeOf("run_in_terminal", { ...args, ...more })).toBe("denied destructive_sql");
  });
});
