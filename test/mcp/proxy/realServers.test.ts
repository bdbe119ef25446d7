/**
 * The official client and real servers, with the proxy between them. What client and proxy say to each other and what proxy and
 * server do is recorded on both sides: it is the same, byte for byte.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyFile } from "../../../src/node/auditVerify";
import { buildProduct, makePlace, type Place } from "../client";
import { loadSdk, type OfficialClient, type Sdk, serverFile } from "./officialClient";

const tee = join(import.meta.dirname, "tee.mjs");
let built: string;
let sdk: Sdk;
let place: Place;
let client: OfficialClient;
beforeAll(async () => {
  built = buildProduct();
  sdk = await loadSdk();
}, 240_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  place = makePlace();
});
afterEach(async () => {
  await client.close();
  place.remove();
});

async function connect(
  name: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<void> {
  const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
  client = sdk.client("official", capabilities);
  const { schemas } = sdk;
  client.setRequestHandler(schemas.ListRootsRequestSchema, () => ({
    roots: [{ uri: `file://${place.root}`, name: "root" }],
  }));
  client.setRequestHandler(schemas.CreateMessageRequestSchema, () => ({
    role: "assistant",
    model: "scripted",
    content: { type: "text", text: "sampled" },
  }));
  client.setRequestHandler(schemas.ElicitRequestSchema, () => ({ action: "decline" }));
  const node = process.execPath;
  const server = [node, tee, join(place.base, "server"), node, serverFile(name), ...args];
  const proxy = [node, join(built, "cli.js"), "mcp", "proxy", "--name", name, "--", ...server];
  await client.connect(
    sdk.stdio({
      command: node,
      args: [tee, join(place.base, "client"), ...proxy],
      cwd: place.root,
      env: { HOME: place.home, PATH: process.env.PATH ?? "", ...env },
    }),
  );
}

/** On a busy machine a verdict may take long enough for one. */
const OUR_SIGN_OF_LIFE = /^\{"jsonrpc":"2.0","method":"notifications\/progress".*"Waiting for a verdict/;

/** Each line byte for byte; a call that is judged may be overtaken by what is not. */
function expectSameBytes(): void {
  for (const end of ["in", "out"]) {
    const [ours, theirs] = ["client", "server"].map((side) =>
      readFileSync(join(place.base, `${side}.${end}`), "utf8")
        .split("\n")
        .filter((line) => !OUR_SIGN_OF_LIFE.test(line))
        .sort(),
    );
    expect(theirs?.length).toBeGreaterThan(5);
    expect(ours).toEqual(theirs);
  }
}

const records = (): Record<string, unknown>[] =>
  readFileSync(join(place.root, ".countersign/storage/default/audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const textOf = (result: { content: { text?: string }[] }): string => result.content[0]?.text ?? "";

describe("server-filesystem", () => {
  test("everyday work goes through unchanged, in both directions", async () => {
    writeFileSync(join(place.root, "a.txt"), "one\ntwo\n");
    await connect("filesystem", [place.root]);
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(10);
    const path = join(place.root, "a.txt");
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect(textOf(await call("read_text_file", { path }))).toBe("one\ntwo\n");
    await call("list_directory", { path: place.root });
    await call("write_file", { path: join(place.root, "b.txt"), content: "é\u2028\ud83d\ude00\n" });
    await call("edit_file", { path, edits: [{ oldText: "one", newText: "three" }] });
    await call("search_files", { path: place.root, pattern: "*.txt" });
    expect((await call("read_text_file", { path: "/does/not/exist" })).isError).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("three\ntwo\n");
    await client.ping();
    expectSameBytes();
    const decided = records().map(({ tool, decision }) => `${tool} ${decision}`);
    expect(decided.slice(0, 3)).toEqual([
      "mcp__filesystem__read_text_file allow",
      "mcp__filesystem__list_directory allow",
      "mcp__filesystem__write_file allow",
    ]);
    expect(await verifyFile(join(place.root, ".countersign/storage/default/audit.jsonl"))).toMatchObject({
      ok: true,
    });
  });

  test("a change of the rules that govern it does not reach it", async () => {
    await connect("filesystem", [place.root]);
    const path = join(place.root, "gateway-hooks.toml");
    const args = { path, content: "version = 1\n[chain]\nenabled = false\n" };
    const denied = await client.callTool({ name: "write_file", arguments: args });
    expect(denied.isError).toBe(true);
    expect(JSON.parse(textOf(denied))).toMatchObject({ kind: "denied", by: "self_protection" });
    expect(() => readFileSync(path)).toThrow();
    expect(readFileSync(join(place.base, "server.in"), "utf8")).not.toContain("gateway-hooks");
  });
});

test("server-memory: entities, relations and observations", async () => {
  await connect("memory", [], { MEMORY_FILE_PATH: join(place.root, "memory.json") });
  await client.listTools();
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  const entities = ["Ann", "Bo"].map((name) => ({ name, entityType: "person", observations: ["likes tea"] }));
  await call("create_entities", { entities });
  await call("create_relations", { relations: [{ from: "Ann", to: "Bo", relationType: "knows" }] });
  await call("add_observations", {
    observations: [{ entityName: "Ann", contents: ["DROP TABLE is her cat"] }],
  });
  expect(textOf(await call("read_graph", {}))).toContain("likes tea");
  await call("search_nodes", { query: "tea" });
  await call("open_nodes", { names: ["Bo"] });
  await call("delete_observations", { deletions: [{ entityName: "Bo", observations: ["likes tea"] }] });
  expectSameBytes();
  expect(records().every(({ decision }) => decision === "allow")).toBe(true);
});

test("server-everything: prompts, resources, logging, progress, sampling, elicitation, images, structure", async () => {
  await connect("everything");
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  await client.listResourceTemplates();
  for (const { uri } of resources.slice(0, 3)) await client.readResource({ uri });
  const simple = prompts.find(({ name }) => name.startsWith("simple"));
  if (simple !== undefined) await client.getPrompt({ name: simple.name });
  await client.setLoggingLevel("error");
  const progress: number[] = [];
  const args: Record<string, Record<string, unknown>> = {
    echo: { message: "hello" },
    "get-sum": { a: 1, b: 2 },
    "get-tiny-image": {},
    "get-structured-content": { location: "New York" },
    "get-annotated-message": { messageType: "error", includeImage: true },
    "get-resource-links": { count: 2 },
    "get-roots-list": {},
    "trigger-sampling-request": { prompt: "hi", maxTokens: 10 },
    "trigger-elicitation-request": {},
    "trigger-long-running-operation": { duration: 1, steps: 4 },
  };
  const known = Object.keys(args).filter((name) => names.includes(name));
  expect(known.length).toBeGreaterThanOrEqual(8);
  for (const name of known)
    await client.callTool({ name, arguments: args[name] ?? {} }, undefined, {
      onprogress: ({ progress: done }) => progress.push(done),
    });
  expect(progress.length).toBeGreaterThan(1);
  expectSameBytes();
  expect(records().map(({ tool, decision }) => [tool, decision])).toEqual(
    known.map((name) => [`mcp__everything__${name}`, "allow"]),
  );
});

test("server-everything: a cancelled call is cancelled there too", async () => {
  await connect("everything");
  const stop = new AbortController();
  const running = client.callTool(
    { name: "trigger-long-running-operation", arguments: { duration: 30, steps: 30 } },
    undefined,
    { signal: stop.signal },
  );
  const reached = () => readFileSync(join(place.base, "server.in"), "utf8").includes("tools/call");
  const rejected = expect(running).rejects.toThrow(/enough|abort/i);
  while (!reached()) await new Promise((next) => setTimeout(next, 50));
  stop.abort("enough");
  await rejected;
  await client.ping();
  expect(readFileSync(join(place.base, "server.in"), "utf8")).toContain("notifications/cancelled");
  await client.close();
  expect(records()).toMatchObject([{ decision: "error", error: expect.stringMatching(/cancelled/) }]);
});
