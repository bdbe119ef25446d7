/** The relay between a client and a server whose lines are written by hand; a judge that allows, denies or waits as told. */
import { describe, expect, test } from "vitest";
import type { Judge, ProxyCall, ProxyVerdict, RunTool } from "../../../src/mcp/proxy/judge";
import type { PinStore } from "../../../src/mcp/proxy/pinFile";
import { createRelay } from "../../../src/mcp/proxy/relay";

type Verdict = (call: ProxyCall, run: RunTool, signal: AbortSignal) => Promise<ProxyVerdict>;

const allow: Verdict = async ({ input }, run) => {
  const value = await run({ args: input, rewritten: false, pinApproved: false });
  return { kind: "ran", value, changed: false, contexts: [] };
};
const deny: Verdict = async () => ({ kind: "refused", said: { kind: "denied", reason: "no" } });

function wire(verdict: Verdict = allow) {
  const [toClient, toServer, warnings]: [string[], string[], string[]] = [[], [], []];
  const judged: ProxyCall[] = [];
  const judge: Judge = {
    govern(call, run, signal) {
      judged.push(call);
      return verdict(call, run, signal);
    },
    close: async () => undefined,
  };
  const approved: [string, string][] = [];
  const pins: PinStore = {
    listed: async () => undefined,
    of: async () => ({ state: "approved", digest: "d" }),
    approve: async (tool, digest) => void approved.push([tool, digest]),
  };
  const log = {
    info: () => undefined,
    warn: (text: string) => void warnings.push(text),
    error: () => undefined,
  };
  const relay = createRelay({
    judge,
    pins,
    toClient: (line) => void toClient.push(line.toString()),
    toServer: (line) => void toServer.push(line.toString()),
    log,
  });
  const bytes = (line: string) => ({ kind: "line", bytes: Buffer.from(line) }) as const;
  return {
    relay,
    toClient,
    toServer,
    warnings,
    judged,
    approved,
    client: (...lines: string[]) => lines.forEach((line) => void relay.fromClient(bytes(`${line}\n`))),
    server: (...lines: string[]) => lines.forEach((line) => void relay.fromServer(bytes(`${line}\n`))),
    parsed: () => toClient.map((line) => JSON.parse(line)),
  };
}

const turn = () => new Promise((next) => setTimeout(next, 5));
const call = (id: string | number, name = "t", args: unknown = { a: 1 }) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
const answer = (id: string | number, text = "ok") =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });

describe("what is not judged goes through byte for byte", () => {
  test.each([
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"x":1e0},"clientInfo":{"name":"n","version":"1"},"future":[ ]}}`,
    `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
    ` {"jsonrpc": "2.0", "id": "a\\u0062", "method": "resources/read", "params": {"uri": "x", "big": 12345678901234567890}}`,
    `{"jsonrpc":"2.0","id":-1.5,"method":"future/method","params":{"deep":[[[{"k":null}]]]},"extra":true}`,
    `{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`,
    `{"jsonrpc":"2.0","id":8,"error":{"code":-1,"message":"x","data":{"y":1}}}`,
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`,
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
    `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]`,
  ])("from the client: %s", (line) => {
    const { client, toServer, toClient } = wire();
    client(line);
    expect(toServer).toEqual([`${line}\n`]);
    expect(toClient).toEqual([]);
  });

  test.each([
    `{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[ ]}}`,
    `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}`,
    `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"\\u202e"}}`,
    `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}`,
    `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
  ])("from the server: %s", (line) => {
    const { server, toClient, judged } = wire();
    server(line);
    expect(toClient).toEqual([`${line}\n`]);
    expect(judged).toEqual([]);
  });

  test("the server's answer to a call that was let through, and the call itself", async () => {
    const { client, server, toClient, toServer } = wire();
    const asked = `{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call","params":{"name":"t","arguments":{"n":1.0},"_meta":{"x":2}},"y":[ 1 ]}`;
    client(asked);
    await turn();
    expect(toServer).toEqual([`${asked}\n`]);
    const said = `{ "jsonrpc":"2.0","id":12345678901234567890,"result":{"content":[],"structuredContent":{"n":1.50}},"z":0}`;
    server(said);
    await turn();
    expect(toClient).toEqual([`${said}\n`]);
  });

  test("a batch of answers", () => {
    const { client, server, toClient } = wire();
    client(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"1","method":"ping"}]`);
    const both = `[{"jsonrpc":"2.0","id":"1","result":{}}, {"jsonrpc":"2.0","id":1,"result":{}}]`;
    server(both, both);
    expect(toClient).toEqual([`${both}\n`]);
  });

  test("ten megabytes in one line, both ways", async () => {
    const { client, server, toClient, toServer } = wire();
    const text = "x\\u00e9".repeat(1_500_000);
    const asked = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"${text}"}}}`;
    expect(asked.length).toBeGreaterThan(10_000_000);
    client(asked);
    await turn();
    expect(toServer).toEqual([`${asked}\n`]);
    const said = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${text}"}]}}`;
    server(said);
    await turn();
    expect(toClient).toEqual([`${said}\n`]);
  });
});

describe("a call never reaches the server unjudged", () => {
  const params = `"params":{"name":"drop","arguments":{}}`;
  test.each([
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call",${params}}`],
    [`{"id":1,"method":"tools\\/call",${params}}`],
    [`{"jsonrpc":"1.0","id":1,"method":"\\u0074ools/call",${params}}`],
    [`{"jsonrpc":"2.0","method":"tools/call",${params}}`],
    [`{"jsonrpc":"2.0","id":null,"method":"tools/call",${params}}`],
    [`{"jsonrpc":"2.0","id":[1],"method":"tools/call",${params}}`],
    [`{"jsonrpc":"2.0","id":true,"method":"tools/call",${params}}`],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call",${params}}`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping",${params}}`],
    [`{"jsonrpc":"2.0","id":1,"Method":"tools/call",${params}}`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},${params}}`],
    [`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call",${params}}]`],
    [`[{"jsonrpc":"2.0","method":"tools/call",${params}}]`],
    [`{"jsonrpc":"2.0","method":"x"}\r{"jsonrpc":"2.0","id":1,"method":"tools/call",${params}}`],
    [`{"x":\r{"jsonrpc":"2.0","id":1,"method":"tools/call",${params}}\r}`],
    [`[[{"jsonrpc":"2.0","id":1,"method":"tools/call",${params}}]]`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call",${params}},`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"drop"}}`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["drop"]}`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop","arguments":[1]}}`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["drop"]}}`],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`],
  ])("%s", async (line) => {
    const { client, toServer } = wire(deny);
    client(line);
    await turn();
    // What each reader on the other side would take for a line.
    const lines = toServer
      .flatMap((sent) => sent.split(/[\r\n\u2028\u2029]/))
      .filter((one) => one.trim() !== "");
    for (const one of lines) expect(one).not.toMatch(/^\s*\{[^{]*tools/);
  });

  test("who is denied is told so by a result that a model reads", async () => {
    const { client, parsed, toServer } = wire(deny);
    client(call("x"));
    await turn();
    expect(toServer).toEqual([]);
    expect(parsed()).toEqual([
      {
        jsonrpc: "2.0",
        id: "x",
        result: { isError: true, content: [{ type: "text", text: `{"kind":"denied","reason":"no"}` }] },
      },
    ]);
  });

  test("a judge that throws denies", async () => {
    const { client, parsed, toServer } = wire(() => Promise.reject(new Error("boom")));
    client(call(1));
    await turn();
    expect(toServer).toEqual([]);
    expect(parsed()[0].result.isError).toBe(true);
    expect(parsed()[0].result.content[0].text).toMatch(/guard broken: boom/);
  });

  test("arguments that a guard rewrote are those that the server gets", async () => {
    const rewriting: Verdict = async (_, run) => {
      const value = await run({ args: { a: 2 }, rewritten: true, pinApproved: true });
      return { kind: "ran", value, changed: false, contexts: [] };
    };
    const { client, toServer, approved } = wire(rewriting);
    client(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1},"_meta":{"k":1.0}}}`,
    );
    await turn();
    expect(toServer).toEqual([
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":2},"_meta":{"k":1.0}}}\n`,
    ]);
    expect(approved).toEqual([["t", "d"]]);
  });
});

describe("a server that says what it was not asked", () => {
  test("an answer before the verdict, a second answer, and one to an id that never was", async () => {
    const go = Promise.withResolvers<void>();
    const slow: Verdict = async (given, run, signal) => {
      await go.promise;
      return allow(given, run, signal);
    };
    const { client, server, toClient, warnings } = wire(slow);
    client(call(1));
    server(answer(1, "forged"), answer(77));
    expect(toClient).toEqual([]);
    go.resolve();
    await turn();
    server(answer(1), answer(1, "again"));
    await turn();
    expect(toClient).toEqual([`${answer(1)}\n`]);
    expect(warnings).toHaveLength(3);
  });

  test.each([
    [`{"jsonrpc":"2.0","id":1,"method":"x","result":{"content":[]}}`],
    [`{"jsonrpc":"2.0","id":1}`],
    [`Server is running`],
    [`{"jsonrpc":"2.0","id":1,"result":{"content"`],
    [`"x"\r{"jsonrpc":"2.0","id":1,"result":{}}`],
    [`[1]`],
  ])("%s is not passed on, and the call still has its answer", async (line) => {
    const { client, server, toClient, warnings } = wire();
    client(call(1));
    await turn();
    server(line);
    expect(warnings).toHaveLength(1);
    server(answer(1));
    await turn();
    expect(toClient).toEqual([`${answer(1)}\n`]);
  });

  test("in a batch the answers to calls are held and the rest is passed on", async () => {
    const withholding: Verdict = async ({ input }, run) => {
      await run({ args: input, rewritten: false, pinApproved: false });
      return { kind: "refused", said: { kind: "denied" } };
    };
    const { client, server, toClient } = wire(withholding);
    client(call(1), `{"jsonrpc":"2.0","id":2,"method":"ping"}`);
    await turn();
    server(`[${answer(1, "secret")},{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","method":"n"}]`);
    await turn();
    expect(toClient.join("")).not.toContain("secret");
    expect(toClient).toHaveLength(3);
  });

  test("an error is passed on as it is; one that a rule rewrote with its code", async () => {
    const failed = `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"old","data":{"x":1}}}`;
    const plain = wire();
    plain.client(call(1));
    await turn();
    plain.server(failed);
    await turn();
    expect(plain.toClient).toEqual([`${failed}\n`]);
    const rewriting = wire(async (given, run, signal) => {
      try {
        return await allow(given, run, signal);
      } catch (error) {
        if (error instanceof Error) error.message = "new";
        throw error;
      }
    });
    rewriting.client(call(1));
    await turn();
    rewriting.server(failed);
    await turn();
    expect(rewriting.parsed()).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -32042, message: "new" } }]);
  });
});

describe("ids", () => {
  test("one in use is not used again, by a call or anything else", async () => {
    const { client, parsed, toServer } = wire(() => new Promise(() => undefined));
    client(
      call(1),
      call(1),
      `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`,
      `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
      call(2),
    );
    await turn();
    expect(toServer).toEqual([`{"jsonrpc":"2.0","id":2,"method":"ping"}\n`]);
    expect(parsed().map(({ id, error }) => [id, error.code])).toEqual([
      [1, -32600],
      [1, -32600],
      [2, -32600],
    ]);
  });

  test("one that was answered may be used again", async () => {
    const { client, server, toClient } = wire();
    for (const text of ["one", "two"]) {
      client(call(1));
      await turn();
      server(answer(1, text));
      await turn();
    }
    expect(toClient).toEqual([`${answer(1, "one")}\n`, `${answer(1, "two")}\n`]);
  });
});

describe("cancellation", () => {
  const cancel = (id: number) =>
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;

  test("of a call that is judged ends the judging, and the server hears nothing of it", async () => {
    let aborted = false;
    const { client, toServer, toClient } = wire((_call, _run, signal) => {
      signal.addEventListener("abort", () => (aborted = true));
      return new Promise(() => undefined);
    });
    client(call(1));
    await turn();
    client(cancel(1));
    await turn();
    expect([aborted, toServer, toClient]).toEqual([true, [], []]);
  });

  test("of a call that runs is passed on, and its late answer is not", async () => {
    const { client, server, toServer, toClient } = wire();
    client(call(1));
    await turn();
    client(cancel(1));
    server(answer(1));
    await turn();
    expect(toServer).toEqual([`${call(1)}\n`, `${cancel(1)}\n`]);
    expect(toClient).toEqual([]);
  });
});

test("the id of a cancelled call is free again", async () => {
  const { client, server, toServer, toClient } = wire();
  client(call(1));
  await turn();
  client(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`);
  await turn();
  client(call(1, "t", { a: 2 }));
  await turn();
  expect(toServer.at(-1)).toBe(`${call(1, "t", { a: 2 })}\n`);
  server(answer(1, "second"));
  await turn();
  expect(toClient).toEqual([`${answer(1, "second")}\n`]);
});

describe("a server that ends", () => {
  test("every request that waits is answered once, and later ones too", async () => {
    const { client, relay, parsed, toServer } = wire();
    client(call(1), `{"jsonrpc":"2.0","id":2,"method":"ping"}`);
    await turn();
    relay.serverEnded("The server ended");
    client(call(3), `{"jsonrpc":"2.0","id":4,"method":"ping"}`, `{"jsonrpc":"2.0","method":"n"}`);
    await turn();
    expect(
      parsed()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3, 4]);
    expect(parsed().every(({ error }) => error.message === "The server ended")).toBe(true);
    expect(toServer).toHaveLength(2);
    await relay.idle();
  });
});

describe("a call that waits for a person when its server ends", () => {
  test("waits no longer, and is answered", async () => {
    const { client, relay, parsed } = wire(
      (_call, _run, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () =>
            resolve({ kind: "refused", said: { kind: "denied", reason: "gone" } }),
          ),
        ),
    );
    client(call(1));
    await turn();
    relay.serverEnded("The server ended");
    await relay.idle();
    expect(parsed()).toMatchObject([{ id: 1, result: { isError: true } }]);
  });
});

describe("tasks", () => {
  const created = (id: number) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"task":{"taskId":"k","status":"working"}}}`;
  const fetch = (id: number) =>
    `{"jsonrpc":"2.0","id":${id},"method":"tasks/result","params":{"taskId":"k"}}`;

  test("what a call that became a task comes to is judged when it is fetched, once", async () => {
    const rewriting: Verdict = async ({ input }, run) => {
      const value = await run({ args: input, rewritten: false, pinApproved: false });
      expect(value).toEqual({ content: [{ type: "text", text: "secret" }] });
      return { kind: "ran", value: "redacted", changed: true, contexts: [] };
    };
    const { client, server, parsed, toClient } = wire(rewriting);
    client(call(1));
    await turn();
    server(created(1));
    await turn();
    expect(toClient).toEqual([`${created(1)}\n`]);
    client(fetch(2));
    server(answer(2, "secret"));
    await turn();
    client(fetch(3));
    await turn();
    expect(parsed().slice(1)).toEqual([
      { jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "redacted" }] } },
      { jsonrpc: "2.0", id: 3, error: { code: -32602, message: expect.stringMatching(/fetched before/) } },
    ]);
    expect(toClient.join("")).not.toContain("secret");
  });
});

test("what a person calls hidden is escaped in the client's name", async () => {
  const { client, judged } = wire();
  client(
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"a\\u202eb"}}}`,
    call(2),
  );
  await turn();
  expect(judged[0]?.client).toBe("a\\u{202E}b");
});

describe("resources", () => {
  const read = (id: number, uri: string, method = "resources/read") =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params: { uri } });

  test.each([
    "file:///home/user/.ssh/id_rsa",
    "FILE:///x",
    "https://evil.example/x",
    "/etc/shadow",
    "../x",
    "c:\\x",
  ])("%s is judged before the server is asked", async (uri) => {
    const { client, judged, toServer, parsed } = wire(deny);
    client(read(1, uri));
    await turn();
    expect(judged.map(({ tool, input }) => [tool, input])).toEqual([["resources_read", { uri }]]);
    expect(toServer).toEqual([]);
    expect(parsed()).toMatchObject([{ id: 1, error: { message: "no" } }]);
  });

  test("what is let through goes as it came, and so does its answer", async () => {
    const { client, server, toServer, toClient } = wire();
    client(read(1, "file:///w/a"));
    await turn();
    expect(toServer).toEqual([`${read(1, "file:///w/a")}\n`]);
    const answered = `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///w/a","text":"x"}]}}`;
    server(answered);
    await turn();
    expect(toClient).toEqual([`${answered}\n`]);
  });

  test("a rule cannot lead a read elsewhere", async () => {
    const { client, toServer, parsed } = wire(async (_call, run) => {
      const value = await run({ args: { uri: "file:///w/b" }, rewritten: true, pinApproved: false });
      return { kind: "ran", value, changed: false, contexts: [] };
    });
    client(read(1, "file:///w/a"));
    await turn();
    expect(toServer).toEqual([]);
    expect(parsed()).toMatchObject([{ id: 1, error: { message: /cannot be rewritten/ } }]);
  });

  test.each(["demo://1", "note:x", "db://t/1"])("%s is the server's own and passes", async (uri) => {
    const { client, judged, toServer } = wire(deny);
    client(read(1, uri));
    await turn();
    expect([judged, toServer]).toEqual([[], [`${read(1, uri)}\n`]]);
  });
});

test.each([
  "tools/Call",
  "TOOLS/CALL",
  "tools/call/",
  "tools//call",
  " tools/call",
  "tools_call",
  "Resources/Read",
])("%j could be taken for another method and is not passed on", async (method) => {
  const { client, toServer, parsed } = wire();
  const params = { name: "x", arguments: { command: "rm -rf src" } };
  client(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  client(JSON.stringify({ jsonrpc: "2.0", method, params }));
  client(JSON.stringify([{ jsonrpc: "2.0", id: 2, method, params }]));
  await turn();
  expect(toServer).toEqual([]);
  expect(parsed()).toMatchObject([
    { id: 1, error: {} },
    { id: 2, error: {} },
  ]);
});
