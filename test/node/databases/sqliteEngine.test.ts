import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Act, Intent } from "../../../src/node/databases/intent";
import { RefusedByAuthorizer } from "../../../src/node/databases/sqliteAuthorizer";
import { createSqliteEngine, type SqliteEngine } from "../../../src/node/databases/sqliteEngine";

const read: Intent = { kind: "read" };
const add: Intent = { kind: "add", verbs: ["INSERT", "CREATE"], tables: [] };
const owner: Intent = {
  kind: "approved",
  acts: ["CREATE", "INSERT"].flatMap((verb): Act[] => [
    { verb, table: null },
    { verb, table: "log" },
  ]),
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("reading a database that is not there finds it empty and makes no file", () => {
  const engine = createSqliteEngine({ file: join(folder, "none.db"), maxRows: 10 });
  expect(engine.query("SELECT count(*) FROM sqlite_schema", read).rows).toEqual([[0]]);
  expect(readdirSync(folder)).not.toContain("none.db");
});

describe("on a runtime without an authorizer", () => {
  const real = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, "setAuthorizer");
  let engine: SqliteEngine;
  let file = 0;
  beforeEach(() => {
    file += 1;
    Object.defineProperty(DatabaseSync.prototype, "setAuthorizer", { value: undefined, configurable: true });
    engine = createSqliteEngine({ file: join(folder, `f${file}.db`), maxRows: 10 });
    engine.query("CREATE TABLE log (x); CREATE TABLE traced (x); INSERT INTO log VALUES (1)", add);
    engine.query("CREATE TRIGGER purge AFTER INSERT ON traced BEGIN DELETE FROM log; END", owner);
  });
  afterEach(() => {
    if (real !== undefined) Object.defineProperty(DatabaseSync.prototype, "setAuthorizer", real);
  });
  const left = () => engine.query("SELECT count(*) FROM log", read).rows[0]?.[0];

  test.each([
    "DELETE FROM log",
    "SELECT 1; DELETE FROM log",
    "COMMIT; DELETE FROM log",
    "CREATE TABLE n (x)",
    "INSERT INTO log VALUES (2)",
  ])("a read cannot: %s", (sql) => {
    expect(() => engine.query(sql, read)).toThrow();
    expect(left()).toBe(1);
  });

  test("a table with a trigger is not filled", () => {
    expect(() =>
      engine.query("INSERT INTO traced VALUES (1)", { ...add, tables: ["traced"] } as Intent),
    ).toThrow(RefusedByAuthorizer);
    expect(() => engine.query("INSERT INTO traced VALUES (1)", add)).toThrow(RefusedByAuthorizer);
    expect(left()).toBe(1);
  });

  test("other tables are", () => {
    expect(
      engine.query("INSERT INTO log VALUES (2)", { kind: "add", verbs: ["INSERT"], tables: ["log"] }).changes,
    ).toBe(1);
  });
});
