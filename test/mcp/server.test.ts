import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import manifest from "../../package.json";
import { verifyFile } from "../../src/node/auditVerify";
import { writePrivateFile } from "../../src/node/privateFile";
import { buildProduct, type Client, makePlace, type Place, type Reply, startServer } from "./client";

let built: string;
let place: Place;
let client: Client;
beforeAll(() => {
  built = buildProduct();
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  place = makePlace();
  client = startServer({ built, place });
});
afterEach(async () => {
  await client.end();
  place.remove();
});

const log = () => join(place.root, ".countersign/storage/default/audit.jsonl");
const records = (): Record<string, unknown>[] =>
  readFileSync(log(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const calls = () => records().filter((record) => record.event === "call");
const errorsFor = (id: Reply["id"]) => client.heard.filter((one) => one.id === id && one.error !== undefined);
const ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((next) => setTimeout(next, 10));
}

/** True while a call's intent stands beside the log: its tool is running. */
function isRunning(): boolean {
  const folder = join(place.root, ".countersign/storage/default");
  return (
    existsSync(folder) &&
    readdirSync(folder, { recursive: true }).some((name) => /intent.*call_/.test(String(name)))
  );
}

describe("handshake", () => {
  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2025-11-25"],
    ["3000-01-01", "2025-11-25"],
  ])("a client that asks for %s is offered %s", async (asked, offered) => {
    const { result } = await client.initialize(asked);
    expect(result).toMatchObject({
      protocolVersion: offered,
      capabilities: { tools: {} },
      serverInfo: { name: "countersign", version: manifest.version },
    });
  });

  test("ping is answered at any time; the rest waits for initialize, which comes once", async () => {
    expect(await client.ask("ping")).toMatchObject({ result: {} });
    expect(await client.ask("tools/list")).toMatchObject({ error: { code: -32600 } });
    expect(await client.ask("tools/call", { name: "kb_search", arguments: { query: "x" } })).toMatchObject({
      error: { code: -32600 },
    });
    expect(await client.ask("initialize", { protocolVersion: 1 })).toMatchObject({ error: { code: -32602 } });
    await client.initialize();
    expect(await client.ask("ping")).toMatchObject({ result: {} });
    const again = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    expect(await client.ask("initialize", again)).toMatchObject({ error: { code: -32600 } });
  });

  test("the tools are those that package.json gives the editor", async () => {
    await client.initialize();
    const { result } = await client.ask("tools/list", {});
    const listed = result?.tools as Record<string, unknown>[];
    expect(listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))).toEqual(
      manifest.contributes.languageModelTools.map((tool) => ({
        name: tool.name,
        description: tool.modelDescription,
        inputSchema: tool.inputSchema,
      })),
    );
    expect(listed.map((tool) => tool.title)).toContain("Query Database (Governed)");
    expect(await client.ask("tools/list", { cursor: "2" })).toMatchObject({ error: { code: -32602 } });
  });
});

describe("governed calls", () => {
  const seed = "CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'Ann'), (2, 'Bo')";
  const count = async () =>
    (await client.call("db_query_sql", { sql: "SELECT count(*) FROM users" })).said.rows;

  test("a SELECT runs; DELETE and DROP DATABASE are denied and do not; all of it is on record", async () => {
    await client.initialize("2025-11-25", "Some\u202eAgent");
    expect(await client.call("db_query_sql", { sql: seed })).toMatchObject({ isError: false });
    expect(await client.call("db_query_sql", { sql: "SELECT name FROM users" })).toMatchObject({
      isError: false,
      said: { kind: "ok", rows: [["Ann"], ["Bo"]] },
    });
    for (const sql of ["DELETE FROM users", "DELETE FROM users WHERE id = 1"]) {
      const denied = await client.call("db_query_sql", { sql, confirm_destructive: true });
      expect(denied).toMatchObject({ isError: true, said: { kind: "denied", by: "destructive_sql" } });
      expect(denied.said.reason).toMatch(/DELETE[\s\S]*needs a person's approval[\s\S]*in the editor/);
    }
    const dropped = await client.call("db_query_sql", { sql: "DROP DATABASE main" });
    expect(dropped).toMatchObject({ isError: true, said: { kind: "denied" } });
    expect(await count()).toEqual([[2]]);
    expect(await client.end()).toBe(0);

    expect(calls()).toHaveLength(6);
    expect(calls().map((record) => record.decision)).toEqual([
      "allow",
      "allow",
      "denied",
      "denied",
      "denied",
      "allow",
    ]);
    const [first] = calls();
    expect(first).toMatchObject({
      tool: "db_query_sql",
      agent: "Some\\u{202E}Agent",
      writer: { role: "mcp" },
    });
    expect(new Set(calls().map((record) => record.session)).size).toBe(1);
    expect(JSON.stringify(calls()[2])).toContain("forged_consent");
    expect(await verifyFile(log())).toMatchObject({ ok: true, count: 6 });
    expect(client.stderr()).toBe("");
  });

  test("files outside the roots are denied; inside them they are imported, with progress that grows", async () => {
    await client.initialize();
    const outside = join(place.base, "secret.csv");
    for (const path of [outside, join(place.root, "in.csv")])
      writeFileSync(path, `id,name\n${Array.from({ length: 3000 }, (_, n) => `${n},n${n}`).join("\n")}\n`);
    for (const path of [outside, "../secret.csv", "/etc/passwd"]) {
      const denied = await client.call("db_import_csv", { path, table: "people" });
      expect(denied).toMatchObject({ isError: true, said: { kind: "denied", by: "path_allowlist" } });
      expect(await client.call("kb_add_file", { path })).toMatchObject({
        isError: true,
        said: { kind: "denied" },
      });
    }
    const meta = { progressToken: "tok" };
    const imported = await client.call("db_import_csv", { path: "in.csv", table: "people" }, meta);
    expect(imported).toMatchObject({ isError: false, said: { rows: 3000, created: true } });
    const told = client.heard.filter((one) => one.method === "notifications/progress");
    const steps = told.map((one) => Number(one.params?.progress));
    expect(steps.length).toBeGreaterThan(1);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
    expect(told.at(-1)?.params).toMatchObject({ progressToken: "tok", progress: 1, total: 1 });
    await client.call("db_import_csv", { path: "in.csv", table: "silent" });
    expect(client.heard.filter((one) => one.method === "notifications/progress")).toHaveLength(told.length);
  });

  test("the knowledge base takes files and finds them", async () => {
    await client.initialize();
    writeFileSync(join(place.root, "notes.md"), "# Ports\nThe harbour opens at six.\n");
    expect(await client.call("kb_add_file", { path: "notes.md" })).toMatchObject({ isError: false });
    const found = await client.call("kb_search", { query: "harbour" });
    expect(found).toMatchObject({ isError: false, said: { hits: [{ path: join(place.root, "notes.md") }] } });
    expect(await client.call("kb_search", { query: 7 })).toMatchObject({
      isError: true,
      said: { kind: "error", code: "payload.malformed" },
    });
  });

  test("two calls at one time: the short one is answered while the long one runs, which a cancellation ends", async () => {
    await client.initialize();
    client.send("tools/call", { name: "db_query_sql", arguments: { sql: ENDLESS } }, "long");
    await until(isRunning);
    expect(await client.call("kb_search", { query: "x" })).toMatchObject({ isError: false });
    client.send("tools/call", { name: "kb_search", arguments: { query: "y" } }, "long");
    expect(await client.answerTo("long")).toMatchObject({ error: { code: -32600 } });
    client.send("notifications/cancelled", { requestId: "long", reason: "enough" });
    // The same database answers again, and nothing more is said to the cancelled request.
    expect(await client.call("db_query_sql", { sql: "SELECT 1" })).toMatchObject({ said: { rows: [[1]] } });
    for (const requestId of ["long", "never", 1]) client.send("notifications/cancelled", { requestId });
    client.send("notifications/cancelled", {});
    expect(await client.end()).toBe(0);
    expect(client.heard.filter((one) => one.id === "long")).toHaveLength(1);
    const long = calls().find((record) => JSON.stringify(record).includes("RECURSIVE"));
    expect(long).toMatchObject({ decision: "error", error: expect.stringContaining("cancelled") });
    expect(await verifyFile(log())).toMatchObject({ ok: true, count: 3 });
  });

  test("what was sent before the client closed its end is still answered", async () => {
    await client.initialize();
    client.send("tools/call", { name: "db_query_sql", arguments: { sql: seed } }, "last");
    expect(await client.end()).toBe(0);
    expect(client.heard.at(-1)).toMatchObject({ id: "last", result: { isError: false } });
    expect(await verifyFile(log())).toMatchObject({ ok: true, count: 1 });
  });

  test("told to end, it undoes what runs, records it and goes", async () => {
    await client.initialize();
    client.send("tools/call", { name: "db_query_sql", arguments: { sql: ENDLESS } }, "long");
    await until(isRunning);
    client.kill("SIGTERM");
    expect(await client.ended()).toBe(0);
    expect(calls()).toMatchObject([{ error: expect.stringContaining("cancelled") }]);
    expect(await verifyFile(log())).toMatchObject({ ok: true, count: 1 });
  });
});

describe("a client that floods or goes away", () => {
  test("of too many calls at one time the last is refused unrun, and the end leaves a record of each other", async () => {
    await client.initialize();
    for (let n = 0; n < 65; n++)
      client.send("tools/call", { name: "db_query_sql", arguments: { sql: ENDLESS } }, `n${n}`);
    expect(await client.answerTo("n64")).toMatchObject({ error: { code: -32600 } });
    await until(isRunning);
    client.kill("SIGTERM");
    expect(await client.ended()).toBe(0);
    expect(client.heard.filter((one) => String(one.id).startsWith("n"))).toHaveLength(1);
    expect(await verifyFile(log())).toMatchObject({ ok: true, count: 64 });
  });

  test("when nobody reads any more, what runs is ended and recorded", async () => {
    await client.initialize();
    client.send("tools/call", { name: "db_query_sql", arguments: { sql: ENDLESS } }, "long");
    await until(isRunning);
    client.deafen();
    client.send("ping", {}, "p");
    expect(await client.ended()).toBe(0);
    expect(await verifyFile(log())).toMatchObject({ ok: true, count: 1 });
  });
});

describe("messages that are none", () => {
  test.each<[string, string | Uint8Array, number]>([
    ["no JSON", "{oops\n", -32700],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]), -32700],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600],
    ["a number", "7\n", -32600],
    ["no version", '{"id":null,"method":"ping"}\n', -32600],
    ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600],
    ["parameters by position", '{"jsonrpc":"2.0","id":null,"method":"ping","params":[1]}\n', -32600],
    [
      "over 4 MiB",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${"x".repeat(4 << 20)}"}}\n`,
      -32600,
    ],
  ])("%s", async (_, text, code) => {
    client.raw(text);
    await client.answerTo(null);
    expect(errorsFor(null)).toMatchObject([{ jsonrpc: "2.0", error: { code, message: expect.any(String) } }]);
    // The connection goes on.
    expect(await client.ask("ping")).toMatchObject({ result: {} });
    expect(client.heard).toHaveLength(2);
  });

  test("unknown methods, unknown tools and wrong parameters are errors with the request's id", async () => {
    await client.initialize();
    const before = client.heard.length;
    for (const [method, params, code] of [
      ["resources/list", {}, -32601],
      ["tools/call", { name: "rm_rf", arguments: {} }, -32602],
      ["tools/call", { name: "toString" }, -32602],
      ["tools/call", { arguments: {} }, -32602],
      ["tools/call", { name: "kb_search", arguments: "x" }, -32602],
    ] as const) {
      expect(await client.ask(method, params)).toMatchObject({ error: { code } });
    }
    expect(client.heard).toHaveLength(before + 5);
    expect(existsSync(log())).toBe(false);
  });

  test("blank lines, split lines, CRLF, answers and unknown notifications are taken as they are meant", async () => {
    client.raw("\n  \r\n");
    client.raw('{"jsonrpc":"2.0","id":"a","meth');
    client.raw('od":"ping"}\r\n{"jsonrpc":"2.0","id":5,"result":{}}\n');
    client.send("notifications/whatever", {});
    client.raw('{"jsonrpc":"2.0","id":"b","method":"ping"}');
    expect(await client.end()).toBe(0);
    expect(client.heard.map((one) => one.id)).toEqual(["a", "b"]);
  });
});

describe("an environment that loosens", () => {
  test("neither variables nor another home folder switch a guard off", async () => {
    await client.end();
    const env = {
      COUNTERSIGN__HOOKS__DESTRUCTIVE_SQL: "false",
      DATAMIND__HOOKS__ENABLED: "false",
      TMPDIR: "/",
    };
    const loose = { chain: { enabled: false, destructive_sql: false, path_allowlist_extra: ["/"] } };
    const state = { version: 1, user: loose, locked: [], trusted: [place.root] };
    mkdirSync(join(place.home, ".countersign"), { mode: 0o700 });
    await writePrivateFile(join(place.home, ".countersign/state.json"), JSON.stringify(state));
    client = startServer({ built, place, env });
    await client.initialize();
    await client.call("db_query_sql", { sql: "CREATE TABLE t (a)" });
    expect(await client.call("db_query_sql", { sql: "DELETE FROM t" })).toMatchObject({
      said: { kind: "denied" },
    });
    expect(await client.call("kb_add_file", { path: "/etc/hosts" })).toMatchObject({
      said: { kind: "denied" },
    });
  });
});

test("without built-in SQLite it says so on standard error and ends with 2", async () => {
  const old = startServer({ built, place, nodeArgs: ["--no-experimental-sqlite"] });
  expect(await old.ended()).toBe(2);
  expect(old.heard).toEqual([]);
  expect(old.stderr()).toMatch(/no built-in SQLite[\s\S]*22\.13/);
});
