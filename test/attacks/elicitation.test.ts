/**
 * A client that answers every question of a server by itself (threat 4): MCP's elicitation is the client's own form, which the agent's
 * program, or a hook of it, may fill in. It is no person's yes, so nothing of ours asks by it, and nothing it answers lets a call run.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildProduct, makePlace, type Place } from "../mcp/client";
import { loadSdk, type OfficialClient, type Sdk, serverFile } from "../mcp/proxy/officialClient";

let built: string;
let sdk: Sdk;
let place: Place;
let client: OfficialClient;
let asked: unknown[];

beforeAll(async () => {
  built = buildProduct();
  sdk = await loadSdk();
}, 240_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  place = makePlace();
  asked = [];
});
afterEach(async () => {
  await client.close();
  place.remove();
});

async function connect(...program: readonly string[]): Promise<void> {
  client = sdk.client("willing", { elicitation: { form: {}, url: {} } });
  client.setRequestHandler(sdk.schemas.ElicitRequestSchema, (request) => {
    asked.push(request);
    return { action: "accept", content: { confirm_destructive: true, confirm: true, check: true } };
  });
  const env = { HOME: place.home, PATH: process.env.PATH ?? "" };
  await client.connect(sdk.stdio({ command: process.execPath, args: program, cwd: place.root, env }));
}

const behindProxy = (...server: readonly string[]): Promise<void> =>
  connect(join(built, "cli.js"), "mcp", "proxy", "--name", "theirs", "--", process.execPath, ...server);

async function call(name: string, args: Record<string, unknown>) {
  const { isError, content } = await client.callTool({ name, arguments: args });
  return { isError: isError === true, text: content[0]?.text ?? "" };
}

const events = (): string[] =>
  readFileSync(join(place.root, ".countersign/storage/default/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ tool }) => tool !== undefined)
    .map(({ event, decision }) => `${event} ${decision}`);

describe.each([
  ["our own server", "db_query_sql", () => connect(join(built, "mcp.js"))],
  ["the proxy", "run_sql", () => behindProxy(join(import.meta.dirname, "../mcp/proxy/fixtureServer.mjs"))],
] as const)("%s, with no window open", (_name, tool, start) => {
  test.each([{}, { confirm_destructive: true }])("what needs a person is denied (%o)", async (more) => {
    await start();
    await client.listTools();
    const ran = await call(tool, { sql: "DROP TABLE users", ...more });
    expect(ran).toMatchObject({ isError: true, text: expect.stringContaining("needs a person's approval") });
    expect(asked).toEqual([]);
    expect(events()).toEqual(["call denied"]);
  });
});

test("what the client answers to a server's own question consents to nothing", async () => {
  await behindProxy(serverFile("everything"));
  const { tools } = await client.listTools();
  const question = tools.find(({ name }) => /elicitation/.test(name))?.name ?? "none";
  expect(await call(question, {})).toMatchObject({ isError: false });
  expect(asked).toHaveLength(1);
  const said = await call("echo", { message: "DROP TABLE users", sql: "DROP TABLE users" });
  expect(said).toMatchObject({ isError: true, text: expect.stringContaining("needs a person's approval") });
});
