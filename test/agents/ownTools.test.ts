import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOwnTools, type OwnToolName, type OwnTools } from "../../src/agents/ownTools";
import { intentOf } from "../../src/agents/sqlIntent";
import type { Args } from "../../src/core/call";
import { engineRefusal } from "../../src/core/guards/engineRefusal";
import { importCsv } from "../../src/node/csvImport";
import type { Database } from "../../src/node/databases/database";
import type { Act } from "../../src/node/databases/intent";
import { openDatabase } from "../../src/node/databases/openDatabase";
import { createHooks, type Hooks } from "../../src/node/hooks";
import { type KnowledgeBase, openKnowledgeBase } from "../../src/node/knowledgeBase";
import type { AskAnswer, AskRequest } from "../../src/ports";

let root: string;
let outside: string;
let hooks: Hooks;
let tools: OwnTools;
let database: Database;
let base: KnowledgeBase;
let asked: AskRequest[];
let answer: (request: AskRequest) => AskAnswer;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "own-")));
  outside = realpathSync(mkdtempSync(join(tmpdir(), "out-")));
  asked = [];
  answer = () => ({ kind: "allow", scope: "once" });
  hooks = await createHooks({
    roots: [root],
    auditPath: join(root, ".countersign", "audit.jsonl"),
    config: { chain: { options: { destructive_sql: { consent: "human" } } } },
    env: {},
    ask: {
      available: true,
      ask: async (request) => {
        asked.push(request);
        return answer(request);
      },
    },
  });
  if (!hooks.chain.names().includes("engine_refusal"))
    hooks.chain.add(engineRefusal({ confirmArg: "confirm_destructive" }));
  tools = createOwnTools({ governor: hooks.governor });
  database = await openDatabase({ url: "sqlite:data.db", dataFolder: join(root, ".countersign") });
  base = openKnowledgeBase({ file: join(root, ".countersign", "kb.db") });
  const schema =
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE log (x); CREATE TABLE traced (x); INSERT INTO users VALUES (1, 'Ann'); INSERT INTO log VALUES (1)";
  await database.query(schema, { intent: { kind: "add", verbs: ["INSERT", "CREATE"], tables: [] } });
  const trigger: Act[] = [{ verb: "CREATE", table: null }];
  await database.query("CREATE TRIGGER purge AFTER INSERT ON traced BEGIN DELETE FROM log; END", {
    intent: { kind: "approved", acts: trigger },
  });
});
afterEach(async () => {
  await Promise.all([database.close(), base.close(), hooks.close()]);
  rmSync(root, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

function run(name: OwnToolName, input: Args): Promise<Args> {
  const call = hooks.call(name, input, { extra: { dialect: "sqlite" } });
  const parts = { database: async () => database, knowledgeBase: async () => base, importCsv };
  return tools.run({ name, call, signal: new AbortController().signal }, parts);
}

async function count(table: string): Promise<unknown> {
  return (await database.query(`SELECT count(*) FROM ${table}`, { intent: { kind: "read" } })).rows[0]?.[0];
}

describe("db_query_sql", () => {
  test.each([
    ["SELECT name FROM users", { kind: "ok", rows: [["Ann"]] }],
    ["INSERT INTO users (name) VALUES ('Bo')", { kind: "ok", changes: 1 }],
    ["CREATE TABLE n AS SELECT * FROM users", { kind: "ok" }],
    [
      "SELECT * FROM nowhere",
      { kind: "error", code: "database.failed", message: expect.stringContaining("no such table") },
    ],
    [
      "DROP DATABASE main",
      { kind: "denied", tool: "db_query_sql", reason: expect.any(String), message: expect.any(String) },
    ],
  ])("%s", async (sql, expected) => {
    expect(await run("db_query_sql", { sql })).toMatchObject(expected);
    expect(asked).toEqual([]);
  });

  test.each([
    ["DELETE FROM users", "users", 0],
    ["DELETE FROM users WHERE id = 1", "users", 0],
    ["WITH x AS (SELECT 1) DELETE FROM log", "log", 0],
    ["INSERT INTO users VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET name = 'x'", "users", 1],
    ["INSERT OR REPLACE INTO users VALUES (1, 'x')", "users", 1],
    ["REPLACE INTO users VALUES (1, 'x')", "users", 1],
    ["UPDATE users SET name = 'x'; DELETE FROM log", "log", 0],
    ["DROP TABLE traced; DELETE FROM log", "log", 0],
    ["ALTER TABLE log ADD COLUMN y", "log", 1],
    ["CREATE TRIGGER more AFTER INSERT ON users BEGIN DELETE FROM log; END", "log", 1],
    ["VACUUM", "log", 1],
    ["PRAGMA user_version = 4", "log", 1],
    ["ANALYZE", "log", 1],
    ["REINDEX", "log", 1],
  ])("is asked once, then runs as its words say: %s", async (sql, table, left) => {
    expect(await run("db_query_sql", { sql })).toMatchObject({ kind: "ok" });
    expect(asked).toHaveLength(1);
    expect(await count(table)).toBe(left);
  });

  test("a denied call changes nothing and says why", async () => {
    answer = () => ({ kind: "deny", sentence: "not today" });
    const result = await run("db_query_sql", { sql: "DELETE FROM users" });
    expect(result).toMatchObject({ kind: "denied", tool: "db_query_sql" });
    expect(String(result.reason)).toContain("not today");
    expect(await count("users")).toBe(1);
  });

  test("consent that the agent writes itself is asked for all the same", async () => {
    answer = () => ({ kind: "dismissed" });
    expect(await run("db_query_sql", { sql: "DELETE FROM users", confirm_destructive: true })).toMatchObject({
      kind: "denied",
    });
    expect(asked).toHaveLength(1);
    expect(await count("users")).toBe(1);
  });

  test("what the engine refuses is told, asked for on the next call, and then runs", async () => {
    const sql = "INSERT INTO traced VALUES (1)";
    expect(await run("db_query_sql", { sql })).toMatchObject({
      kind: "engine_refused",
      requires_confirmation: true,
      refused: [{ verb: "DELETE", table: "log", via: "purge" }],
    });
    expect(asked).toEqual([]);
    expect(await count("log")).toBe(1);
    answer = () => ({ kind: "deny" });
    expect(await run("db_query_sql", { sql })).toMatchObject({ kind: "denied" });
    expect(asked[0]?.prompt).toContain("DELETE on log (through purge)");
    expect(await count("log")).toBe(1);
    answer = () => ({ kind: "allow", scope: "once" });
    expect(await run("db_query_sql", { sql })).toMatchObject({ kind: "ok" });
    expect(await count("log")).toBe(0);
    expect(await run("db_query_sql", { sql })).toMatchObject({ kind: "engine_refused" });
  });

  test("without the guard that asks for them, refused acts stay refused", async () => {
    const plain = await createHooks({ roots: [root], env: {} });
    const bare = createOwnTools({
      governor: {
        govern: (call, handler, options) => plain.governor.govern({ ...call, extra: {} }, handler, options),
      },
    });
    const parts = { database: async () => database, knowledgeBase: async () => base, importCsv };
    const call = hooks.call("db_query_sql", { sql: "INSERT INTO traced VALUES (1)" });
    for (let i = 0; i < 2; i += 1) {
      expect(
        await bare.run({ name: "db_query_sql", call, signal: new AbortController().signal }, parts),
      ).toMatchObject({ kind: "engine_refused" });
    }
    await plain.close();
  });

  test.each([[{}], [{ sql: 1 }], [{ sql: null }], [{ sql: ["SELECT 1"] }]])(
    "arguments that are wrong: %j",
    async (input) => {
      const result = await run("db_query_sql", input);
      expect(["error", "denied"]).toContain(result.kind);
    },
  );

  test("arguments that the schema does not name never reach the engine", async () => {
    expect(await run("db_query_sql", { sql: "SELECT 1", intent: "approved", acts: [] })).toMatchObject({
      kind: "ok",
    });
  });
});

describe("files", () => {
  test("a CSV file inside the roots is imported, also by a relative path", async () => {
    writeFileSync(join(root, "in.csv"), "a,b\n1,x\n");
    expect(await run("db_import_csv", { path: "in.csv", table: "t" })).toMatchObject({
      kind: "ok",
      rows: 1,
      created: true,
    });
    expect(await run("db_import_csv", { path: join(root, "in.csv"), table: "t" })).toMatchObject({
      kind: "ok",
      created: false,
    });
  });

  test("a bad row names file and line", async () => {
    writeFileSync(join(root, "bad.csv"), "a,b\n1\n");
    expect(await run("db_import_csv", { path: "bad.csv", table: "t" })).toMatchObject({
      kind: "error",
      code: "csv.row",
      message: expect.stringContaining("bad.csv:2:"),
    });
  });

  test("an import into a table with a trigger is refused, then asked for", async () => {
    writeFileSync(join(root, "in.csv"), "x\n1\n");
    expect(await run("db_import_csv", { path: "in.csv", table: "traced" })).toMatchObject({
      kind: "engine_refused",
    });
    expect(await count("log")).toBe(1);
    expect(await run("db_import_csv", { path: "in.csv", table: "traced" })).toMatchObject({
      kind: "ok",
      rows: 1,
    });
    expect(asked).toHaveLength(1);
  });

  test.each<[OwnToolName, (path: string) => Args]>([
    ["db_import_csv", (path) => ({ path, table: "t" })],
    ["kb_add_file", (path) => ({ path })],
    ["kb_add_path", (path) => ({ path })],
  ])("%s outside the roots is denied, directly and by a link", async (name, input) => {
    mkdirSync(join(outside, "d"));
    writeFileSync(join(outside, "d", "x.csv"), "a\n1\n");
    const target = name === "kb_add_path" ? join(outside, "d") : join(outside, "d", "x.csv");
    symlinkSync(target, join(root, "link"));
    for (const path of [target, "link", `../${outside.split("/").at(-1)}/d/x.csv`]) {
      expect(await run(name, input(path))).toMatchObject({ kind: "denied" });
    }
    expect(asked).toEqual([]);
    expect(await base.search("1")).toEqual([]);
  });

  test("a link that is turned after the judgement is not followed", async () => {
    writeFileSync(join(root, "good.csv"), "a\n1\n");
    writeFileSync(join(outside, "secret.csv"), "secret\nhunter2\n");
    const link = join(root, "link.csv");
    symlinkSync(join(root, "good.csv"), link);
    const swapping = createOwnTools({
      governor: {
        govern: (call, handler, options) =>
          hooks.governor.govern(
            call,
            (args, outcome) => {
              symlinkSync(join(outside, "secret.csv"), join(root, "next"));
              renameSync(join(root, "next"), join(root, "good.csv"));
              return handler(args, outcome);
            },
            options,
          ),
      },
    });
    const parts = { database: async () => database, knowledgeBase: async () => base, importCsv };
    const call = hooks.call("db_import_csv", { path: link, table: "t" });
    expect(
      await swapping.run({ name: "db_import_csv", call, signal: new AbortController().signal }, parts),
    ).toMatchObject({
      kind: "error",
      message: expect.stringContaining("no longer the file"),
    });
    expect(await database.tableColumns("t")).toBeNull();
  });

  test("the knowledge base is filled and searched", async () => {
    mkdirSync(join(root, "docs"));
    writeFileSync(join(root, "docs", "a.md"), "How to restore a backup.\n数据备份\n");
    expect(await run("kb_add_path", { path: "docs" })).toMatchObject({ kind: "ok", added: 1 });
    expect(await run("kb_add_file", { path: "docs/a.md" })).toMatchObject({ kind: "ok" });
    expect(await run("kb_search", { query: "备份" })).toMatchObject({
      kind: "ok",
      hits: [{ path: join(root, "docs", "a.md"), line: 1 }],
    });
    expect(await run("kb_search", { query: "backup", limit: 500 })).toMatchObject({ kind: "error" });
  });
});

describe("the intent of a text", () => {
  test.each([
    ["SELECT 1", "read"],
    ["", "read"],
    ["BEGIN; SELECT 1; COMMIT", "read"],
    ["INSERT INTO a VALUES (1)", "add"],
    ["CREATE TABLE a (x); SELECT 1", "add"],
    ["DELETE FROM a", "approved"],
    ["SELECT 1; DELETE FROM a", "approved"],
    ["SELECT load_extension('x')", "approved"],
  ])("%s", (sql, kind) => {
    expect(intentOf({ sql, dialect: "sqlite", approvedActs: undefined }).kind).toBe(kind);
  });
});
