/** A server that is reached over HTTP, behind the built proxy: the official one, and one by hand that refuses and breaks off. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEventCutter, type SentEvent } from "../../../src/mcp/proxy/sse";
import { buildProduct, type Client, makePlace, type Place, startServer } from "../client";
import { loadSdk, type Sdk, serverFile } from "./officialClient";

let built: string;
let sdk: Sdk;
let place: Place;
beforeAll(async () => {
  built = buildProduct();
  sdk = await loadSdk();
}, 240_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const proxyArgs = (url: string, more: readonly string[] = []) => [
  join(built, "cli.js"),
  "mcp",
  "proxy",
  "--name",
  "remote",
  "--url",
  url,
  ...more,
];

describe("the official server over Streamable HTTP", () => {
  let server: ChildProcess;
  let port: number;
  beforeEach(async () => {
    port = await freePort();
    server = spawn(process.execPath, [serverFile("everything"), "streamableHttp"], {
      env: { PATH: process.env.PATH ?? "", PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve) =>
      server.stderr?.on("data", (chunk: Buffer) => {
        if (/listening/i.test(chunk.toString())) resolve();
      }),
    );
  });
  afterEach(() => void server.kill("SIGKILL"));

  test("the official client on standard input and output: lists, calls, progress, what the server asks", async () => {
    const client = sdk.client("official", { roots: { listChanged: true }, sampling: {} });
    client.setRequestHandler(sdk.schemas.ListRootsRequestSchema, () => ({ roots: [] }));
    client.setRequestHandler(sdk.schemas.CreateMessageRequestSchema, () => ({
      role: "assistant",
      model: "scripted",
      content: { type: "text", text: "sampled" },
    }));
    await client.connect(
      sdk.stdio({
        command: process.execPath,
        args: proxyArgs(`http://127.0.0.1:${port}/mcp`),
        cwd: place.root,
        env: { HOME: place.home, PATH: process.env.PATH ?? "" },
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    const echoed = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    expect(echoed.content[0]?.text).toContain("hello");
    const sampled = await client.callTool({
      name: "trigger-sampling-request",
      arguments: { prompt: "x", maxTokens: 5 },
    });
    expect(JSON.stringify(sampled)).toContain("sampled");
    const progress: number[] = [];
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 1, steps: 3 } },
      undefined,
      { onprogress: (one) => progress.push(one.progress) },
    );
    expect(progress.length).toBeGreaterThan(1);
    await client.close();
    const log = join(place.root, ".countersign/storage/default/audit.jsonl");
    expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(3);
  });
});

describe("a server that refuses, sends away and breaks off", () => {
  let server: Server;
  let requests: { method: string; headers: IncomingMessage["headers"]; body: string }[];
  let reply: (request: IncomingMessage, body: string, response: ServerResponse) => void;
  let client: Client;

  const open = async (more: readonly string[] = [], env: Record<string, string> = {}): Promise<void> => {
    requests = [];
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        requests.push({ method: request.method ?? "", headers: request.headers, body });
        reply(request, body, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const program = proxyArgs(`http://127.0.0.1:${port}/mcp`, more);
    client = startServer({ built, place, env, program });
  };
  afterEach(async () => {
    await client.end();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const json = (response: ServerResponse, value: unknown, headers: Record<string, string> = {}) =>
    response
      .writeHead(200, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(value, null, 2));
  const initialized = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    serverInfo: { name: "x", version: "1" },
  };
  const idOf = (body: string): unknown => (body === "" ? undefined : JSON.parse(body).id);

  test("session, version and headers are sent as the protocol wants; a 202 is no answer; the session is closed", async () => {
    reply = (request, body, response) => {
      if (request.method === "GET") return response.writeHead(405).end();
      if (request.method === "DELETE") return response.writeHead(204).end();
      const id = idOf(body);
      if (id === undefined) return response.writeHead(202).end();
      const result = body.includes("initialize")
        ? initialized
        : { content: [{ type: "text", text: "a\nb" }] };
      return json(response, { jsonrpc: "2.0", id, result }, { "mcp-session-id": "s-1" });
    };
    await open(["--header-env", "TOKEN,OTHER"], { TOKEN: "Authorization: Bearer t", OTHER: "x-a: b" });
    await client.initialize();
    const reply1 = await client.ask("tools/call", { name: "t", arguments: {} });
    expect(reply1.result).toEqual({ content: [{ type: "text", text: "a\nb" }] });
    await client.end();
    const call = requests.find(({ body }) => body.includes("tools/call"));
    expect(call?.headers).toMatchObject({
      authorization: "Bearer t",
      "x-a": "b",
      "mcp-session-id": "s-1",
      "mcp-protocol-version": "2025-06-18",
      accept: "application/json, text/event-stream",
    });
    expect(requests.map(({ method }) => method)).toContain("DELETE");
    expect(JSON.stringify(client.heard)).not.toContain("Bearer");
  });

  test.each([
    [401, /wants a sign-in that Countersign's proxy does not do/],
    [403, /HTTP 403/],
    [302, /sends elsewhere .*evil\.example.* not followed/],
    [500, /HTTP 500: went wrong/],
  ])("%i is told as what it is, and nothing is sent elsewhere", async (status, told) => {
    reply = (_request, _body, response) =>
      response.writeHead(status, { location: "https://evil.example/mcp" }).end("went wrong");
    await open(["--header-env", "TOKEN"], { TOKEN: "Authorization: Bearer t" });
    const answer = await client.ask("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: {},
    });
    expect(answer.error?.message).toMatch(told);
    expect(requests).toHaveLength(1);
  });

  test("a session that the server has ended ends the proxy, so that the client begins anew", async () => {
    let begun = false;
    reply = (request, body, response) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      if (idOf(body) === undefined) return response.writeHead(202).end();
      if (begun) return response.writeHead(404).end();
      begun = true;
      return json(
        response,
        { jsonrpc: "2.0", id: idOf(body), result: initialized },
        { "mcp-session-id": "s" },
      );
    };
    await open();
    await client.initialize();
    expect((await client.ask("tools/list")).error?.message).toMatch(/ended the session/);
    expect(await client.ended()).toBe(1);
  });

  test("a stream that breaks off is taken up again where it was; one that cannot be is an error", async () => {
    reply = (request, body, response) => {
      response.setHeader("content-type", "text/event-stream");
      if (request.method === "GET") {
        if (request.headers["last-event-id"] !== "e1") return response.writeHead(405).end();
        return response.end(`id: e2\ndata: {"jsonrpc":"2.0",\ndata: "id":2,"result":{"late":true}}\n\n`);
      }
      const id = idOf(body);
      if (id === undefined) return response.writeHead(202).end();
      if (body.includes("initialize"))
        return response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: initialized })}\n\n`);
      if (id === 2)
        response.write(`retry: 10\nid: e1\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`);
      response.flushHeaders();
      return void setTimeout(() => response.destroy(), 100);
    };
    await open();
    await client.initialize();
    expect((await client.ask("resources/list")).result).toEqual({ late: true });
    expect(client.heard.some(({ method }) => method === "notifications/x")).toBe(true);
    expect((await client.ask("resources/list")).error?.message).toMatch(/broke off/);
  });

  test("nobody there", async () => {
    reply = () => undefined;
    await open();
    await new Promise((resolve) => server.close(resolve));
    expect((await client.ask("ping")).error?.message).toMatch(/cannot be reached/);
    server = createServer();
  });
});

test.each([
  [["--url", "http://example.com/mcp"], /neither https nor on this machine/],
  [["--url", "https://user:secret@example.com/mcp"], /password does not belong/],
  [["--url", "file:///etc/passwd"], /neither https/],
  [["--url", "nonsense"], /no address/],
  [["--url", "https://example.com", "--", "node"], /either/],
  [["--url", "https://example.com", "--header-env", "NONE"], /NONE holds no/],
  [["node", "server.js"], /unexpected argument "node"; the server's command stands behind --/],
  [[], /name either/],
])("a command line that cannot be meant is refused: %j", async (args, why) => {
  const client = startServer({ built, place, program: [join(built, "cli.js"), "mcp", "proxy", ...args] });
  expect(await client.ended()).toBe(2);
  expect(client.stderr()).toMatch(why);
});

describe("events", () => {
  const cut = (chunks: readonly string[], limit = 100): { events: SentEvent[]; oversized: number } => {
    const events: SentEvent[] = [];
    let oversized = 0;
    const cutter = createEventCutter({
      onEvent: (event) => events.push(event),
      limit,
      onOversized: () => (oversized += 1),
    });
    for (const chunk of chunks) cutter.push(chunk);
    return { events, oversized };
  };

  test.each([
    [["data: a\n\n"], [{ data: "a" }]],
    [["data:a\r\n\r\ndata: b\r\r"], [{ data: "a" }, { data: "b" }]],
    [["da", "ta: a\ndata: b\r", "\n\r", "\n"], [{ data: "a\nb" }]],
    [
      [": note\nevent: message\nid: 7\ndata: a\n\ndata: b\n\n"],
      [
        { data: "a", id: "7" },
        { data: "b", id: "7" },
      ],
    ],
    [["data: never closed\n"], []],
    [["\n\nid: 1\n\n"], []],
  ])("%j", (chunks, events) => {
    expect(cut(chunks).events).toEqual(events);
  });

  test("one over the limit is dropped, and the next is whole", () => {
    const long = `data: ${"x".repeat(101)}\n\n`;
    expect(cut([long, "data: a\n\n"])).toEqual({ events: [{ data: "a" }], oversized: 1 });
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
