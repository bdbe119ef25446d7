import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runHttp } from "../../../src/node/handlers/http";
import { answerOf, atEnd, event, handlerOf, idle, problemsOf, sceneOf, short, until } from "./scene";

/** A real server on this machine; its address. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function rawServing(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).resume();
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const http = (url: string, more = "") => `type = "http", url = "${url}"${more}`;

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const send =
  (status: number, body: string | Buffer, type?: string, more: Record<string, string> = {}): Reply =>
  (response) =>
    void response
      .writeHead(status, { ...(type === undefined ? {} : { "content-type": type }), ...more })
      .end(body);

const JSON_TYPE = "application/json";
const DENY = '{"decision":"deny","reason":"no"}';

const answers: readonly (readonly [string, Reply, string | RegExp])[] = [
  ["204 allows", send(204, ""), "allow"],
  ["200 without a body allows", send(200, ""), "allow"],
  ["JSON is a result", send(200, DENY, JSON_TYPE), "deny: no"],
  ["JSON with a charset", send(200, DENY, "application/json; charset=utf-8"), "deny: no"],
  ["JSON of a dialect", send(200, DENY, "application/vnd.x+json"), "deny: no"],
  ["201 with JSON", send(201, DENY, JSON_TYPE), "deny: no"],
  ["JSON of no named type", send(200, DENY), "deny: no"],
  ["plain text is context", send(200, "hello", "text/plain"), "context: hello"],
  [
    "302",
    send(302, "", undefined, { location: "http://127.0.0.1:1/" }),
    /^failed: the answer was HTTP 302; redirects/,
  ],
  ["307 with an allow", send(307, "{}", JSON_TYPE, { location: "/x" }), /^failed: the answer was HTTP 307/],
  ["304", send(304, ""), "failed: the answer was HTTP 304"],
  ["401", send(401, DENY, JSON_TYPE), "failed: the answer was HTTP 401"],
  ["500 with an allow", send(500, "{}", JSON_TYPE), "failed: the answer was HTTP 500"],
  ["a page", send(200, "<html>sign in</html>", "text/html"), /^failed: the answer is text\/html, not JSON/],
  ["text of no named type", send(200, "hello"), /^failed: the answer is of no named type/],
  ["half JSON", send(200, '{"decision":"al', JSON_TYPE), /^failed: its answer is no JSON/],
  ["wrong types", send(200, '{"decision":1}', JSON_TYPE), /^failed: decision must be/],
  ["a list", send(200, "[1]", JSON_TYPE), /^failed: the answer must be an object/],
  ["text that says it is JSON", send(200, "fine", JSON_TYPE), /^failed: its answer is no JSON/],
  ["no UTF-8", send(200, Buffer.from([0xff, 0xfe]), "text/plain"), "failed: the answer is no UTF-8"],
  [
    "packed",
    send(200, gzipSync(DENY), JSON_TYPE, { "content-encoding": "gzip" }),
    /^failed: the answer is encoded/,
  ],
  ["10 MB", send(200, "x".repeat(1e7), "text/plain"), "failed: the answer is larger than 1 MiB"],
];

describe("what an exchange means", () => {
  it.each(answers)("%s", async (_, reply, wanted) => {
    const url = await serving((request, response) => {
      request.resume().on("end", () => reply(response, request));
    });
    const answer = short(await answerOf(sceneOf([http(url)])));
    if (typeof wanted === "string") expect(answer).toBe(wanted);
    else expect(answer).toMatch(wanted);
  });

  it("posts the event as JSON, with the headers", async () => {
    process.env.HOOK_TOKEN = "s3cret";
    atEnd(() => void delete process.env.HOOK_TOKEN);
    let seen: unknown;
    const url = await serving(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { authorization, "content-type": type } = request.headers;
      seen = {
        method: request.method,
        authorization,
        type,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      };
      response.writeHead(204).end();
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own notation.
    const headers = ', headers = { Authorization = "Bearer ${HOOK_TOKEN}" }';
    expect(short(await answerOf(sceneOf([http(url, headers)])))).toBe("allow");
    const type = "application/json; charset=utf-8";
    expect(seen).toEqual({ method: "POST", authorization: "Bearer s3cret", type, body: event });
  });

  it("never follows a redirect", async () => {
    let asked = 0;
    const other = await serving((_, response) => {
      asked++;
      response.end("{}");
    });
    const url = await serving((_, response) => void response.writeHead(307, { location: other }).end());
    expect(short(await answerOf(sceneOf([http(url)])))).toMatch(/^failed/);
    expect(asked).toBe(0);
  });
});

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

const trickle = (text: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on("close", () => clearInterval(timer));
};

const SLOW = ", timeout = 0.4";
const late = "failed: it did not answer in time and was ended";

const broken: readonly (readonly [string, (socket: Socket) => void, string | RegExp])[] = [
  ["closes at once", (socket) => socket.destroy(), /^failed: the exchange failed/],
  [
    "closes after the request",
    (socket) => void socket.once("data", () => socket.end()),
    /^failed: the exchange failed/,
  ],
  ["says no HTTP", (socket) => void socket.end("hello\r\n\r\n"), /^failed: the exchange failed/],
  [
    "closes in the middle of the answer",
    (socket) => void socket.end(`${HEAD}content-length: 100\r\n\r\n{"decision":"allow"}`),
    /^failed: /,
  ],
  [
    "closes in the middle of a chunk",
    (socket) => void socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"a`),
    /^failed: /,
  ],
  ["never answers", () => undefined, late],
  ["trickles its headers", trickle("x: y\r\n"), /^failed: /],
  [
    "trickles its body",
    (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      trickle("1\r\n \r\n")(socket);
    },
    late,
  ],
  [
    "sends headers without end",
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(50_000)}`),
    /^failed: /,
  ],
  [
    "never ends a flood",
    (socket) => {
      socket.write(`${HEAD}\r\n`);
      const more = () => {
        while (!socket.destroyed && socket.write("x".repeat(65_536)));
      };
      socket.on("drain", more);
      more();
    },
    "failed: the answer is larger than 1 MiB",
  ],
];

describe("a server that is none", () => {
  it.each(broken)("%s", async (_, onSocket, wanted) => {
    let closed = 0;
    const url = await rawServing((socket) => {
      socket.on("close", () => closed++);
      onSocket(socket);
    });
    const answer = short(await answerOf(sceneOf([http(url, SLOW)])));
    if (typeof wanted === "string") expect(answer).toBe(wanted);
    else expect(answer).toMatch(wanted);
    expect(await until(() => closed > 0)).toBe(true);
  });

  it("is not there", async () => {
    const url = await serving(() => undefined);
    const free = url.replace(/:\d+/, ":1");
    expect(short(await answerOf(sceneOf([http(free)])))).toMatch(
      /^failed: the exchange failed: .*ECONNREFUSED/,
    );
  });

  it("is left when the caller goes away", async () => {
    const gone = new AbortController();
    const url = await rawServing((socket) => void socket.once("data", () => gone.abort()));
    const answer = (await handlerOf(sceneOf([http(url)]))).run(event, gone.signal);
    expect(short(await answer)).toBe("failed: it was ended before it answered");
    expect((await (await handlerOf(sceneOf([http(url)]))).run(event, AbortSignal.abort())).kind).toBe(
      "failed",
    );
  });

  it("is this machine, whatever localhost is said to be", async () => {
    const url = await serving((_, response) => void response.writeHead(204).end());
    expect(short(await answerOf(sceneOf([http(url.replace("127.0.0.1", "localhost"))])))).toBe("allow");
    const elsewhere = new URL(url.replace("127.0.0.1", "no-such-host.invalid"));
    expect(short(await runHttp({ name: "guard", url: elsewhere, headers: {} }, event, idle))).toBe("allow");
    expect(
      (await (await handlerOf(sceneOf([http(url)]))).run({ ...event, tool_input: { n: 1n } }, idle)).kind,
    ).toBe("broken");
  });
});

describe("what is refused when the configuration is loaded", () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the file's own notation.
  it.each([
    [
      "a missing variable",
      ', headers = { A = "${NO_SUCH_NAME}" }',
      "the environment has no variable NO_SUCH_NAME",
    ],
    ["a name that is none", ', headers = { A = "${a b}" }', "${a b} names no environment variable"],
    [
      "our own secret",
      ', headers = { A = "${COUNTERSIGN_NONCE}" }',
      "COUNTERSIGN_NONCE is Countersign's own",
    ],
    ["a header of the exchange", ', headers = { Host = "x" }', "Host is set by the exchange itself"],
  ])("%s", async (_, more, message) => {
    process.env.COUNTERSIGN_NONCE = "n0nce";
    atEnd(() => void delete process.env.COUNTERSIGN_NONCE);
    const problems = await problemsOf(sceneOf([http("https://example.com/", more)]));
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
    expect(problems[0]?.line).toBe(4);
    expect(problems[0]?.column).toBeGreaterThan(40);
  });

  it("a header that its variable would split, without telling the value", async () => {
    process.env.HOOK_TOKEN = "a\r\nx: y";
    atEnd(() => void delete process.env.HOOK_TOKEN);
    const [problem] = await problemsOf(
      sceneOf([http("https://example.com/", ', headers = { A = "${HOOK_TOKEN}" }')]),
    );
    expect(problem?.message).toMatch(/Invalid character in header/);
    expect(problem?.message).not.toContain("x: y");
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the file's own notation.
});
