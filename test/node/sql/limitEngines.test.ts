import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limitRows } from "../../../src/core/sql/limit";
import type { Database } from "../../../src/node/databases/database";
import type { Intent } from "../../../src/node/databases/intent";
import { openDatabase } from "../../../src/node/databases/openDatabase";
import { ENGINES, runnable, sourceOf } from "../../core/sql/limitRows";
import { type Engine, startMariaDb, startPostgres } from "../../engines/startEngines.mjs";

type Rows = readonly string[];
type Name = keyof typeof ENGINES;

const SCHEMA = [
  "CREATE TABLE t (id INTEGER PRIMARY KEY, a VARCHAR(20), b INTEGER)",
  "CREATE TABLE u (id INTEGER PRIMARY KEY, c INTEGER)",
  `INSERT INTO t VALUES ${Array.from({ length: 12 }, (_, i) => `(${i}, 'a${i % 5}', ${i * 2})`).join(", ")}`,
  `INSERT INTO u VALUES ${Array.from({ length: 9 }, (_, i) => `(${i + 4}, ${i})`).join(", ")}`,
];

let folder: string;
const databases: Database[] = [];
const servers: Engine[] = [];
const run: Partial<Record<Name, (sql: string) => Promise<Rows>>> = {};

async function ours(url: string, dataFolder: string): Promise<(sql: string) => Promise<Rows>> {
  const database = await openDatabase({ url, dataFolder, maxRows: 1000 });
  databases.push(database);
  for (const sql of SCHEMA)
    await database.query(sql, { intent: { kind: "add", verbs: ["INSERT", "CREATE"], tables: [] } });
  return async (sql) => {
    // A lock on rows is no reading to PostgreSQL.
    const intent: Intent = /\bfor (?:update|share|no key)\b/i.test(sql)
      ? { kind: "approved", acts: [] }
      : { kind: "read" };
    return (await database.query(sql, { intent })).rows.map((row) => JSON.stringify(row));
  };
}

async function duck(): Promise<(sql: string) => Promise<Rows>> {
  const connection: DuckDBConnection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const sql of SCHEMA) await connection.run(sql);
  return async (sql) => (await connection.runAndReadAll(sql)).getRowsJson().map((row) => JSON.stringify(row));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "limit-"));
  const [postgres, maria] = await Promise.all([startPostgres(), startMariaDb()]);
  servers.push(postgres, maria);
  run.sqlite = await ours("sqlite:t.db", folder);
  run.postgres = await ours(postgres.url, "/");
  run.mysql = await ours(maria.url, "/");
  run.duckdb = await duck();
}, 120_000);
afterAll(async () => {
  await Promise.all(databases.map((one) => one.close()));
  await Promise.all(servers.map((one) => one.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** An order by a column of its own makes the rows comparable one by one. */
const isOrdered = (sql: string): boolean => /order by (?:id|1)[^)]*$/i.test(sql);

describe.each(Object.keys(ENGINES) as Name[])("%s runs it", (name) => {
  const sources = runnable(name).map(sourceOf);

  test.each(sources)("%j", async (sql) => {
    const query = run[name];
    if (query === undefined) throw new Error(`${name} did not start`);
    const all = await query(sql);
    const limited = limitRows(sql, { dialect: name, max: 3 });
    if (limited === null) return;
    const rows = await query(limited);
    expect(rows.length).toBe(Math.min(3, all.length));
    if (isOrdered(sql)) expect(rows).toEqual(all.slice(0, 3));
    // Every run takes a sample of its own.
    if (/ SAMPLE /.test(sql)) return;
    const left = [...all];
    // Each row of the limited answer is one of the whole.
    for (const row of rows) {
      expect(left).toContain(row);
      left.splice(left.indexOf(row), 1);
    }
    // A limit that cuts nothing changes nothing.
    const wide = limitRows(sql, { dialect: name, max: 1000 });
    expect([...(await query(wide ?? ""))].sort()).toEqual([...all].sort());
  });
});
