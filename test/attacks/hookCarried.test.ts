/** The plugin's line where curl carries the call to the window: silence, garbage and strangers' sockets must never mean allow. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrokerAnswer, BrokerRequest } from "../../src/agents/hookRequest";
import { type Broker, startBroker } from "../../src/node/broker";
import {
  asAgentHost,
  asLocal,
  buildPlugin,
  deferred,
  type Ran,
  runLine,
  shippedLine,
  start,
  tempFolder,
} from "../agents/pluginBench";
import { quietLog } from "../core/fixtures";

const temp = tempFolder();
const pre = shippedLine("PreToolUse");
const deny = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}';
let plugin = "";
let broker: Broker;
let handle: (request: BrokerRequest, signal: AbortSignal) => Promise<BrokerAnswer>;

beforeAll(async () => {
  plugin = await buildPlugin(temp.path);
  broker = await startBroker({
    handle: (request, ctx) => handle(request, ctx.signal),
    log: quietLog,
    folder: temp.path,
    heartbeatMs: 50,
  });
});
afterAll(async () => {
  await broker.close();
  temp.remove();
});

const local = readFileSync(new URL("../agents/fixtures/vscode/local-pre.json", import.meta.url), "utf8");

/** No runtime: what is not carried by curl is denied by the line itself. */
const carried = () => ({
  HOME: join(temp.path, "nobody"),
  CLAUDE_PLUGIN_ROOT: plugin,
  COUNTERSIGN_NODE: "/bin/false",
  COUNTERSIGN_SOCKET: broker.socket,
  COUNTERSIGN_NONCE: broker.nonce,
  COUNTERSIGN_HTTP: broker.http,
});

function run(
  more: {
    env?: Record<string, string | undefined>;
    input?: string | Buffer;
    line?: string;
    shell?: string;
    cwd?: string;
  } = {},
): Promise<Ran> {
  const { env, input = local, line = pre, ...rest } = more;
  return runLine({ ...rest, line, input, env: { ...carried(), ...env } });
}

function expectBroken(ran: Ran, what?: RegExp): void {
  for (const verdict of [asLocal(ran), asAgentHost(ran)]) {
    expect(verdict.decision).toBe("deny");
    expect(verdict.reason).toMatch(/^guard broken: /);
    if (what !== undefined) expect(verdict.reason).toMatch(what);
  }
  expect(ran.code).toBe(0);
  expect(ran.writeError).toBeUndefined();
}

async function impostor(
  name: string,
  talk: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ http: string; server: Server; folder: string }> {
  const folder = join(temp.path, name);
  mkdirSync(folder, { mode: 0o700 });
  const http = join(folder, "h");
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => talk(request, response));
  });
  await new Promise<void>((resolve) => server.listen(http, resolve));
  return { http, server, folder };
}

describe.each(["/bin/sh", "/bin/bash"])("through %s", (shell) => {
  test("the window sees the call as the plugin's, and its words come back whole", async () => {
    const seen: BrokerRequest[] = [];
    for (const stdout of ["", deny, `{"x":"${"é".repeat(40_000)}"}`]) {
      handle = async (request) => {
        seen.push(request);
        return { stdout };
      };
      expect(await run({ shell, cwd: temp.path })).toMatchObject({ code: 0, stdout, stderr: "" });
    }
    const [first] = seen;
    expect(first).toMatchObject({ event: "pre", agent: "vscode", observer: "plugin", payload: local });
    expect(first?.cwd).toBe(temp.path);
  });

  test("a call is held until a person has answered", async () => {
    handle = () => new Promise((resolve) => setTimeout(() => resolve({ stdout: deny }), 2_500));
    const ran = await run({ shell });
    expect(ran.stdout).toBe(deny);
    expect(ran.ms).toBeGreaterThan(2_400);
  });

  test("the host kills the shell: the broker learns of it", async () => {
    const held = deferred();
    const gone = deferred();
    handle = (_, signal) => {
      held.resolve();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          gone.resolve();
          resolve({ stdout: "" });
        }),
      );
    };
    const { child } = start({ shell, line: pre, input: local, env: carried() });
    await held.promise;
    const killed = performance.now();
    child.kill("SIGKILL");
    await gone.promise;
    // The next two signs of life.
    expect(performance.now() - killed).toBeLessThan(6_000);
  });
});

test("an answer by exit code is none of this host's", async () => {
  handle = async () => ({ stdout: "", stderr: "no", exitCode: 2 });
  expectBroken(await run(), /did not answer/);
});

test("a handler that throws denies and says why", async () => {
  handle = async () => {
    throw new Error("no room on the disk");
  };
  expectBroken(await run(), /no room on the disk/);
});

test("the broker ends while a call is held", async () => {
  const arrived = deferred();
  const ending = await startBroker({
    handle: () => {
      arrived.resolve();
      return new Promise(() => undefined);
    },
    log: quietLog,
    folder: temp.path,
  });
  const held = run({ env: { COUNTERSIGN_HTTP: ending.http } });
  await arrived.promise;
  await ending.close();
  expectBroken(await held, /did not answer/);
});

describe("what is not the window's word", () => {
  const rows: readonly [string, (request: IncomingMessage, response: ServerResponse) => void][] = [
    ["nothing", (_, response) => void response.end("")],
    ["garbage", (_, response) => void response.end("hello")],
    ["an allow without the token", (_, response) => void response.end('{"permissionDecision":"allow"}')],
    ["the token cut short", (_, response) => void response.end("CS1 0")],
    ["the token in another place", (_, response) => void response.end("x CS1 0 ")],
    ["the token behind a line end", (_, response) => void response.end("\nCS1 0 ")],
    ["the token with another code", (_, response) => void response.end("CS1 1 ")],
    ["a failure", (_, response) => void response.writeHead(500).end("CS1 0 ")],
    [
      "an answer that breaks off",
      (_, response) => {
        response.write("CS1 0 ");
        setTimeout(() => response.destroy(), 50);
      },
    ],
    ["no answer at all", (_, response) => void response.destroy()],
  ];
  test.each(rows)("%s", async (what, talk) => {
    const { http, server } = await impostor(`liar-${what.replaceAll(" ", "-")}`, talk);
    expectBroken(await run({ env: { COUNTERSIGN_HTTP: http } }), /did not answer/);
    server.close();
  });
});

describe("a socket that others could have put there is not spoken to", () => {
  let asked = 0;
  const stranger = (name: string) =>
    impostor(name, (_, response) => {
      asked += 1;
      response.end("CS1 0 ");
    });
  const rows: readonly [string, (own: { http: string; folder: string }) => string][] = [
    [
      "its folder is open to others",
      ({ http, folder }) => {
        chmodSync(folder, 0o750);
        return http;
      },
    ],
    [
      "its folder may be written to by all",
      ({ http, folder }) => {
        chmodSync(folder, 0o707);
        return http;
      },
    ],
    [
      "its folder is a link",
      ({ folder }) => {
        symlinkSync(folder, `${folder}-link`);
        return join(`${folder}-link`, "h");
      },
    ],
    [
      "it is a link",
      ({ http, folder }) => {
        mkdirSync(`${folder}-own`, { mode: 0o700 });
        symlinkSync(http, join(`${folder}-own`, "h"));
        return join(`${folder}-own`, "h");
      },
    ],
    ["it is named by a relative path", ({ http }) => http.slice(1)],
    [
      "it is no socket",
      ({ folder }) => {
        writeFileSync(join(folder, "plain"), "");
        return join(folder, "plain");
      },
    ],
  ];
  test.each(rows)("%s", async (what, place) => {
    const own = await stranger(what.replaceAll(" ", "-"));
    expectBroken(await run({ cwd: "/", env: { COUNTERSIGN_HTTP: place(own) } }), /did not answer/);
    expect(asked).toBe(0);
    own.server.close();
  });

  test("then the client in the runtime asks the window", async () => {
    const own = await stranger("open-but-there-is-a-runtime");
    chmodSync(own.folder, 0o755);
    handle = async () => ({ stdout: deny });
    const env = { COUNTERSIGN_HTTP: own.http, COUNTERSIGN_NODE: process.execPath };
    expect((await run({ env })).stdout).toBe(deny);
    expect(asked).toBe(0);
    own.server.close();
  });
});

describe("the input", () => {
  test("2 MiB is judged whole", async () => {
    const payloads: string[] = [];
    handle = async (request) => {
      payloads.push(request.payload);
      return { stdout: "" };
    };
    const input = local.replace("echo RAN", `echo ${'\\"'.repeat(1024 * 1024)}`);
    expect(await run({ input })).toMatchObject({ code: 0, stdout: "" });
    expect(payloads).toEqual([input]);
  });

  test("9 MiB is over the cap, and is read to its end", async () => {
    const input = local.replace("echo RAN", `echo ${"x".repeat(9 * 1024 * 1024)}`);
    expectBroken(await run({ input }), /over 8388608 bytes/);
  });

  test("is no UTF-8", async () => {
    const input = Buffer.concat([Buffer.from(local), Buffer.from([0xff, 0xfe])]);
    expectBroken(await run({ input }), /no UTF-8/);
  });
});

test("a folder's name puts no header of its own into the request", async () => {
  const folder = join(temp.path, "a\r\nX-Cwd: etc\r\nX");
  mkdirSync(folder);
  let cwd: string | undefined;
  handle = async (request) => {
    cwd = request.cwd;
    return { stdout: deny };
  };
  expect((await run({ cwd: folder })).stdout).toBe(deny);
  expect(cwd).toBe("");
});

test("settings of curl in the environment and the home folder do not count", async () => {
  const home = join(temp.path, "curl-home");
  mkdirSync(home);
  writeFileSync(join(home, ".curlrc"), 'url = "http://127.0.0.1:9/"\noutput = "/dev/null"\n');
  handle = async () => ({ stdout: deny });
  const env = {
    HOME: home,
    CURL_HOME: home,
    http_proxy: "http://127.0.0.1:9",
    ALL_PROXY: "http://127.0.0.1:9",
  };
  expect((await run({ env })).stdout).toBe(deny);
});

test("events that decide nothing say nothing, whatever comes back", async () => {
  const input = readFileSync(new URL("../agents/fixtures/vscode/local-post.json", import.meta.url), "utf8");
  const seen: BrokerRequest[] = [];
  handle = async (request) => {
    seen.push(request);
    return { stdout: '{"decision":"block"}', exitCode: 2 };
  };
  const line = shippedLine("PostToolUse");
  expect(await run({ line, input })).toMatchObject({ code: 0, stdout: "" });
  expect(seen[0]).toMatchObject({ event: "post", agent: "vscode", observer: "plugin" });
  const { http, server } = await impostor(
    "post-liar",
    (_, response) => void response.writeHead(500).end("x"),
  );
  expect(await run({ line, input, env: { COUNTERSIGN_HTTP: http } })).toMatchObject({ code: 0, stdout: "" });
  server.close();
});
