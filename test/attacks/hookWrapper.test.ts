/** Silence must never mean allow: whatever breaks between the host and our verdict, the tool does not run. */
import { chmodSync, chownSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BrokerAnswer, BrokerRequest } from "../../src/agents/hookRequest";
import { type Broker, startBroker } from "../../src/node/broker";
import { requestLine } from "../../src/node/brokerWire";
import { writeLocator, writeRuntime } from "../../src/node/locator";
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
const allowed: BrokerAnswer = { stdout: "" };
let plugin = "";
let broker: Broker;
/** What the broker does with the next requests. */
let handle: (request: BrokerRequest, signal: AbortSignal) => Promise<BrokerAnswer> = async () => allowed;

beforeAll(async () => {
  plugin = await buildPlugin(temp.path);
  broker = await startBroker({
    handle: (request, ctx) => handle(request, ctx.signal),
    log: quietLog,
    folder: temp.path,
    heartbeatMs: 50,
    frameMs: 1_000,
  });
});
afterAll(async () => {
  await broker.close();
  temp.remove();
});

const local = readFileSync(new URL("../agents/fixtures/vscode/local-pre.json", import.meta.url), "utf8");
const agentHost = readFileSync(
  new URL("../agents/fixtures/vscode/agent-host-pre.json", import.meta.url),
  "utf8",
);

function run(
  more: {
    env?: Record<string, string | undefined>;
    input?: string | Buffer;
    line?: string;
    shell?: string;
    cwd?: string;
  } = {},
) {
  const env = {
    HOME: join(temp.path, "nobody"),
    CLAUDE_PLUGIN_ROOT: plugin,
    COUNTERSIGN_NODE: process.execPath,
    COUNTERSIGN_SOCKET: broker.socket,
    COUNTERSIGN_NONCE: broker.nonce,
    ...more.env,
  };
  const { input = local, line = pre, ...rest } = more;
  return runLine({ ...rest, line, input, env });
}

/** Denied in both harnesses, as something broken, with the way out named. */
function expectBroken(ran: Ran, what?: RegExp): void {
  for (const verdict of [asLocal(ran), asAgentHost(ran)]) {
    expect(verdict.decision).toBe("deny");
    expect(verdict.reason).toMatch(/^guard broken: /);
    expect(verdict.reason).toContain("code --uninstall-extension countersign.countersign");
    if (what !== undefined) expect(verdict.reason).toMatch(what);
  }
  expect(ran.code).toBe(0);
  expect(ran.writeError).toBeUndefined();
}

function fakeClient(name: string, script: string): string {
  const path = join(temp.path, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

/** A broker that is not ours: it owns a proper socket and says what it likes. */
async function impostor(
  name: string,
  mode: number,
  talk: (socket: Socket) => void,
): Promise<{ socket: string; server: Server }> {
  const folder = join(temp.path, name);
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(folder, mode);
  const socket = join(folder, "s");
  const server = createServer((connection) => {
    connection.on("error", () => undefined);
    connection.on("data", () => undefined);
    talk(connection);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return { socket, server };
}

test("with nothing broken the call is let through and nothing is said", async () => {
  handle = async () => allowed;
  const ran = await run();
  expect(ran).toMatchObject({ code: 0, stdout: "" });
  expect(asLocal(ran).decision).toBe("none");
});

describe("the interpreter", () => {
  const rows: readonly [string, () => string | undefined][] = [
    ["is /bin/true", () => "/bin/true"],
    ["is /bin/echo", () => "/bin/echo"],
    ["is missing", () => join(temp.path, "no-such-node")],
    ["is a folder", () => temp.path],
    ["is a relative name", () => "node"],
    ["is not named and nothing was noted", () => undefined],
    ["prints nothing", () => fakeClient("silent", "cat >/dev/null; exit 0")],
    [
      "prints an allow of its own",
      () => fakeClient("allow", `cat >/dev/null; echo '{"permissionDecision":"allow"}'`),
    ],
    ["prints garbage", () => fakeClient("garbage", "cat >/dev/null; echo hello")],
    ["prints the token late", () => fakeClient("late", "cat >/dev/null; echo ' CS1 {}'")],
    ["prints the token and fails", () => fakeClient("fails", "cat >/dev/null; printf 'CS1 {}'; exit 1")],
    ["prints the token and is killed", () => fakeClient("killed", "printf 'CS1 {}'; kill -9 $$")],
    ["exits 1", () => fakeClient("one", "exit 1")],
    ["exits 2 in silence", () => fakeClient("two", "exit 2")],
    ["does not read its input", () => fakeClient("deaf", "exit 0")],
  ];
  test.each(rows)("%s", async (_, node) => {
    expectBroken(await run({ env: { COUNTERSIGN_NODE: node() } }), /did not answer/);
  });

  test("is /bin/true, and the input does not fit in a pipe", async () => {
    const input = local.replace("echo RAN", `echo ${"x".repeat(2_000_000)}`);
    expectBroken(await run({ env: { COUNTERSIGN_NODE: "/bin/true" }, input }), /did not answer/);
  });

  test("is the noted one when the environment names none, or one that is gone", async () => {
    const home = join(temp.path, "home-runtime");
    mkdirSync(home);
    writeRuntime(home, process.execPath);
    for (const node of [undefined, "", join(temp.path, "removed-by-an-update")]) {
      handle = async () => allowed;
      expect(await run({ env: { COUNTERSIGN_NODE: node, HOME: home } })).toMatchObject({
        code: 0,
        stdout: "",
      });
    }
    writeRuntime(home, "/bin/true");
    expectBroken(await run({ env: { COUNTERSIGN_NODE: undefined, HOME: home } }), /did not answer/);
  });

  test("the client's file is missing", async () => {
    expectBroken(await run({ env: { CLAUDE_PLUGIN_ROOT: temp.path } }), /did not answer/);
    expectBroken(await run({ env: { CLAUDE_PLUGIN_ROOT: undefined } }), /did not answer/);
  });
});

describe("the environment", () => {
  const marker = () => join(temp.path, "evil-ran");
  test("cannot put code into the runtime or the shell", async () => {
    const evil = join(temp.path, "evil.js");
    writeFileSync(
      evil,
      `require("fs").writeFileSync(${JSON.stringify(marker())},""); process.stdout.write("CS1 "); process.exit(0)`,
    );
    const shellEvil = join(temp.path, "evil.sh");
    writeFileSync(shellEvil, `echo x > ${marker()}; exit 0`);
    handle = async () => ({
      stdout: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}',
    });
    const env = {
      NODE_OPTIONS: `--require ${evil}`,
      NODE_PATH: temp.path,
      BASH_ENV: shellEvil,
      ENV: shellEvil,
    };
    for (const shell of ["/bin/sh", "/bin/bash"]) {
      expect(asLocal(await run({ env, shell })).decision).toBe("deny");
    }
    expect(() => readFileSync(marker())).toThrow("ENOENT");
  });

  test("cannot end the line early", async () => {
    const ran = await run({
      shell: "/bin/bash",
      env: { SHELLOPTS: "errexit:nounset", COUNTERSIGN_NODE: "/bin/false" },
    });
    expectBroken(ran);
  });

  test("names half a broker", async () => {
    expectBroken(await run({ env: { COUNTERSIGN_NONCE: undefined } }), /half of a broker/);
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: "" } }), /half of a broker/);
  });

  test("may shorten our patience, not lengthen it", async () => {
    handle = (_, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(allowed)));
    const ran = await run({
      env: { COUNTERSIGN_HOOK_TOTAL_MS: "400", COUNTERSIGN_HOOK_SILENCE_MS: "99999999" },
    });
    expectBroken(ran, /no verdict in time/);
  });
});

describe("the broker", () => {
  test("is dead: the window named in the environment is gone", async () => {
    const gone = await startBroker({ handle: async () => allowed, log: quietLog, folder: temp.path });
    await gone.close();
    expectBroken(
      await run({ env: { COUNTERSIGN_SOCKET: gone.socket, COUNTERSIGN_NONCE: gone.nonce } }),
      /is missing/,
    );
  });

  test("left its socket behind when it was killed", async () => {
    const { socket, server } = await impostor("stale", 0o700, () => undefined);
    const saved = join(temp.path, "stale-saved");
    mkdirSync(saved, { mode: 0o700 });
    // A hard link keeps the socket's file after its server is gone, as a kill does.
    linkSync(socket, join(saved, "s"));
    await new Promise((resolve) => server.close(resolve));
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: join(saved, "s") } }), /cannot be reached/);
  });

  test("ends while a call is held", async () => {
    const arrived = Promise.withResolvers<void>();
    const ending = await startBroker({
      handle: () => {
        arrived.resolve();
        return new Promise(() => undefined);
      },
      log: quietLog,
      folder: temp.path,
    });
    const held = run({ env: { COUNTERSIGN_SOCKET: ending.socket, COUNTERSIGN_NONCE: ending.nonce } });
    await arrived.promise;
    await ending.close();
    expectBroken(await held, /without a verdict|cannot be reached/);
  });

  test("hangs: no sign of life", async () => {
    const { socket, server } = await impostor("hung", 0o700, () => undefined);
    expectBroken(
      await run({ env: { COUNTERSIGN_SOCKET: socket, COUNTERSIGN_HOOK_SILENCE_MS: "300" } }),
      /does not answer/,
    );
    server.close();
  });

  test("is slow, but alive: the call is held and its verdict counts", async () => {
    handle = () =>
      new Promise((resolve) => setTimeout(() => resolve({ stdout: '{"permissionDecision":"deny"}' }), 900));
    const ran = await run({ env: { COUNTERSIGN_HOOK_SILENCE_MS: "400" } });
    expect(ran.stdout).toBe('{"permissionDecision":"deny"}');
    expect(ran.ms).toBeGreaterThan(890);
  });

  test("throws", async () => {
    handle = async () => {
      throw new Error("no room on the disk");
    };
    expectBroken(await run(), /no room on the disk/);
  });

  const lies: readonly [string, string][] = [
    ["garbage", "hello\n"],
    ["an allow without proof", 'CSB1 {"kind":"answer","answer":{"stdout":""}}\n'],
    ["an allow with a made-up proof", `CSB1 ${"0".repeat(64)} {"kind":"answer","answer":{"stdout":""}}\n`],
    ["an empty line", "\n"],
    ["half a line", "CSB1 "],
    ["nothing", ""],
  ];
  test.each(lies)("answers with %s", async (what, text) => {
    const { socket, server } = await impostor(
      `liar-${what.replaceAll(" ", "-")}`,
      0o700,
      (s) => void s.end(text),
    );
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: socket } }), /does not come from|without a verdict/);
    server.close();
  });

  test("replays an answer of another call", async () => {
    const recorded: string[] = [];
    handle = async () => allowed;
    const request: BrokerRequest = {
      event: "pre",
      agent: "vscode",
      observer: "plugin",
      payload: local,
      cwd: "/",
    };
    await new Promise<void>((resolve) => {
      const socket = connect(broker.socket, () =>
        socket.write(requestLine(broker.nonce, "a".repeat(32), request)),
      );
      socket.on("data", (chunk) => recorded.push(String(chunk))).on("close", () => resolve());
    });
    const { socket, server } = await impostor("replayer", 0o700, (s) => void s.end(recorded.join("")));
    expect(recorded.join("")).toContain('"kind":"answer"');
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: socket } }), /does not come from/);
    server.close();
  });

  test("has a folder that others can enter", async () => {
    const { socket, server } = await impostor("open-folder", 0o755, (s) => void s.end("CS1 {}\n"));
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: socket } }), /open to other users/);
    server.close();
  });

  test.runIf(process.getuid?.() === 0)("has a folder of another user", async () => {
    const { socket, server } = await impostor("their-folder", 0o700, (s) => void s.end("CS1 {}\n"));
    chownSync(join(temp.path, "their-folder"), 12_345, 12_345);
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: socket } }), /belongs to another user/);
    server.close();
  });

  test("is reached through a linked folder", async () => {
    const { socket, server } = await impostor("linked-to", 0o700, (s) => void s.end("CS1 {}\n"));
    symlinkSync(join(temp.path, "linked-to"), join(temp.path, "link"));
    expect(socket).toContain("linked-to");
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: join(temp.path, "link", "s") } }), /is no folder/);
    server.close();
  });

  test("is a plain file", async () => {
    const folder = join(temp.path, "file-folder");
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "s"), "");
    expectBroken(await run({ env: { COUNTERSIGN_SOCKET: join(folder, "s") } }), /is no socket/);
  });

  test("gets a request with another window's nonce", async () => {
    let asked = 0;
    handle = async () => {
      asked += 1;
      return allowed;
    };
    expectBroken(await run({ env: { COUNTERSIGN_NONCE: "f".repeat(64) } }), /does not come from/);
    expect(asked).toBe(0);
  });
});

describe("the input", () => {
  test("2 MiB is judged whole", async () => {
    const payloads: string[] = [];
    handle = async (request) => {
      payloads.push(request.payload);
      return allowed;
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
    expectBroken(
      await run({ input: Buffer.concat([Buffer.from(local), Buffer.from([0xff, 0xfe])]) }),
      /no UTF-8/,
    );
  });

  test("never ends", async () => {
    const { child, ended } = start({
      line: pre,
      input: local.slice(0, 100),
      keepOpen: "yes",
      env: {
        HOME: temp.path,
        CLAUDE_PLUGIN_ROOT: plugin,
        COUNTERSIGN_NODE: process.execPath,
        COUNTERSIGN_HOOK_READ_MS: "500",
      },
    });
    expectBroken(await ended, /did not end/);
    child.stdin?.destroy();
  });
});

describe("locators", () => {
  function home(name: string): string {
    const path = join(temp.path, name);
    mkdirSync(path);
    return path;
  }
  const unnamed = { COUNTERSIGN_SOCKET: undefined, COUNTERSIGN_NONCE: undefined };
  const fields = () => ({ pid: process.pid, socket: broker.socket, nonce: broker.nonce });

  test("lead a process outside the editor to the window that has the folder", async () => {
    const there = home("h1");
    handle = async () => ({ stdout: '{"modifiedArgs":{}}' });
    writeLocator(there, { ...fields(), folders: ["/home/ann/shop"] });
    expect((await run({ input: agentHost, env: { ...unnamed, HOME: there } })).stdout).toBe(
      '{"modifiedArgs":{}}',
    );
  });

  test("of no window that has the folder", async () => {
    const there = home("h2");
    writeLocator(there, { ...fields(), folders: ["/home/ann/shopping", "/home/ann/shop/sub"] });
    expectBroken(await run({ input: agentHost, env: { ...unnamed, HOME: there } }), /no open window/);
    expectBroken(await run({ input: agentHost, env: { ...unnamed, HOME: home("h3") } }), /no open window/);
  });

  test("that others could have written are not followed", async () => {
    const there = home("h4");
    handle = async () => allowed;
    writeLocator(there, { ...fields(), folders: ["/home/ann/shop"] });
    const file = join(there, ".countersign", "windows", `${process.pid}.json`);
    chmodSync(file, 0o644);
    expectBroken(await run({ input: agentHost, env: { ...unnamed, HOME: there } }), /no open window/);
    chmodSync(file, 0o600);
    expect(await run({ input: agentHost, env: { ...unnamed, HOME: there } })).toMatchObject({ stdout: "" });
    chmodSync(join(there, ".countersign", "windows"), 0o755);
    expectBroken(await run({ input: agentHost, env: { ...unnamed, HOME: there } }), /no open window/);
  });

  test("whose window is dead are skipped, those whose broker is dead deny", async () => {
    const there = home("h5");
    writeLocator(there, { ...fields(), pid: 2 ** 22 + 1, folders: ["/home/ann/shop"] });
    expectBroken(await run({ input: agentHost, env: { ...unnamed, HOME: there } }), /no open window/);
    writeLocator(there, {
      ...fields(),
      socket: join(temp.path, "countersign-1-x", "s"),
      folders: ["/home/ann/shop"],
    });
    expectBroken(await run({ input: agentHost, env: { ...unnamed, HOME: there } }), /is missing/);
  });

  test("do not outrank the window that started us", async () => {
    const there = home("h6");
    handle = async () => ({ stdout: '{"permissionDecision":"deny"}' });
    const { socket, server } = await impostor("lure", 0o700, (s) => void s.end("hello\n"));
    writeLocator(there, { pid: process.pid, socket, nonce: "0".repeat(64), folders: ["/home/ann/shop"] });
    expect((await run({ env: { HOME: there } })).stdout).toBe('{"permissionDecision":"deny"}');
    server.close();
  });
});

describe("stopping", () => {
  const shells = ["/bin/sh", "/bin/bash"];
  test.each(shells)("the host kills %s: the broker learns of it within two seconds", async (shell) => {
    const held = deferred();
    const gone = deferred();
    handle = (_, signal) => {
      held.resolve();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          gone.resolve();
          resolve(allowed);
        }),
      );
    };
    const env = {
      HOME: temp.path,
      CLAUDE_PLUGIN_ROOT: plugin,
      COUNTERSIGN_NODE: process.execPath,
      COUNTERSIGN_SOCKET: broker.socket,
      COUNTERSIGN_NONCE: broker.nonce,
    };
    const { child } = start({ shell, line: pre, input: local, env });
    await held.promise;
    const killed = performance.now();
    child.kill("SIGKILL");
    await gone.promise;
    expect(performance.now() - killed).toBeLessThan(2_000);
  });
});

describe("events that decide nothing", () => {
  const input = readFileSync(new URL("../agents/fixtures/vscode/local-post.json", import.meta.url), "utf8");
  const line = shippedLine("PostToolUse");
  const rows: readonly [string, () => Record<string, string | undefined>][] = [
    ["all is well", () => ({})],
    ["the interpreter is missing", () => ({ COUNTERSIGN_NODE: join(temp.path, "no-such-node") })],
    [
      "the client prints",
      () => ({ COUNTERSIGN_NODE: fakeClient("chatty", 'echo \'{"decision":"block"}\'; exit 2') }),
    ],
    ["the broker is gone", () => ({ COUNTERSIGN_SOCKET: join(temp.path, "gone", "s") })],
    ["the broker denies", () => ({})],
  ];
  test.each(rows)("never block or fail: %s", async (name, env) => {
    handle = async () =>
      name === "the broker denies" ? { stdout: '{"decision":"block"}', exitCode: 2 } : allowed;
    const ran = await run({ line, input, env: env() });
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    expect(ran.writeError).toBeUndefined();
  });

  test("a large result and no client: the host's write does not fail", async () => {
    const large = input.replace('"tool_response": ""', `"tool_response": "${"x".repeat(3_000_000)}"`);
    const ran = await run({ line, input: large, env: { COUNTERSIGN_NODE: "/bin/true" } });
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    expect(ran.writeError).toBeUndefined();
  });
});
