import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Database, EngineRefused } from "../../../src/node/databases/database";
import type { Act, Intent } from "../../../src/node/databases/intent";
import { openDatabase } from "../../../src/node/databases/openDatabase";
import { type Engine, startPostgres } from "../../engines/startEngines.mjs";

const read: Intent = { kind: "read" };
const add = (...tables: string[]): Intent => ({ kind: "add", verbs: ["INSERT", "CREATE"], tables });
const approved = (...acts: Act[]): Intent => ({ kind: "approved", acts });
const on = (verb: string, table: string | null, via?: string): Act => ({
  verb,
  table,
  ...(via === undefined ? {} : { via }),
});

const SCHEMA = `
DROP SCHEMA IF EXISTS app CASCADE; CREATE SCHEMA app; SET search_path = app;
CREATE TABLE users (id bigint PRIMARY KEY, name text);
CREATE TABLE orders (id bigint PRIMARY KEY, "user" bigint REFERENCES users ON DELETE CASCADE);
CREATE TABLE log (x int);
CREATE TABLE traced (x int);
CREATE TABLE ruled (x int);
CREATE TABLE deferred (x int);
CREATE TABLE parted (x int) PARTITION BY RANGE (x);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (10) TO (20);
CREATE FUNCTION purge() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM app.log; RETURN 1; END';
CREATE FUNCTION wipe() RETURNS int LANGUAGE plpgsql AS 'BEGIN TRUNCATE app.log; RETURN 1; END';
CREATE FUNCTION ruin() RETURNS int LANGUAGE plpgsql AS 'BEGIN DROP TABLE app.log; RETURN 1; END';
CREATE FUNCTION purging() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM app.log; RETURN NEW; END';
CREATE TABLE defaulted (x int, y int DEFAULT purge());
CREATE VIEW evil AS SELECT purge() AS x;
CREATE VIEW wiping AS SELECT wipe() AS x;
CREATE VIEW ruining AS SELECT ruin() AS x;
CREATE TRIGGER trg AFTER INSERT ON traced FOR EACH ROW EXECUTE FUNCTION purging();
CREATE CONSTRAINT TRIGGER late AFTER DELETE ON deferred DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION purging();
CREATE RULE also AS ON INSERT TO ruled DO ALSO DELETE FROM app.deferred;
INSERT INTO users VALUES (1, 'Ann'), (2, 'Bo');
INSERT INTO orders VALUES (1, 1);
INSERT INTO log VALUES (1), (2);
INSERT INTO deferred VALUES (1);
INSERT INTO parted VALUES (1), (11);
`;

let engine: Engine;
let database: Database;
let owner: (sql: string) => Promise<void>;
beforeAll(async () => {
  engine = await startPostgres();
  const { default: pg } = await import("pg");
  owner = async (sql) => {
    const client = new pg.Client({ connectionString: engine.url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await owner("ALTER ROLE owner SET search_path = app");
  database = await openDatabase({ url: engine.url, dataFolder: "/", maxRows: 100 });
});
afterAll(() => engine?.stop());
beforeEach(() => owner(SCHEMA));

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
    "SELECT (SELECT count(*) FROM app.log), (SELECT count(*) FROM app.users)",
    { intent: read },
  );
  expect(result.rows).toEqual([[2, 2]]);
}

describe("a read", () => {
  test.each([
    ["SELECT name FROM users ORDER BY id", [["Ann"], ["Bo"]]],
    ["BEGIN; SELECT 1; COMMIT", [[1]]],
    ["SELECT $$a;b$$; SELECT 'x;--' AS \"a;b\" /* ; /* ; */ ; */", [["x;--"]]],
    ["SELECT 1;", [[1]]],
    ["SHOW server_encoding", [["UTF8"]]],
    [
      "SELECT 9007199254740993::int8, 7::int8, 1.10::numeric, 'NaN'::float8, '\\x00ff'::bytea, NULL, true, date '2024-02-01', '{\"a\":1}'::jsonb",
      [
        [
          "9007199254740993",
          7,
          "1.10",
          "NaN",
          { $base64: "AP8=", bytes: 2 },
          null,
          true,
          "2024-02-01",
          '{"a": 1}',
        ],
      ],
    ],
    ["SELECT 1 AS a, 2 AS a", [[1, 2]]],
    ["", []],
    ["-- nothing", []],
  ])("%s", async (sql, rows) => {
    expect((await database.query(sql, { intent: read })).rows).toEqual(rows);
  });

  test.each([
    ["DELETE FROM log", "DELETE"],
    ["WITH x AS (DELETE FROM log RETURNING x) SELECT * FROM x", "WRITE"],
    ["SELECT purge()", "CALL"],
    ["SELECT * FROM evil", "CALL"],
    ["COMMIT; SELECT * FROM evil", "CALL"],
    ["COMMIT; BEGIN READ WRITE; SELECT * FROM evil; COMMIT", "CALL"],
    ["START TRANSACTION READ WRITE; SELECT purge()", "CALL"],
    ["ROLLBACK; SELECT * FROM wiping", "CALL"],
    ["SELECT * FROM ruining", "CALL"],
    ["INSERT INTO traced VALUES (1)", "INSERT"],
    ["EXPLAIN ANALYZE DELETE FROM log", "DELETE"],
    ["CREATE TABLE n (x int)", "CREATE"],
  ])("cannot: %s", async (sql, verb) => {
    expect((await refusal(sql, read))[0]?.verb).toBe(verb);
    await untouched();
  });

  test.each([
    "SET TRANSACTION READ WRITE; DELETE FROM log",
    "SELECT set_config('transaction_read_only', 'off', false); DELETE FROM log",
    "SET transaction_read_only = off; SELECT purge()",
    "SET default_transaction_read_only = off; COMMIT; SELECT purge()",
    "SAVEPOINT a; SET TRANSACTION READ WRITE; DELETE FROM log",
    "PREPARE TRANSACTION 'x'; SELECT purge()",
    "SELECT 1; COPY log FROM STDIN",
  ])("cannot get out of it: %s", async (sql) => {
    await expect(database.query(sql, { intent: read })).rejects.toThrow();
    await untouched();
  });

  test("names the function behind a view", async () => {
    expect(await refusal("SELECT * FROM evil", read)).toEqual([on("CALL", "purge", "view evil")]);
  });

  test.each([
    ["COPY (SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, 'y') TO STDOUT", [["1\tx"], ["2\ty"]]],
    ["COPY (SELECT 1 AS a, 'é, x' AS b) TO STDOUT (FORMAT csv, HEADER)", [["a,b"], ['1,"é, x"']]],
  ])("gives the lines of %s", async (sql, rows) => {
    const result = await database.query(sql, { intent: read });
    expect(result).toMatchObject({ columns: ["copy"], rows, changes: 0 });
  });

  test("stops at max_rows without reading on", async () => {
    const result = await database.query("SELECT generate_series(1, 100000000000)", { intent: read });
    expect(result).toMatchObject({ rowCount: 100, truncated: true });
  });
});

describe("an insert", () => {
  test.each([
    ["INSERT INTO log VALUES (3)", 1],
    ["CREATE TABLE n (x int); INSERT INTO n SELECT id FROM users", 2],
    ["CREATE TABLE n (x bigint REFERENCES users)", 0],
    ["CREATE INDEX i ON users (name)", 0],
    ["CREATE VIEW v AS SELECT * FROM users", 0],
    ["INSERT INTO parted VALUES (2), (12)", 2],
    ["INSERT INTO orders VALUES (5, 2) RETURNING id", 1],
    ["CREATE DATABASE fresh", 0],
  ])("may: %s", async (sql, changes) => {
    await owner("DROP DATABASE IF EXISTS fresh");
    expect((await database.query(sql, { intent: add() })).changes).toBe(changes);
  });

  test.each([
    ["INSERT INTO traced VALUES (1)", add("traced"), [on("INSERT", "traced", "trigger trg")]],
    ["INSERT INTO traced VALUES (1)", add(), [on("DELETE", "log"), on("INSERT", "traced", "trigger trg")]],
    ["INSERT INTO ruled VALUES (1)", add("app.ruled"), [on("INSERT", "ruled", "rule also")]],
    ["INSERT INTO defaulted (x) VALUES (1)", add("defaulted"), [on("CALL", "purge", "table defaulted")]],
    ["INSERT INTO users SELECT 9, x::text FROM evil", add("users"), [on("CALL", "purge", "view evil")]],
    ["INSERT INTO users SELECT 9, x::text FROM wiping", add("users"), [on("CALL", "wipe", "view wiping")]],
    ["INSERT INTO users SELECT 9, x::text FROM ruining", add("users"), [on("CALL", "ruin", "view ruining")]],
    [
      "CREATE TEMP TABLE pg_locks (x int); INSERT INTO users SELECT 9, x::text FROM evil",
      add("users"),
      [on("CALL", "purge", "view evil")],
    ],
    [
      "INSERT INTO users VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'x'",
      add("users"),
      [on("UPDATE", "users")],
    ],
    ["INSERT INTO users VALUES (7, 'x'); COMMIT; DELETE FROM log", add("users"), [on("DELETE", "log")]],
  ])("may not: %s", async (sql, intent, acts) => {
    expect(await refusal(sql, intent)).toEqual(acts);
    await untouched();
  });
});

describe("an approval", () => {
  test.each([
    ["DELETE FROM log", approved(on("DELETE", "log")), 2],
    ["DELETE FROM app.log", approved(on("DELETE", "log")), 2],
    ["UPDATE parted SET x = x + 9 WHERE x = 1", approved(on("UPDATE", "parted")), 1],
    ["DELETE FROM parted", approved(on("DELETE", "parted")), 2],
    ["TRUNCATE log", approved(on("TRUNCATE", "log")), 0],
    ["DROP TABLE orders", approved(on("DROP", "orders")), 0],
    ["ALTER TABLE log ADD COLUMN y int", approved(on("ALTER", "log")), 0],
    ["VACUUM log", approved(on("VACUUM", "log")), 0],
    ["DELETE FROM users WHERE id = 1", approved(on("DELETE", "users"), on("DELETE", "orders")), 1],
  ])("covers: %s", async (sql, intent, changes) => {
    expect((await database.query(sql, { intent })).changes).toBe(changes);
  });

  test.each([
    ["DELETE FROM users", approved(on("DELETE", "log")), [on("DELETE", "orders"), on("DELETE", "users")]],
    ["DELETE FROM users WHERE id = 1", approved(on("DELETE", "users")), [on("DELETE", "orders")]],
    ["UPDATE log SET x = 0", approved(on("DELETE", "log")), [on("UPDATE", "log")]],
    ["DELETE FROM deferred", approved(on("DELETE", "deferred")), [on("DELETE", "log")]],
    ["DROP TABLE log", approved(on("DROP", "orders")), [on("DROP", "log")]],
    ["TRUNCATE users CASCADE", approved(on("TRUNCATE", "users")), [on("ALTER", "orders")]],
    ["SELECT purge()", approved(on("SELECT", null)), [on("DELETE", "log")]],
    ["SELECT wipe()", approved(on("SELECT", null)), [on("ALTER", "log"), on("UPDATE", "pg_class")]],
    [
      "CREATE TEMP TABLE pg_locks (x int); SELECT purge()",
      approved(on("SELECT", null), on("CREATE", null)),
      [on("DELETE", "log")],
    ],
  ])("does not reach further: %s", async (sql, intent, acts) => {
    const refused = await refusal(sql, intent);
    expect([...refused].sort((a, b) => String(a.table).localeCompare(String(b.table)))).toEqual(acts);
    await untouched();
  });
});

test("an abort cancels the statement on the server", async () => {
  const abort = new AbortController();
  const running = database.query("SELECT pg_sleep(30)", { intent: read, signal: abort.signal });
  setTimeout(() => abort.abort(), 400);
  await expect(running).rejects.toMatchObject({
    code: "database.failed",
    message: expect.stringContaining("cancelled"),
  });
  // The server takes a moment to unwind.
  const still = () =>
    database.query(
      "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()",
      { intent: read },
    );
  await expect.poll(async () => (await still()).rows, { timeout: 10_000 }).toEqual([[0]]);
});

test("errors name the problem, and never the password", async () => {
  const secret = "p%40ss-Word";
  const url = engine.url.replace("owner@", `owner:${secret}@`).replace(/:\d+\//, ":1/");
  const dead = await openDatabase({ url, dataFolder: "/" });
  const error: unknown = await dead.query("SELECT 1", { intent: read }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "database.failed" });
  expect(`${String(error)} ${JSON.stringify(error)} ${dead.describe()}`).not.toMatch(/p@ss|p%40ss/);
  await expect(database.query("SELECT * FROM nowhere", { intent: read })).rejects.toMatchObject({
    message: expect.stringContaining("nowhere"),
  });
});
