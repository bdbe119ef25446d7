import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOwnTools, type OwnToolName } from "../../src/agents/ownTools";
import type { Args } from "../../src/core/call";
import type { ConfigFile } from "../../src/core/rules/schema";
import { importCsv } from "../../src/node/csvImport";
import type { Database } from "../../src/node/databases/database";
import { openDatabase } from "../../src/node/databases/openDatabase";
import { createHooks, type Hooks } from "../../src/node/hooks";
import type { AskRequest } from "../../src/ports";

let root: string;
let asked: AskRequest[];
const closing: { close(): Promise<void> }[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "bounded-")));
  asked = [];
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
  rmSync(root, { recursive: true, force: true });
});

interface Bench {
  readonly hooks: Hooks;
  readonly database: Database;
  run(name: OwnToolName, input: Args): Promise<Args>;
}

/** A SQLite database with 20 rows, and a person who approves everything. */
async function bench(chain: NonNullable<ConfigFile["chain"]>, readOnly: "yes" | "no"): Promise<Bench> {
  const dataFolder = join(root, ".countersign");
  const fill = await openDatabase({ url: "sqlite:data.db", dataFolder });
  await fill.query(
    "CREATE TABLE n (i); INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) SELECT i FROM c",
    { intent: { kind: "add", verbs: ["INSERT", "CREATE"], tables: ["n"] } },
  );
  await fill.close();
  const hooks = await createHooks({
    roots: [root],
    auditPath: join(dataFolder, "audit.jsonl"),
    config: { chain: { options: { destructive_sql: { consent: "human" } }, ...chain } },
    env: {},
    ask: {
      available: true,
      ask: async (request) => {
        asked.push(request);
        return { kind: "allow", scope: "once" };
      },
    },
  });
  const database = await openDatabase({ url: "sqlite:data.db", dataFolder, readOnly });
  closing.push(hooks, database);
  const tools = createOwnTools({ governor: hooks.governor });
  const parts = {
    database: async () => database,
    knowledgeBase: () => Promise.reject(new Error("there is none")),
    importCsv,
  };
  return {
    hooks,
    database,
    run: (name, input) =>
      tools.run(
        {
          name,
          call: hooks.call(name, input, { extra: { dialect: "sqlite" } }),
          signal: new AbortController().signal,
        },
        parts,
      ),
  };
}

describe("row_limit from the call to the rows", () => {
  const human = { destructive_sql: { consent: "human" as const } };
  const on = { row_limit: true, options: { ...human, row_limit: { max: 4 } } };

  test("a query without a limit gets one, and the agent is told", async () => {
    const { run } = await bench(on, "no");
    const answer = await run("db_query_sql", { sql: "SELECT i FROM n ORDER BY i -- all" });
    expect(answer).toMatchObject({ kind: "ok", rows: [[1], [2], [3], [4]], rowCount: 4 });
    expect(JSON.stringify(answer.context)).toContain("At most 4 rows are returned");
    expect(asked).toEqual([]);
  });

  test.each([
    ["a limit of its own", "SELECT i FROM n ORDER BY i LIMIT 7", 7],
    ["fewer rows", "SELECT i FROM n WHERE i < 3 ORDER BY i", 2],
    ["a subquery keeps its own", "SELECT i FROM (SELECT i FROM n LIMIT 2)", 2],
  ])("%s", async (_what, sql, rowCount) => {
    const { run } = await bench(on, "no");
    expect(await run("db_query_sql", { sql })).toMatchObject({ kind: "ok", rowCount });
  });

  test("off by default", async () => {
    const { run, hooks } = await bench({}, "no");
    expect(hooks.chain.names()).not.toContain("row_limit");
    expect(await run("db_query_sql", { sql: "SELECT i FROM n" })).toMatchObject({ rowCount: 20 });
  });

  test("an approved text of two statements runs as it was shown", async () => {
    const { run } = await bench(on, "no");
    const sql = "DELETE FROM n WHERE i = 1; SELECT i FROM n ORDER BY i";
    expect(await run("db_query_sql", { sql })).toMatchObject({ kind: "ok", rows: [[2], [3], [4], [5]] });
    expect(asked).toHaveLength(1);
  });
});

describe("read_only from the call to the engine", () => {
  const rows = async ({ database }: Bench) =>
    (await database.query("SELECT count(*) FROM n", { intent: { kind: "read" } })).rows[0];

  test.each(["DELETE FROM n", "INSERT INTO n VALUES (99)", "SELECT 1; DROP TABLE n"])(
    "the guard refuses and asks nobody: %s",
    async (sql) => {
      const built = await bench({ read_only: true }, "yes");
      expect(await built.run("db_query_sql", { sql })).toMatchObject({
        kind: "denied",
        by: "read_only",
        reason: expect.stringContaining("read_only is on"),
      });
      expect(asked).toEqual([]);
      expect(await rows(built)).toEqual([20]);
    },
  );

  test.each(["DELETE FROM n", "INSERT INTO n VALUES (99)"])(
    "without the guard the engine refuses what a person approved: %s",
    async (sql) => {
      const built = await bench({ read_only: false }, "yes");
      expect(await built.run("db_query_sql", { sql })).toMatchObject({
        kind: "error",
        code: "database.failed",
        message: expect.stringContaining("read_only is on"),
      });
      expect(await rows(built)).toEqual([20]);
    },
  );

  test("reads pass; an import does not", async () => {
    const built = await bench({ read_only: true }, "yes");
    expect(await built.run("db_query_sql", { sql: "SELECT i FROM n" })).toMatchObject({ rowCount: 20 });
    writeFileSync(join(root, "a.csv"), "i\n1\n");
    const answer = await built.run("db_import_csv", { path: join(root, "a.csv"), table: "n" });
    expect(answer).toMatchObject({ kind: "denied", by: "read_only" });
  });
});
