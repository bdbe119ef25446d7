import { afterEach, beforeEach, expect, test } from "vitest";
import type { ConfigFile } from "../../src/core/rules/schema";
import { createToolCalls } from "../../src/mcp/toolCalls";
import { openMcpWorkspace } from "../../src/mcp/workspace";
import { createOwnToolStores } from "../../src/node/ownToolStores";
import { createTrustStore } from "../../src/node/trustStore";
import { quietLog } from "../core/fixtures";
import { makePlace, type Place } from "./client";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

test("settings bound the rows and close the database for writing, while it is open", async () => {
  const stores = createOwnToolStores();
  const workspace = await openMcpWorkspace({
    cwd: place.root,
    home: place.home,
    mirror: "believed",
    env: {},
    log: quietLog,
  });
  const calls = createToolCalls({ workspace: async () => workspace, stores, cwd: place.root });
  const settings = (user: ConfigFile) =>
    createTrustStore({ home: place.home, now: () => 0 }).writeState({ user, locked: [], trusted: [] });
  const sql = async (text: string): Promise<Record<string, unknown>> => {
    const run = {
      caller: { agent: "test", sessionId: "s" },
      signal: new AbortController().signal,
      notify: () => undefined,
    };
    const { content } = await calls.run({ name: "db_query_sql", arguments: { sql: text } }, run);
    return JSON.parse(content[0].text);
  };
  try {
    await settings({});
    expect(await sql("CREATE TABLE n (i); INSERT INTO n VALUES (1), (2), (3)")).toMatchObject({ kind: "ok" });
    expect(await sql("SELECT i FROM n")).toMatchObject({ kind: "ok", rowCount: 3 });
    await settings({ chain: { row_limit: true, read_only: true, options: { row_limit: { max: 2 } } } });
    expect(await sql("SELECT i FROM n")).toMatchObject({ kind: "ok", rowCount: 2 });
    expect(await sql("INSERT INTO n VALUES (4)")).toMatchObject({ kind: "denied", by: "read_only" });
    const database = await stores.partsOf(workspace).database();
    const approved = { kind: "approved", acts: [{ verb: "INSERT", table: "n" }] } as const;
    await expect(database.query("INSERT INTO n VALUES (4)", { intent: approved })).rejects.toThrow(
      /read_only is on/u,
    );
    await settings({});
    expect(await sql("INSERT INTO n VALUES (4)")).toMatchObject({ kind: "ok" });
    expect(await sql("SELECT i FROM n")).toMatchObject({ rowCount: 4 });
  } finally {
    await stores.close();
    await workspace.close();
  }
});
