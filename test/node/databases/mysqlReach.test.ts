import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, EngineRefused } from "../../../src/node/databases/database";
import type { Act, Intent } from "../../../src/node/databases/intent";
import { openDatabase } from "../../../src/node/databases/openDatabase";
import { type Engine, startMariaDb } from "../../engines/startEngines.mjs";

const read: Intent = { kind: "read" };
const add: Intent = { kind: "add", verbs: ["INSERT", "CREATE"], tables: [] };
const approved = (...acts: Act[]): Intent => ({ kind: "approved", acts });
const on = (verb: string, table: string | null, via?: string): Act => ({
  verb,
  table,
  ...(via === undefined ? {} : { via }),
});

const SCHEMA = [
  "DROP DATABASE IF EXISTS app",
  "CREATE DATABASE app",
  "USE app",
  "CREATE TABLE users (id BIGINT PRIMARY KEY, name TEXT) ENGINE=InnoDB",
  "CREATE TABLE plain (x INT)",
  "CREATE TABLE m (x INT) ENGINE=MyISAM",
  "INSERT INTO m VALUES (1), (2)",
  "CREATE FUNCTION clearm() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM m; RETURN 1; END",
  "CREATE FUNCTION date_trunc() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM m; RETURN 1; END",
  "CREATE FUNCTION `xor`(a INT) RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM m; RETURN 1; END",
  "CREATE FUNCTION outer_f() RETURNS INT RETURN clearm()",
  "CREATE FUNCTION to_file() RETURNS INT BEGIN SELECT 1 INTO OUTFILE '/nowhere/a'; RETURN 1; END",
  "CREATE FUNCTION to_global() RETURNS INT BEGIN SET @a = 1, GLOBAL max_connections = 150; RETURN 1; END",
  "CREATE FUNCTION locks() RETURNS INT RETURN GET_LOCK('a', 0)",
  "CREATE VIEW `v``m` AS SELECT clearm() AS x",
  "CREATE VIEW v_outer AS SELECT outer_f() AS x",
  "CREATE VIEW v_file AS SELECT to_file() AS x",
  "CREATE VIEW v_global AS SELECT to_global() AS x",
  "CREATE VIEW v_locks AS SELECT locks() AS x",
  "CREATE VIEW v_lock AS SELECT GET_LOCK('a', 0) AS x",
  "CREATE FUNCTION reads_view() RETURNS INT RETURN (SELECT x FROM v_outer)",
  "CREATE VIEW v_reads AS SELECT reads_view() AS x",
  "CREATE FUNCTION vat(n INT) RETURNS INT BEGIN DECLARE r INT DEFAULT 0; IF n > 1 THEN SET r = n * 2; ELSE SELECT MAX(id) INTO r FROM users; END IF; RETURN REPLACE(r, '1', '2'); END",
  "CREATE VIEW quiet AS SELECT id, vat(id) AS v, TRUNCATE(id, 1) AS t FROM users",
  "CREATE TABLE insm (x INT) ENGINE=InnoDB",
  "CREATE TRIGGER insm_t AFTER INSERT ON insm FOR EACH ROW DELETE FROM m",
  "CREATE TABLE filled (x INT, y INT) ENGINE=InnoDB",
  "CREATE TRIGGER fills BEFORE INSERT ON filled FOR EACH ROW SET NEW.y = NEW.x * 2",
  "CREATE SEQUENCE s",
  "INSERT INTO users VALUES (1, 'Ann'), (2, 'Bo')",
];

let engine: Engine;
let database: Database;
let bound: Database;
let owner: (...sql: string[]) => Promise<void>;
beforeAll(async () => {
  engine = await startMariaDb();
  const { createConnection } = await import("mysql2/promise");
  owner = async (...texts) => {
    const connection = await createConnection(engine.url.replace(/app$/, ""));
    for (const sql of texts) await connection.query(sql);
    await connection.end();
  };
  await owner(...SCHEMA);
  const open = { url: engine.url, dataFolder: "/", maxRows: 100 };
  database = await openDatabase(open);
  bound = await openDatabase({ ...open, readOnly: "yes" });
});
afterAll(() => engine?.stop());

async function refusal(sql: string, intent: Intent): Promise<readonly Act[]> {
  const error: unknown = await database.query(sql, { intent }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof EngineRefused)) throw new Error(`not refused: ${String(error)}`);
  expect(error.message).toContain("Nothing was changed.");
  await untouched();
  return error.acts;
}

/** Its rows no rollback brings back. */
async function untouched(): Promise<void> {
  expect((await database.query("SELECT count(*) FROM m", { intent: read })).rows).toEqual([[2]]);
}

describe("a read", () => {
  test.each([
    ["SELECT * FROM `v``m`", on("CALL", "clearm", "view v`m")],
    ["SELECT * FROM v_outer", on("CALL", "clearm", "view v_outer")],
    ["SELECT * FROM v_file", on("CALL", "to_file", "view v_file")],
    ["SELECT * FROM v_global", on("CALL", "to_global", "view v_global")],
    ["SELECT * FROM v_locks", on("CALL", "locks", "view v_locks")],
    ["SELECT * FROM v_lock", on("CALL", "get_lock", "view v_lock")],
    ["SELECT * FROM v_reads", on("CALL", "clearm", "view v_reads")],
  ])("is asked for: %s", async (sql, act) => {
    expect(await refusal(sql, read)).toEqual([act]);
    await expect(bound.query(sql, { intent: read })).rejects.toThrow(/^read_only is on/);
  });

  test.each(["EXPLAIN DELETE FROM m", "SELECT NEXTVAL(s)", "SELECT * FROM quiet"])(
    "runs: %s",
    async (sql) => {
      expect((await database.query(sql, { intent: read })).rows.length).toBeGreaterThan(0);
      await untouched();
    },
  );
});

test.each([
  "SELECT setval(s, 9)",
  "SELECT not_there(1)",
  "SELECT * FROM users FOR UPDATE",
  "SELECT 1 INTO OUTFILE '/nowhere/b'",
])("read_only refuses, whoever approved: %s", async (sql) => {
  const intent = approved(on("SELECT", null), on("CALL", null));
  await expect(bound.query(sql, { intent })).rejects.toThrow();
  await untouched();
});

test("read_only leaves reading alone", async () => {
  for (const sql of [
    "SELECT * FROM quiet",
    "WITH a (b) AS (SELECT vat(2)) SELECT b FROM a",
    "SELECT SLEEP(0)",
  ])
    expect((await bound.query(sql, { intent: read })).rows.length).toBeGreaterThan(0);
});

describe("an insert", () => {
  test.each([
    ["INSERT INTO filled (x) VALUES (3)", 1],
    ["INSERT INTO plain SELECT v FROM quiet", 2],
    ["INSERT INTO`plain`(x) VALUES (1)", 1],
  ])("runs: %s", async (sql, changes) => {
    expect((await database.query(sql, { intent: add })).changes).toBe(changes);
    await untouched();
  });

  test.each([
    ["INSERT INTO`insm`(x) VALUES (2)", on("INSERT", "`insm`", "trigger insm_t")],
    ["INSERT INTO/**/insm(x) VALUES (2)", on("INSERT", "insm", "trigger insm_t")],
    ["INSERT INTO`app`.`insm`(x) VALUES (2)", on("INSERT", "`app`.`insm`", "trigger insm_t")],
    ["INSERT IGNORE/*x*/insm VALUES (2)", on("INSERT", "insm", "trigger insm_t")],
    ["INSERT INTO plain(x) SELECT date_trunc()", on("CALL", "date_trunc")],
    ["INSERT INTO plain(x) SELECT app.xor(1)", on("CALL", "xor")],
    ["INSERT INTO plain(x) SELECT `DATE_TRUNC` ()", on("CALL", "date_trunc")],
    ["INSERT INTO plain(x) SELECT x FROM `v``m`", on("CALL", "clearm", "view v`m")],
  ])("is asked for: %s", async (sql, act) => {
    expect(await refusal(sql, add)).toEqual([act]);
  });
});

test.each([
  [
    "UPDATE plain SET x = date_trunc()",
    approved(on("UPDATE", "plain")),
    [on("CALL", "date_trunc"), on("CALL", "date_trunc", "table m, where nothing can be undone")],
  ],
  [
    "SELECT outer_f()",
    approved(on("SELECT", null)),
    [on("CALL", "outer_f", "table m, where nothing can be undone")],
  ],
  [
    "SELECT clearm()",
    approved(on("SELECT", null)),
    [on("CALL", "clearm", "table m, where nothing can be undone")],
  ],
])("an approval does not reach further: %s", async (sql, intent, acts) => {
  expect(await refusal(sql, intent)).toEqual(acts);
});

test("what no rollback reaches is told", async () => {
  const intent = approved(on("SELECT", null), on("CALL", "clearm", "table m, where nothing can be undone"));
  await expect(database.query("SELECT clearm()", { intent })).rejects.toThrow(/did DELETE.*stays done/);
  expect((await database.query("SELECT count(*) FROM m", { intent: read })).rows).toEqual([[0]]);
  await owner("INSERT INTO app.m VALUES (1), (2)");
});
