import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ConfigFile } from "../../src/core/rules/schema";
import { createToolCalls, type ToolCalls } from "../../src/mcp/toolCalls";
import { type McpWorkspace, openMcpWorkspace } from "../../src/mcp/workspace";
import { verifyFile } from "../../src/node/auditVerify";
import { writeLocator } from "../../src/node/locator";
import { createOwnToolStores, type OwnToolStores } from "../../src/node/ownToolStores";
import { createTrustStore } from "../../src/node/trustStore";
import { quietLog } from "../core/fixtures";
import { makePlace, type Place } from "./client";

let place: Place;
let stores: OwnToolStores;
let workspace: McpWorkspace | undefined;
let calls: ToolCalls;
beforeEach(() => {
  place = makePlace();
  stores = createOwnToolStores();
});
afterEach(async () => {
  await stores.close();
  await workspace?.close();
  place.remove();
});

async function open(mirror: "believed" | "ignored", cwd = place.root): Promise<McpWorkspace> {
  await workspace?.close();
  const opened = await openMcpWorkspace({ cwd, home: place.home, mirror, env: {}, log: quietLog });
  workspace = opened;
  calls = createToolCalls({ workspace: async () => opened, stores, cwd });
  return opened;
}

async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const signal = new AbortController().signal;
  const run = { caller: { agent: "test", sessionId: "s" }, signal, notify: () => undefined };
  const { content, isError } = await calls.run({ name, arguments: args }, run);
  const said = JSON.parse(content[0].text);
  expect(isError).toBe(said.kind !== "ok");
  return said;
}

const sql = (text: string) => call("db_query_sql", { sql: text });
const trustStore = () => createTrustStore({ home: place.home, now: () => 0 });
const mirror = (user: ConfigFile, trusted: readonly string[] = []) =>
  trustStore().writeState({ user, locked: [], trusted });
const auditFile = () => join(place.root, ".countersign/storage/default/audit.jsonl");

describe("the editor's mirrored settings", () => {
  const shared = () => join(place.base, "shared");
  beforeEach(async () => {
    mkdirSync(shared());
    writeFileSync(join(shared(), "a.md"), "text of a shared file\n");
    await mirror({ chain: { path_allowlist_extra: [shared()] } });
  });

  test.each([
    ["believed", "ok"],
    ["ignored", "denied"],
  ] as const)("%s: a folder that the person added is %s", async (how, kind) => {
    await open(how);
    expect(await call("kb_add_file", { path: join(shared(), "a.md") })).toMatchObject({ kind });
  });

  test("a damaged mirror is the strictest", async () => {
    writeFileSync(join(place.home, ".countersign/state.json"), "{");
    const { config } = (await open("believed")).resolved();
    expect(config.chain.path_allowlist_extra).toEqual([]);
    expect(config.chain.options.destructive_sql.on_unverified).toBe("deny");
  });
});

describe("the workspace's own file", () => {
  const write = (text: string) => writeFileSync(join(place.root, "gateway-hooks.toml"), text);

  test("what tightens governs the next call", async () => {
    await open("believed");
    await mirror({}, [place.root]);
    expect(await sql("CREATE TABLE t (a)")).toMatchObject({ kind: "ok" });
    write("[database]\nmax_rows = 1\n");
    await sql("INSERT INTO t VALUES (1), (2)");
    expect(await sql("SELECT * FROM t")).toMatchObject({ rowCount: 1, truncated: true });
  });

  test("what loosens and nobody accepted does not, and whatever is no read is denied meanwhile", async () => {
    await mirror({}, [place.root]);
    await open("believed");
    expect(await sql("CREATE TABLE t (a)")).toMatchObject({ kind: "ok" });
    write("[chain]\nenabled = false\n");
    expect(await sql("DELETE FROM t")).toMatchObject({ kind: "denied" });
    expect((workspace as McpWorkspace).resolved()).toMatchObject({
      state: "waiting",
      config: { chain: { enabled: true } },
    });
  });
});

describe("the audit log", () => {
  test("without it nothing runs; once it can be written calls run again", async () => {
    await open("ignored");
    mkdirSync(auditFile(), { recursive: true });
    expect(await sql("CREATE TABLE t (a)")).toMatchObject({ kind: "denied", by: "audit_log" });
    rmSync(auditFile(), { recursive: true });
    expect(await sql("SELECT count(*) FROM sqlite_schema")).toMatchObject({ kind: "ok", rows: [[0]] });
    expect(await verifyFile(auditFile())).toMatchObject({ ok: true, count: 1 });
  });

  test("one that is gone although its head is known is not begun anew", async () => {
    await open("ignored");
    expect(await sql("CREATE TABLE t (a)")).toMatchObject({ kind: "ok" });
    await open("ignored");
    rmSync(join(place.root, ".countersign/storage"), { recursive: true });
    expect(await sql("INSERT INTO t VALUES (1)")).toMatchObject({ kind: "denied", by: "audit_log" });
  });
});

describe("where the server stands", () => {
  const folder = (...names: string[]) => {
    const path = join(place.base, ...names);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "a.md"), "text\n");
    return path;
  };

  test("in a folder without a project the home folder keeps the data and the folder's files may be read", async () => {
    const cwd = folder("plain");
    expect(await open("ignored", cwd)).toMatchObject({ root: place.home });
    expect(await call("kb_add_file", { path: "a.md" })).toMatchObject({ kind: "ok" });
    expect(await call("kb_add_file", { path: join(folder("other"), "a.md") })).toMatchObject({
      kind: "denied",
    });
  });

  test.each(["home", "."])("in %s no files but the data folder's may be read", async (name) => {
    const cwd = folder(name);
    folder("home", "documents");
    expect(await open("ignored", cwd)).toMatchObject({ root: place.home });
    for (const path of ["a.md", join(place.home, "documents/a.md")])
      expect(await call("kb_add_file", { path })).toMatchObject({ kind: "denied", by: "path_allowlist" });
  });

  test("in a folder that a window has open the data is the window's", async () => {
    const outer = folder("open");
    const cwd = folder("open", "sub");
    writeLocator(place.home, { pid: process.pid, socket: "/none", nonce: "0".repeat(64), folders: [outer] });
    expect(await open("ignored", cwd)).toMatchObject({ root: outer, folder: join(outer, ".countersign") });
  });
});
