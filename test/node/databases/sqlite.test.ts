import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { READING_PRAGMAS, VALUELESS_PRAGMAS } from "../../../src/core/sql/verbs";
import { type Database, EngineRefused } from "../../../src/node/databases/database";
import type { Act, Intent } from "../../../src/node/databases/intent";
import { openDatabase } from "../../../src/node/databases/openDatabase";

const read: Intent = { kind: "read" };
const add: Intent = { kind: "add", verbs: ["INSERT", "CREATE"], tables: [] };
const approved = (...acts: Act[]): Intent => ({ kind: "approved", acts });
const on = (verb: string, table: string | null, via?: string): Act => ({
  verb,
  table,
  ...(via === undefined ? {} : { via }),
});

const SCHEMA = `
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
CREATE TABLE orders (id INTEGER PRIMARY KEY, user INTEGER REFERENCES users(id) ON DELETE CASCADE);
CREATE TABLE log (x);
CREATE TABLE traced (x);
CREATE TABLE lossy (k INTEGER UNIQUE ON /* c */ CONFLICT REPLACE, v);
CREATE VIEW people AS SELECT * FROM users;
CREATE TRIGGER purge AFTER INSERT ON traced BEGIN DELETE FROM log; END;
CREATE TRIGGER through INSTEAD OF INSERT ON people BEGIN DELETE FROM log; END;
CREATE VIRTUAL TABLE ft USING fts5(body);
INSERT INTO users VALUES (1, 'Ann', 'a@x'), (2, 'Bo', 'b@x');
INSERT INTO orders VALUES (1, 1);
INSERT INTO log VALUES (1), (2);
INSERT INTO lossy VALUES (1, 'old');
INSERT INTO ft VALUES ('hello world');
`;
const owner = approved(
  on("REPLACE", "lossy"),
  ...["CREATE", "INSERT", "CREATE TRIGGER"].map((verb) => on(verb, null)),
  ...["users", "orders", "log", "traced", "lossy", "ft"].map((table) => on("INSERT", table)),
);

let folder: string;
let database: Database;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sqlite-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
beforeEach(async () => {
  await database?.close();
  count += 1;
  database = await openDatabase({ url: `sqlite:t${count}.db`, dataFolder: folder, maxRows: 100 });
  await database.query(SCHEMA, { intent: owner });
});
afterAll(() => database?.close());

async function refusal(sql: string, intent: Intent): Promise<readonly Act[]> {
  const error: unknown = await database.query(sql, { intent }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(EngineRefused);
  return error instanceof EngineRefused ? error.acts : [];
}

async function value(sql: string): Promise<unknown> {
  return (await database.query(sql, { intent: read })).rows[0]?.[0];
}

describe("a read", () => {
  test.each([
    ["SELECT name FROM users ORDER BY id", [["Ann"], ["Bo"]]],
    ["WITH u AS (SELECT id FROM users) SELECT count(*) FROM u", [[2]]],
    ["SELECT name FROM people LIMIT 1", [["Ann"]]],
    ["SELECT body FROM ft WHERE ft MATCH 'hello'", [["hello world"]]],
    ["PRAGMA table_info(log)", [[0, "x", "", 0, null, 0]]],
    ["SELECT name FROM pragma_table_info('log')", [["x"]]],
    ["BEGIN; SELECT 1; COMMIT", [[1]]],
    ["SELECT 1; -- done", [[1]]],
    [";;SELECT 1", [[1]]],
    [
      "SELECT 9007199254740993, x'00ff', NULL, 1.5, 9e999",
      [["9007199254740993", { $base64: "AP8=", bytes: 2 }, null, 1.5, "Infinity"]],
    ],
    ["SELECT 1 AS a, 2 AS a", [[1, 2]]],
  ])("%s", async (sql, rows) => {
    expect((await database.query(sql, { intent: read })).rows).toEqual(rows);
  });

  test.each([
    ["DELETE FROM log", [on("DELETE", "log")]],
    ["WITH x AS (SELECT 1) DELETE FROM log WHERE x IN x", [on("DELETE", "log")]],
    ["SELECT 1; DELETE FROM log", [on("DELETE", "log")]],
    ["COMMIT; DELETE FROM log", [on("DELETE", "log")]],
    ["INSERT INTO traced VALUES (1)", [on("INSERT", "traced"), on("DELETE", "log", "purge")]],
    ["INSERT INTO people VALUES (1,2,3)", [on("INSERT", "people"), on("DELETE", "log", "through")]],
    ["DROP TABLE log", [on("DROP", "log"), on("DELETE", "log")]],
    ["CREATE TEMP TABLE t (x)", [on("CREATE", "t")]],
    ["PRAGMA user_version = 5", [on("PRAGMA", "user_version")]],
    ["PRAGMA journal_mode(WAL)", [on("PRAGMA", "journal_mode")]],
    ["ATTACH 'x.db' AS x", [on("ATTACH", null)]],
    ["UPDATE users SET name = 'x' RETURNING *", [on("UPDATE", "users")]],
    ["SELECT load_extension('x')", [on("FUNCTION", "load_extension")]],
  ])("cannot: %s", async (sql, acts) => {
    expect(await refusal(sql, read)).toEqual(acts);
    expect(await value("SELECT count(*) FROM log")).toBe(2);
  });

  test("every pragma that the judge lets read", async () => {
    const known = (await database.query("PRAGMA pragma_list", { intent: read })).rows.map(([name]) =>
      String(name),
    );
    const reading = known.filter((name) => {
      const key = name.toUpperCase();
      return READING_PRAGMAS.has(key) || VALUELESS_PRAGMAS.has(key);
    });
    expect(reading.length).toBeGreaterThan(20);
    for (const name of reading) await database.query(`PRAGMA ${name}`, { intent: read });
  });

  test.each([
    "EXPLAIN CREATE TABLE q AS SELECT 1",
    "EXPLAIN DELETE FROM log",
    "/* x */ EXPLAIN QUERY PLAN DROP TABLE log",
  ])("explains and does nothing: %s", async (sql) => {
    await database.query(sql, { intent: read });
    expect(await value("SELECT count(*) FROM log")).toBe(2);
    expect(await value("SELECT count(*) FROM sqlite_schema WHERE name = 'q'")).toBe(0);
  });

  test("stops at max_rows without reading on", async () => {
    const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c";
    const result = await database.query(endless, { intent: read });
    expect(result).toMatchObject({ rowCount: 100, truncated: true });
  });
});

test("a virtual table's own statements are not the text's", async () => {
  await database.query("CREATE VIRTUAL TABLE r USING rtree(id, a, b)", { intent: add });
  await database.query("INSERT INTO r VALUES (1, 1, 2)", { intent: add });
  for (const sql of ["SELECT * FROM r", "PRAGMA table_list", "PRAGMA integrity_check"])
    await database.query(sql, { intent: read });
  expect(await refusal("DELETE FROM r", add)).toEqual([on("DELETE", "r")]);
  await expect(database.query("DELETE FROM r_node", { intent: add })).rejects.toThrow();
  expect(await value("SELECT count(*) FROM r")).toBe(1);
});

describe("an insert", () => {
  test.each([
    ["INSERT INTO log VALUES (3)", 1],
    ["CREATE TABLE n (x); INSERT INTO n VALUES (1), (2)", 2],
    ["INSERT INTO ft VALUES ('again')", 1],
    ["CREATE INDEX i ON users(name)", 0],
    ["INSERT INTO log SELECT id FROM users RETURNING x", 2],
    ["INSERT INTO log VALUES ('or replace into')", 1],
    ["CREATE TABLE copy AS SELECT * FROM users", 0],
    ["CREATE VIRTUAL TABLE f5 USING fts5(a); INSERT INTO f5 VALUES ('x')", 1],
    ["CREATE VIRTUAL TABLE temp.f4 USING FTS4(a)", 0],
    [
      "CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 1, 2); CREATE TABLE n (x); INSERT INTO r VALUES (2, 1, 2)",
      2,
    ],
  ])("may: %s", async (sql, changes) => {
    expect((await database.query(sql, { intent: add })).changes).toBe(changes);
  });

  test.each([
    ["INSERT INTO traced VALUES (1)", [on("DELETE", "log", "purge")]],
    ["INSERT INTO people VALUES (1, 2, 3)", [on("DELETE", "log", "through")]],
    ["INSERT OR REPLACE INTO users VALUES (1, 'x', 'y')", [on("DELETE", "orders"), on("REPLACE", "users")]],
    ["REPLACE INTO log VALUES (1)", [on("REPLACE", "log")]],
    ["INSERT INTO lossy VALUES (1, 'new')", [on("REPLACE", "lossy")]],
    ["INSERT INTO users VALUES (1, 'x', 'y') ON CONFLICT DO UPDATE SET name = 'x'", [on("UPDATE", "users")]],
    ["INSERT INTO log VALUES (3); DELETE FROM users", [on("DELETE", "users"), on("DELETE", "orders")]],
    ["CREATE VIRTUAL TABLE st USING dbstat", [on("CREATE VIRTUAL TABLE", "st")]],
    ["CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM users; END", [on("CREATE TRIGGER", "t")]],
  ])("may not: %s", async (sql, acts) => {
    expect(await refusal(sql, add)).toEqual(acts);
    expect(await value("SELECT count(*) FROM log")).toBe(2);
    expect(await value("SELECT v FROM lossy")).toBe("old");
  });
});

describe("an approval", () => {
  test("runs what was approved", async () => {
    const result = await database.query("DELETE FROM log", { intent: approved(on("DELETE", "log")) });
    expect(result.changes).toBe(2);
  });

  test.each([
    ["DELETE FROM users", approved(on("DELETE", "log")), [on("DELETE", "users"), on("DELETE", "orders")]],
    ["DELETE FROM users", approved(on("DELETE", "users")), [on("DELETE", "orders")]],
    ["DELETE FROM log; UPDATE users SET name = 1", approved(on("DELETE", "log")), [on("UPDATE", "users")]],
    [
      "INSERT INTO traced VALUES (1)",
      approved(on("INSERT", "traced"), on("DELETE", "log")),
      [on("DELETE", "log", "purge")],
    ],
    [
      "DROP TABLE users",
      approved(on("DROP", "log")),
      [on("DROP", "users"), on("DELETE", "users"), on("DELETE", "orders")],
    ],
  ])("does not reach further: %s", async (sql, intent, acts) => {
    expect(await refusal(sql, intent)).toEqual(acts);
    expect(await value("SELECT count(*) FROM users")).toBe(2);
    expect(await value("SELECT count(*) FROM log")).toBe(2);
  });

  test.each([
    ["DROP TABLE ft", approved(on("DROP", "ft"))],
    ["ALTER TABLE log ADD COLUMN y", approved(on("ALTER", "log"))],
    ["ALTER TABLE log RENAME TO logs", approved(on("ALTER", "log"))],
    ["VACUUM", approved(on("VACUUM", null))],
    ["PRAGMA user_version = 7", approved(on("PRAGMA", "user_version"))],
    ["CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM users; END", approved(on("CREATE", null))],
    ["INSERT INTO traced VALUES (1)", approved(on("INSERT", "traced"), on("DELETE", "log", "purge"))],
    [
      "INSERT OR REPLACE INTO users VALUES (1, 'x', 'y')",
      approved(on("REPLACE", "users"), on("DELETE", "orders")),
    ],
    ["DELETE FROM ft WHERE body MATCH 'hello'", approved(on("DELETE", "ft"))],
    ["INSERT INTO ft(ft) VALUES ('optimize')", approved(on("INSERT", "ft"))],
    [
      "ANALYZE",
      approved(
        ...[
          "users",
          "orders",
          "log",
          "lossy",
          "ft_idx",
          "ft_data",
          "ft_content",
          "ft_docsize",
          "ft_config",
          "traced",
        ].map((t) => on("ANALYZE", t)),
      ),
    ],
    ["DELETE FROM Users WHERE id = 2", approved(on("DELETE", '"USERS"'), on("DELETE", "orders"))],
  ])("covers: %s", async (sql, intent) => {
    await expect(database.query(sql, { intent })).resolves.toBeDefined();
  });
});

test("a failing statement undoes the earlier ones", async () => {
  await expect(
    database.query("INSERT INTO log VALUES (9); INSERT INTO nowhere VALUES (1)", { intent: add }),
  ).rejects.toMatchObject({
    code: "database.failed",
    message: expect.stringContaining("no such table: nowhere"),
  });
  expect(await value("SELECT count(*) FROM log")).toBe(2);
});

test("an endless statement ends on abort, and the database goes on", async () => {
  const abort = new AbortController();
  const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c";
  const running = database.query(endless, { intent: read, signal: abort.signal });
  setTimeout(() => abort.abort(), 300);
  const began = Date.now();
  await expect(running).rejects.toMatchObject({
    code: "database.failed",
    message: expect.stringContaining("cancelled"),
  });
  expect(Date.now() - began).toBeLessThan(3_000);
  expect(await value("SELECT count(*) FROM log")).toBe(2);
});

test("an endless statement ends at the timeout", async () => {
  const quick = await openDatabase({ url: "sqlite::memory:", dataFolder: folder, timeoutMs: 400 });
  const endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c";
  await expect(quick.query(endless, { intent: read })).rejects.toMatchObject({
    message: expect.stringContaining("400 ms"),
  });
  await quick.close();
});
