import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../src/node/databases/database";
import type { Intent } from "../../../src/node/databases/intent";
import { openDatabase } from "../../../src/node/databases/openDatabase";
import { type Engine, startMariaDb, startPostgres } from "../../engines/startEngines.mjs";

type Name = "sqlite" | "postgres" | "mysql";
interface Pair {
  readonly free: Database;
  readonly bound: Database;
}

const add = (...tables: string[]): Intent => ({ kind: "add", verbs: ["INSERT", "CREATE"], tables });
const act = (verb: string, table: string | null) => ({ verb, table });
/** A person has approved everything that any row below does. */
const everything: Intent = {
  kind: "approved",
  acts: ["INSERT", "DELETE", "UPDATE", "DROP", "CREATE", "ALTER", "TRUNCATE", "REPLACE"]
    .flatMap((verb) => [act(verb, "t"), act(verb, "v"), act(verb, null)])
    .concat([
      act("PRAGMA", null),
      act("ATTACH", null),
      act("VACUUM", null),
      act("SET", null),
      act("FUNCTION", null),
    ]),
};

let folder: string;
const servers: Engine[] = [];
const open: Partial<Record<Name, Pair>> = {};

async function pair(url: string, dataFolder: string): Promise<Pair> {
  const free = await openDatabase({ url, dataFolder });
  await free.query("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)", { intent: add() });
  await free.query("INSERT INTO t VALUES (1, 1), (2, 2)", { intent: add("t") });
  return { free, bound: await openDatabase({ url, dataFolder, readOnly: "yes" }) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "readonly-"));
  const [postgres, maria] = await Promise.all([startPostgres(), startMariaDb()]);
  servers.push(postgres, maria);
  open.sqlite = await pair("sqlite:t.db", folder);
  open.postgres = await pair(postgres.url, "/");
  open.mysql = await pair(maria.url, "/");
  await open.postgres.free.query(
    "CREATE FUNCTION purge() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM t; RETURN 1; END'",
    { intent: everything },
  );
}, 120_000);
afterAll(async () => {
  await Promise.all(Object.values(open).flatMap(({ free, bound }) => [free.close(), bound.close()]));
  await Promise.all(servers.map((one) => one.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const everywhere = [
  "INSERT INTO t VALUES (3, 3)",
  "DELETE FROM t",
  "UPDATE t SET a = 9",
  "DROP TABLE t",
  "CREATE TABLE v (x INTEGER)",
  "CREATE VIEW v AS SELECT * FROM t",
  "ALTER TABLE t ADD COLUMN z INTEGER",
  "SELECT 1; DELETE FROM t",
  "BEGIN; DELETE FROM t; COMMIT",
  "COMMIT; DELETE FROM t",
  "ROLLBACK; DELETE FROM t",
];
const rows: Readonly<Record<Name, readonly string[]>> = {
  sqlite: [
    ...everywhere,
    "PRAGMA query_only = OFF; DELETE FROM t",
    "REPLACE INTO t VALUES (1, 9)",
    "ATTACH ':memory:' AS m",
    "VACUUM",
    "PRAGMA user_version = 9",
  ],
  postgres: [
    ...everywhere,
    "TRUNCATE t",
    "SELECT purge()",
    "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d",
    "SET TRANSACTION READ WRITE; DELETE FROM t",
    "SET default_transaction_read_only = off; COMMIT; SELECT purge()",
    "BEGIN READ WRITE; SELECT purge()",
    "SELECT * INTO v FROM t",
    "SELECT lo_create(0)",
    "SELECT * FROM t FOR UPDATE",
  ],
  mysql: [
    ...everywhere,
    "TRUNCATE t",
    "SET SESSION TRANSACTION READ WRITE; COMMIT; DELETE FROM t",
    "LOCK TABLES t WRITE; DELETE FROM t",
    "START TRANSACTION READ WRITE; DELETE FROM t",
    "COMMIT RELEASE; DELETE FROM t",
    "SELECT 1 INTO OUTFILE '/tmp/countersign-readonly'",
    "SELECT 1 /*! INTO OUTFILE '/tmp/countersign-readonly' */",
    "REPLACE INTO t VALUES (1, 9)",
  ],
};

describe.each(Object.keys(rows) as Name[])("%s opened read-only", (name) => {
  test.each(rows[name])("an approved write is refused: %s", async (sql) => {
    const { free, bound } = open[name] ?? expect.unreachable();
    const state = async () =>
      (await free.query("SELECT * FROM t ORDER BY id", { intent: { kind: "read" } })).rows;
    const before = await state();
    await expect(bound.query(sql, { intent: everything })).rejects.toMatchObject({
      code: "database.failed",
      message: expect.stringMatching(/^read_only is on: .*Nothing was changed\./u),
    });
    expect(await state()).toEqual(before);
    await expect(free.query("SELECT * FROM v", { intent: { kind: "read" } })).rejects.toThrow();
  });

  test.each([
    "SELECT a FROM t ORDER BY id",
    "WITH x AS (SELECT a FROM t) SELECT * FROM x ORDER BY 1",
    "BEGIN; SELECT a FROM t ORDER BY id; COMMIT",
  ])("reads run: %s", async (sql) => {
    const { bound } = open[name] ?? expect.unreachable();
    expect((await bound.query(sql, { intent: everything })).rows).toEqual([[1], [2]]);
  });

  if (name === "postgres") {
    test("no function makes the transaction writable", async () => {
      const { free, bound } = open.postgres ?? expect.unreachable();
      const sql = "SELECT set_config('transaction_read_only', 'off', false); SELECT purge()";
      await expect(bound.query(sql, { intent: everything })).rejects.toThrow(/CALL set_config/u);
      expect((await free.query("SELECT * FROM t", { intent: { kind: "read" } })).rowCount).toBe(2);
    });
  }

  test("an import is refused", async () => {
    const { bound } = open[name] ?? expect.unreachable();
    const load = { table: "v", columns: [{ name: "x", type: "INTEGER" as const }], intent: everything };
    await expect(bound.beginLoad(load)).rejects.toThrow(/read_only is on: an import writes/u);
  });
});
