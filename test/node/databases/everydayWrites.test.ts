import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { intentOf } from "../../../src/agents/sqlIntent";
import { classifySql } from "../../../src/core/sql/classify";
import type { Database } from "../../../src/node/databases/database";
import { openDatabase } from "../../../src/node/databases/openDatabase";
import { EVERYDAY_WRITES, GROWING, KEPT, LOOK } from "../../engines/everydayWrites";
import { type Engine, startMariaDb, startPostgres } from "../../engines/startEngines.mjs";

interface Place {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const ENGINES: Readonly<Record<keyof typeof EVERYDAY_WRITES, () => Promise<Place>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "everyday-writes-"));
    const stop = async () => rmSync(folder, { recursive: true, force: true });
    return { url: `sqlite:${join(folder, "a.db")}`, stop };
  },
  postgres: (): Promise<Engine> => startPostgres(),
  mariadb: (): Promise<Engine> => startMariaDb(),
};

describe.each(["sqlite", "postgres", "mariadb"] as const)("%s, what adds and nothing else", (dialect) => {
  let place: Place;
  let database: Database;
  let before: unknown;
  const add = { kind: "add", verbs: ["INSERT", "CREATE"], tables: [] } as const;
  const kept = async () => {
    const rows: unknown[] = [];
    for (const sql of LOOK) rows.push((await database.query(sql, { intent: { kind: "read" } })).rows);
    return rows;
  };
  beforeAll(async () => {
    place = await ENGINES[dialect]();
    database = await openDatabase({ url: place.url, dataFolder: "/", maxRows: 1000 });
    for (const sql of [...KEPT, ...GROWING, "CREATE TABLE copied (id INTEGER)"])
      await database.query(sql, { intent: add });
    before = await kept();
  });
  afterAll(async () => {
    await database?.close();
    await place?.stop();
  });

  test("there are enough of them", () => {
    expect(EVERYDAY_WRITES[dialect].length).toBeGreaterThanOrEqual(60);
  });

  test.each(EVERYDAY_WRITES[dialect].map((sql, at) => [sql, at] as const))("%s", async (pattern, at) => {
    const sql = pattern.replaceAll("#", String(at));
    const { verdict, reason } = classifySql(sql, { dialect });
    expect(verdict, reason).toBe("allow");
    await database.query(sql, { intent: intentOf({ sql, dialect, approvedActs: undefined }) });
    expect(await kept()).toEqual(before);
  });
});
