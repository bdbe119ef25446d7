import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
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
  "CREATE TABLE orders (id BIGINT PRIMARY KEY, u BIGINT, FOREIGN KEY (u) REFERENCES users(id) ON DELETE CASCADE) ENGINE=InnoDB",
  "CREATE TABLE log (x INT) ENGINE=InnoDB",
  "CREATE TABLE aria (x INT) ENGINE=Aria",
  "CREATE TABLE traced (x INT) ENGINE=InnoDB",
  "CREATE FUNCTION clearlog() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM log; RETURN 1; END",
  "CREATE VIEW evil AS SELECT clearlog() AS x",
  "CREATE FUNCTION cleararia() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM aria; RETURN 1; END",
  "CREATE VIEW evilaria AS SELECT cleararia() AS x",
  "CREATE VIEW deep AS SELECT * FROM evilaria",
  "CREATE TABLE kv (k INT PRIMARY KEY, v INT) ENGINE=InnoDB",
  "CREATE FUNCTION bump() RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO kv VALUES (1, 1) ON DUPLICATE KEY UPDATE v = v + 1; RETURN 1; END",
  "CREATE FUNCTION swap() RETURNS INT MODIFIES SQL DATA BEGIN REPLACE INTO kv VALUES (1, 9); RETURN 1; END",
  "CREATE FUNCTION join_del() RETURNS INT MODIFIES SQL DATA BEGIN DELETE log FROM log JOIN users ON users.id = log.x; RETURN 1; END",
  "CREATE FUNCTION raise_all() RETURNS INT MODIFIES SQL DATA BEGIN UPDATE kv, users SET kv.v = 0 WHERE kv.k = users.id; RETURN 1; END",
  "CREATE VIEW people AS SELECT * FROM users",
  "CREATE TRIGGER trg AFTER INSERT ON traced FOR EACH ROW DELETE FROM log",
  "CREATE TRIGGER del AFTER DELETE ON traced FOR EACH ROW DELETE FROM log",
  "INSERT INTO users VALUES (1, 'Ann'), (2, 'Bo')",
  "INSERT INTO orders VALUES (1, 1)",
  "INSERT INTO log VALUES (1), (2)",
  "INSERT INTO aria VALUES (1)",
  "INSERT INTO traced VALUES (1)",
  "INSERT INTO log VALUES (1), (2)",
  "INSERT INTO kv VALUES (1, 1)",
];

let engine: Engine;
let database: Database;
beforeAll(async () => {
  engine = await startMariaDb();
  database = await openDatabase({ url: engine.url, dataFolder: "/", maxRows: 100 });
});
afterAll(() => engine?.stop());
beforeEach(async () => {
  const { createConnection } = await import("mysql2/promise");
  const connection = await createConnection(engine.url.replace(/app$/, ""));
  for (const sql of SCHEMA) await connection.query(sql);
  await connection.end();
});

async function refusal(sql: string, intent: Intent): Promise<readonly Act[]> {
  const error: unknown = await database.query(sql, { intent }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof EngineRefused)) throw new Error(`not refused: ${String(error)}`);
  return error.acts;
}

async function untouched(): Promise<void> {
  const result = await database.query(
    "SELECT (SELECT count(*) FROM log), (SELECT count(*) FROM users), (SELECT count(*) FROM aria), (SELECT sum(v) FROM kv)",
    { intent: read },
  );
  expect(result.rows).toEqual([[2, 2, 1, "1"]]);
}

describe("a read", () => {
  test.each([
    ["SELECT name FROM users ORDER BY id", [["Ann"], ["Bo"]]],
    ["BEGIN; SELECT 1; COMMIT", [[1]]],
    ["SELECT 'a\\';b', \"c;--\" # ; x\n; SELECT `name` FROM users WHERE id = 2 -- ; y", [["Bo"]]],
    [
      "SELECT 9007199254740993, CAST(7 AS SIGNED), 1.10, x'00ff', NULL, TIMESTAMP '2024-02-01 03:04:05'",
      [["9007199254740993", 7, "1.10", { $base64: "AP8=", bytes: 2 }, null, "2024-02-01 03:04:05"]],
    ],
    ["SELECT 1 AS a, 2 AS a", [[1, 2]]],
    [
      "WITH RECURSIVE c AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM c WHERE x < 3) SELECT count(*) FROM c",
      [[3]],
    ],
    ["", []],
  ])("%s", async (sql, rows) => {
    expect((await database.query(sql, { intent: read })).rows).toEqual(rows);
  });

  test.each([
    ["DELETE FROM log", on("DELETE", "log")],
    ["SELECT clearlog()", on("WRITE", null)],
    ["SELECT * FROM evil", on("WRITE", null)],
    ["COMMIT; SELECT * FROM evil", on("WRITE", null)],
    ["START TRANSACTION READ WRITE; SELECT clearlog()", on("WRITE", null)],
    ["/*! START TRANSACTION READ WRITE */; SELECT clearlog()", on("EXECUTABLE COMMENT", null)],
    ["BEGIN NOT ATOMIC START TRANSACTION READ WRITE; DELETE FROM log; END", on("BEGIN", null)],
    ["SET SESSION TRANSACTION READ WRITE; SELECT clearlog()", on("SET", null)],
    ["SELECT 1; INSERT INTO aria VALUES (5)", on("INSERT", "aria")],
    ["WITH x AS (SELECT 1) DELETE FROM log", null],
    ["EXPLAIN SELECT 1; TRUNCATE log", on("TRUNCATE", "log")],
    ["CREATE TABLE n (x INT)", on("CREATE", null)],
  ])("cannot: %s", async (sql, act) => {
    if (act === null) await expect(database.query(sql, { intent: read })).rejects.toThrow();
    else expect(await refusal(sql, read)).toEqual([act]);
    await untouched();
  });

  test("stops at max_rows without reading on", async () => {
    const result = await database.query("SELECT seq FROM seq_1_to_100000000000", { intent: read });
    expect(result).toMatchObject({ rowCount: 100, truncated: true });
  });
});

describe("an insert", () => {
  test.each([
    ["INSERT INTO log VALUES (3)", 1],
    ["INSERT INTO log SELECT id FROM users", 2],
    ["CREATE TABLE n (x INT); INSERT INTO n VALUES (1), (2)", 2],
    ["CREATE INDEX i ON users (id)", 0],
    ["INSERT INTO log VALUES (3); ROLLBACK; INSERT INTO log VALUES (4)", 2],
  ])("may: %s", async (sql, changes) => {
    expect((await database.query(sql, { intent: add })).changes).toBe(changes);
  });

  test.each([
    ["INSERT INTO traced VALUES (1)", on("INSERT", "traced", "trigger trg")],
    ["INSERT /* x */ INTO `app`.`traced` VALUES (1)", null],
    ["INSERT INTO app.traced VALUES (1)", on("INSERT", "app.traced", "trigger trg")],
    ["INSERT INTO people VALUES (5, 'x')", on("INSERT", "people", "view people")],
    ["INSERT INTO users SELECT 9, x FROM evil", on("CALL", "clearlog", "view evil")],
    ["INSERT INTO users SELECT 9, x FROM evilaria", on("CALL", "cleararia", "view evilaria")],
    ["INSERT INTO users SELECT 9, x FROM app.`deep`", on("CALL", "cleararia", "view deep")],
    ["INSERT INTO users VALUES (9, (SELECT x FROM evilaria))", on("CALL", "cleararia", "view evilaria")],
    ["CREATE TABLE n AS SELECT * FROM evil", on("CALL", "clearlog", "view evil")],
    ["CREATE TEMPORARY TABLE n AS SELECT * FROM evilaria", on("CALL", "cleararia", "view evilaria")],
    ["CREATE TABLE n (x INT); INSERT INTO n SELECT x FROM evil", on("CALL", "clearlog", "view evil")],
    [
      "INSERT INTO log VALUES (1); SELECT * FROM evilaria; ROLLBACK",
      on("CALL", "cleararia", "view evilaria"),
    ],
    ["INSERT INTO users VALUES (1, 'x') ON DUPLICATE KEY UPDATE name = 'x'", on("UPDATE", null)],
    ["REPLACE INTO users VALUES (1, 'x')", on("REPLACE", "users")],
    ["INSERT INTO users VALUES (7, 'x'); COMMIT; DELETE FROM log", on("DELETE", "log")],
    ["CREATE TRIGGER t AFTER INSERT ON log FOR EACH ROW DELETE FROM users", on("CREATE TRIGGER", null)],
    ["CREATE OR REPLACE TABLE log (y INT)", on("CREATE OR", null)],
    ["CALL anything()", on("CALL", null)],
  ])("may not: %s", async (sql, act) => {
    const acts = await refusal(sql, add);
    if (act !== null) expect(acts).toEqual([act]);
    await untouched();
  });
});

test("a refusal behind a statement that commits by itself says what was kept", async () => {
  const run = (sql: string) => database.query(sql, { intent: add });
  await expect(run("CREATE TABLE n1 (x INT); INSERT INTO traced VALUES (1)")).rejects.toThrow(/was kept/);
  expect(await database.tableColumns("n1")).toEqual(["x"]);
  await expect(run("INSERT INTO log VALUES (3); INSERT INTO traced VALUES (1)")).rejects.toThrow(
    /Nothing was/,
  );
  // What follows such a statement is in a transaction again.
  await expect(
    run("CREATE TABLE n2 (x INT); INSERT INTO n2 VALUES (1); INSERT INTO traced VALUES (1)"),
  ).rejects.toThrow(/was kept/);
  expect((await database.query("SELECT count(*) FROM n2", { intent: read })).rows).toEqual([[0]]);
  await untouched();
});

describe("an approval", () => {
  test.each([
    ["DELETE FROM log", approved(on("DELETE", "log")), 2],
    ["DELETE FROM users WHERE id = 1", approved(on("DELETE", "users"), on("DELETE", "orders")), 1],
    ["DELETE FROM traced", approved(on("DELETE", "traced"), on("DELETE", "traced", "trigger del")), 1],
    ["DROP TABLE aria", approved(on("DROP", "aria")), 0],
    ["ALTER TABLE log ADD COLUMN y INT", approved(on("ALTER", "log")), 0],
    ["REPLACE INTO users VALUES (2, 'x')", approved(on("REPLACE", "users"), on("DELETE", "orders")), 2],
    // Counted as an update by the server, where nothing refers to the row.
    ["REPLACE INTO kv VALUES (1, 5)", approved(on("REPLACE", "kv")), 2],
    [
      "INSERT INTO kv VALUES (1, 5) ON DUPLICATE KEY UPDATE v = 5",
      approved(on("UPSERT", "kv"), on("INSERT", "kv")),
      2,
    ],
    ["INSERT INTO log SELECT row_number() OVER (ORDER BY id) FROM users", approved(on("INSERT", "log")), 2],
    [
      "DELETE FROM log WHERE x IN (SELECT r FROM (SELECT rank() OVER (ORDER BY id) AS r FROM users) q)",
      approved(on("DELETE", "log")),
      2,
    ],
  ])("covers: %s", async (sql, intent, changes) => {
    expect((await database.query(sql, { intent })).changes).toBe(changes);
  });

  test.each([
    ["DELETE FROM users", approved(on("DELETE", "log")), [on("DELETE", "users")]],
    ["DELETE FROM users WHERE id = 1", approved(on("DELETE", "users")), [on("DELETE", "orders")]],
    ["DELETE FROM traced", approved(on("DELETE", "traced")), [on("DELETE", "traced", "trigger del")]],
    ["UPDATE log SET x = 0", approved(on("DELETE", "log")), [on("UPDATE", "log")]],
    [
      "UPDATE log SET x = (SELECT x FROM evilaria)",
      approved(on("UPDATE", "log")),
      [on("CALL", "cleararia", "view evilaria")],
    ],
    ["DROP TABLE log", approved(on("DROP", "aria")), [on("DROP", "log")]],
    ["SELECT clearlog()", approved(on("SELECT", null)), [on("DELETE", null)]],
    [
      "FLUSH STATUS; SELECT clearlog()",
      approved(on("SELECT", null), on("FLUSH", null)),
      [on("DELETE", null)],
    ],
    ["SELECT join_del()", approved(on("SELECT", null)), [on("DELETE", null)]],
    ["SELECT raise_all()", approved(on("SELECT", null)), [on("UPDATE", null)]],
    ["SELECT swap()", approved(on("SELECT", null)), [on("REPLACE", null)]],
    ["SELECT bump()", approved(on("SELECT", null)), [on("UPDATE", null)]],
    ["SELECT bump(), row_number() OVER ()", approved(on("SELECT", null)), [on("UPDATE", null)]],
    ["INSERT INTO log SELECT bump()", approved(on("INSERT", "log")), [on("UPDATE", null)]],
    [
      "INSERT INTO log VALUES (5); INSERT INTO log SELECT bump()",
      approved(on("INSERT", "log")),
      [on("UPDATE", null)],
    ],
    [
      "INSERT INTO kv VALUES (1, 2) /* ON */ ON /* x */ DUPLICATE KEY UPDATE v = 2",
      approved(on("INSERT", "kv")),
      [on("UPDATE", null)],
    ],
    [
      "INSERT INTO kv VALUES (1, 2) /*! ON DUPLICATE KEY UPDATE v = 2 */",
      approved(on("INSERT", "kv")),
      [on("UPDATE", null)],
    ],
  ])("does not reach further: %s", async (sql, intent, acts) => {
    expect(await refusal(sql, intent)).toEqual(acts);
    await untouched();
  });
});

test("an abort kills the statement on the server", async () => {
  const abort = new AbortController();
  const running = database.query("SELECT sleep(30)", { intent: read, signal: abort.signal });
  setTimeout(() => abort.abort(), 400);
  await expect(running).rejects.toMatchObject({
    code: "database.failed",
    message: expect.stringContaining("cancelled"),
  });
  // The server takes a moment to unwind.
  const still = () =>
    database.query("SELECT count(*) FROM information_schema.PROCESSLIST WHERE INFO = 'SELECT sleep(30)'", {
      intent: read,
    });
  await expect.poll(async () => (await still()).rows, { timeout: 10_000 }).toEqual([[0]]);
});

test("errors name the problem, and never the password", async () => {
  const url = engine.url.replace("owner@", "owner:p%40ss-Word@");
  const wrong = await openDatabase({ url, dataFolder: "/" });
  const error: unknown = await wrong.query("SELECT 1", { intent: read }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "database.failed", message: expect.stringContaining("denied") });
  expect(`${String(error)} ${JSON.stringify(error)} ${wrong.describe()}`).not.toMatch(/p@ss|p%40ss/);
});
