/** A session behind the rules of a run: its tools, and its HTTP API on a real server. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HookError, type HookEvent, type RequestFunction } from "../../src/library";
import { bareRun, rejection } from "./runs";

let server: Server;
let baseUrl = "";
const hits: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = request.url ?? "";
      hits.push(`${request.method} ${url}`);
      const status = Number(/status=(\d+)/.exec(url)?.[1] ?? 200);
      if (url.includes("/moved")) return response.writeHead(302, { location: "/api/elsewhere" }).end();
      if (url.includes("/huge")) return response.end("x".repeat(2_000_000));
      response.writeHead(status, { "content-type": "application/json", "x-from": "server" });
      response.end(JSON.stringify({ url, got: Buffer.concat(chunks).toString() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const answer: RequestFunction = ({ method, path }) => ({
  status: 200,
  body: `${method} ${path}`,
  headers: {},
});

describe("Sessions", () => {
  test("call sends one call of the session's through the tool-call events", async () => {
    const run = bareRun();
    const events: string[] = [];
    for (const event of ["pre_tool_call", "post_tool_call"] as const) {
      run.on(event, (one) => void events.push(`${one.event} ${one.tool_name} ${one.vendor}`));
    }
    const own = {
      results: { lookup: "found" } as Readonly<Record<string, string>>,
      call(name: string, input: object) {
        return { found: this.results[name], input };
      },
    };
    const session = run.session(own, { vendor: "acme" });
    expect(await session.call("lookup", { q: "x" })).toEqual({ found: "found", input: { q: "x" } });
    expect(events).toEqual(["pre_tool_call lookup acme", "post_tool_call lookup acme"]);
  });

  test("toolkit gives the session's functions behind the rules, alone or under impls", async () => {
    const run = bareRun();
    run.on("pre_tool_call", () => ({ decision: "deny", reason: "no" }), { matcher: "shut" });
    const impls = { shut: () => 1, open: () => 2 };
    const plain = await run.session({ toolkit: () => impls }).toolkit();
    const toolkit = async () => ({ definitions: ["d"], impls, runPast: () => impls.shut() });
    const whole = await run.session({ toolkit }).toolkit();
    expect(await plain.open()).toBe(2);
    expect(await rejection(plain.shut())).toMatchObject({ reason: "no" });
    expect(await rejection(whole.impls.shut())).toMatchObject({ reason: "no" });
    expect(whole).toMatchObject({ definitions: ["d"] });
    expect(whole).not.toHaveProperty("runPast");
  });

  test("request goes through pre_request before it is sent and through post_response after it", async () => {
    const run = bareRun();
    const events: HookEvent[] = [];
    run.on("pre_request", (event) => void events.push(event));
    run.on("post_response", (event) => void events.push(event));
    const session = run.session({ vendor: "acme" }, { requestFn: answer });
    await session.request("POST", "/people", { query: { page: 2 }, body: { name: "x" } });
    const request = { method: "POST", path: "/people", query: { page: 2 }, body: { name: "x" } };
    expect(events).toMatchObject([
      { event: "pre_request", vendor: "acme", request },
      { event: "post_response", vendor: "acme", request, response: { status: 200, body: "POST /people" } },
    ]);
  });

  test("request talks to the session's API and returns status, body and headers", async () => {
    const session = bareRun().session({ api: { baseUrl, headers: { authorization: "Bearer t" } } });
    const response = await session.request("put", "/people/1", { query: { a: [1, 2] }, body: { n: 1 } });
    expect(response).toMatchObject({
      status: 200,
      body: { url: "/api/people/1?a=1&a=2", got: '{"n":1}' },
      headers: { "x-from": "server" },
    });
  });

  test("a 4xx or 5xx is returned and not thrown, and rules see it", async () => {
    const run = bareRun();
    const seen: unknown[] = [];
    run.on("post_response", ({ response }) => void seen.push(response?.status));
    const session = run.session({ api: { baseUrl } });
    for (const status of [404, 503]) {
      expect(await session.request("GET", "/x", { query: { status } })).toMatchObject({ status });
    }
    expect(seen).toEqual([404, 503]);
  });

  test("a rule can rewrite a request in part, and a response", async () => {
    const run = bareRun();
    run.on("pre_request", () => ({ updated_request: { path: "/masked" } }));
    run.on("post_response", ({ response }) => ({ updated_response: { body: [response?.body] } }));
    const session = run.session({}, { requestFn: answer });
    expect(await session.request("GET", "/people")).toEqual({
      status: 200,
      body: ["GET /masked"],
      headers: {},
    });
  });

  test("a refused request is not sent, and a refused response is withheld", async () => {
    const run = bareRun();
    run.on("pre_request", () => ({ decision: "deny", reason: "not there" }), { matcher: "/admin.*" });
    run.on("post_response", () => ({ decision: "deny", reason: "leaks" }));
    const session = run.session({ api: { baseUrl } });
    hits.length = 0;
    expect(await rejection(session.request("GET", "/admin/users"))).toMatchObject({ reason: "not there" });
    expect(hits).toEqual([]);
    expect(await rejection(session.request("GET", "/free"))).toMatchObject({ reason: "leaks" });
    expect(run.denials).toMatchObject([{ event: "pre_request" }, { event: "post_response" }]);
  });

  test("context for the agent stands beside the response's keys", async () => {
    const run = bareRun();
    run.on("pre_request", () => ({ additional_context: "cached" }), { name: "note" });
    const response = await run.session({}, { requestFn: answer }).request("GET", "/");
    expect(response).toEqual({
      status: 200,
      body: "GET /",
      headers: {},
      hook_context: ["[hook note] cached"],
    });
  });

  test("a transport of the caller's goes before the session's own and is given the final request", async () => {
    const run = bareRun();
    run.on("pre_request", () => ({ updated_request: { method: "HEAD" } }));
    const own: RequestFunction = () => ({ status: 500, body: null, headers: {} });
    const given: unknown[] = [];
    const session = run.session(
      { request: own },
      {
        requestFn: async (request) => {
          given.push(request);
          return { status: 204, body: null, headers: {} };
        },
      },
    );
    expect((await session.request("GET", "/p")).status).toBe(204);
    expect(given).toEqual([{ method: "HEAD", path: "/p", query: null, body: null }]);
  });

  test("rules see a path in its plain spelling, which is what is sent", async () => {
    const run = bareRun();
    run.on("pre_request", () => ({ decision: "deny", reason: "not there" }), { matcher: "/admin(/.*)?" });
    const sent: unknown[] = [];
    const requestFn: RequestFunction = ({ path, query }) => {
      sent.push([path, query]);
      return { status: 200, body: null, headers: {} };
    };
    const session = run.session({}, { requestFn });
    const hidden = [
      "/admin",
      "admin",
      "/x/../admin",
      "/%61dmin",
      "/x/%2e%2E/admin",
      "/admin?all",
      "/admin#x",
      "//admin",
      "///admin",
      "/\\admin",
      "/a/..//admin",
      "/.//admin",
      "/x/..//./\\/admin",
      "/\t/admin",
      "/admin//users",
    ];
    for (const path of [...hidden, "\\admin", "/./admin/users", "/%2e/admin"]) {
      expect(await rejection(session.request("GET", path)), path).toMatchObject({ reason: "not there" });
    }
    await session.request("GET", "/people%2Fadmin?page=1&page=2&q=a%20b", { query: { q: "c" } });
    expect(sent).toEqual([["/people%2Fadmin", { page: ["1", "2"], q: "c" }]]);
    const api = run.session({ api: { baseUrl } });
    hits.length = 0;
    for (const path of hidden) {
      expect(await rejection(api.request("get", path)), path).toMatchObject({ reason: "not there" });
    }
    expect(hits).toEqual([]);
    await api.request("get", "//people///a");
    expect(hits).toEqual(["GET /api/people/a"]);
  });

  test("a rule's own path and method are seen in their plain spelling by the rules after it", async () => {
    const run = bareRun();
    const seen: unknown[] = [];
    run.on("pre_request", () => ({ updated_request: { path: "/x/..//admin?all=1", method: "delete" } }));
    run.on("pre_request", ({ request }) => {
      seen.push([request?.method, request?.path, request?.query]);
      return null;
    });
    run.on("pre_request", () => ({ decision: "deny", reason: "not there" }), { matcher: "/admin" });
    const session = run.session({}, { requestFn: answer });
    expect(await rejection(session.request("post", "/people"))).toMatchObject({ reason: "not there" });
    expect(seen).toEqual([["DELETE", "/admin", { all: "1" }]]);
  });

  test("a transport may answer with what fetch gives", async () => {
    const requestFn: RequestFunction = ({ path }) => fetch(`${baseUrl}${path}?status=418`);
    expect(await bareRun().session({}, { requestFn }).request("GET", "/tea")).toMatchObject({
      status: 418,
      body: { url: "/api/tea?status=418" },
      headers: { "x-from": "server" },
    });
  });

  test("no path leads out of the session's API, whoever wrote it", async () => {
    const run = bareRun();
    const session = run.session({ api: { baseUrl } });
    const paths = ["/../secret", "/a/../../secret", "/%2e%2e/secret", "..//x", "//evil.example/x"];
    hits.length = 0;
    for (const path of [...paths, "http://evil.example/x", "@evil.example/x", "\\\\evil.example\\x"]) {
      await session.request("GET", path);
    }
    expect(hits).toHaveLength(8);
    expect(hits.every((hit) => hit.startsWith("GET /api/"))).toBe(true);
    run.on("pre_request", ({ request }) => ({ updated_request: { path: String(request?.query?.to) } }));
    hits.length = 0;
    for (const to of paths) await session.request("GET", "/", { query: { to } });
    expect(hits).toHaveLength(5);
    expect(hits.every((hit) => hit.startsWith("GET /api/"))).toBe(true);
    hits.length = 0;
    for (const to of ["/x%2f..%2f..%2fsecret", "/..;/secret", "/%5c..%5Csecret"]) {
      expect(await rejection(session.request("GET", "/", { query: { to } })), to).toBeInstanceOf(HookError);
      expect(await rejection(session.request("GET", to)), to).toBeInstanceOf(HookError);
    }
    expect(hits).toEqual([]);
  });

  test("a redirect is handed back, not followed, and an endless body is an error", async () => {
    const session = bareRun().session({ api: { baseUrl } });
    hits.length = 0;
    expect(await session.request("GET", "/moved")).toMatchObject({ status: 302 });
    expect(hits).toEqual(["GET /api/moved"]);
    expect(await rejection(session.request("GET", "/huge"))).toMatchObject({ message: /1 MiB/ });
  });

  test("what a session does not have is a HookError that says so", async () => {
    const session = bareRun().session({});
    for (const asked of [session.call("t"), session.toolkit(), session.request("GET", "/")]) {
      expect(await rejection(asked)).toMatchObject({ name: "HookError", message: /session has no/ });
    }
  });
});
