/** `countersign mcp` as a process: a person agrees in the window's dialog, and the file then starts the server behind the proxy. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createMcpDoor } from "../../../src/mcp/proxy/door";
import { unwrapPlans } from "../../../src/mcp/wrap/wrappedServers";
import { type Broker, startBroker } from "../../../src/node/broker";
import { createHooks, type Hooks } from "../../../src/node/hooks";
import { removeLocator, writeLocator } from "../../../src/node/locator";
import { nodeIds, sha256 } from "../../../src/node/ports";
import { buildProduct, type Client, makePlace, type Place, startServer } from "../client";

const fixture = join(import.meta.dirname, "../proxy/fixtureServer.mjs");
let built: string;
let place: Place;
let broker: Broker;
let hooks: Hooks;
let asked: { title: string; lines: readonly string[] }[];
let agree: (change: { title: string }) => Promise<boolean>;
beforeAll(() => {
  built = buildProduct();
});
afterAll(() => rmSync(built, { recursive: true, force: true }));
beforeEach(async () => {
  place = makePlace();
  asked = [];
  agree = async () => true;
  hooks = await createHooks({ roots: [place.root], env: {} });
  const log = { info() {}, warn() {}, error() {} };
  const handle = createMcpDoor({
    governor: hooks.governor,
    claim: () => undefined,
    confirm: async (change) => {
      asked.push(change);
      return agree(change);
    },
    hash: sha256,
    ids: nodeIds,
    log,
  });
  broker = await startBroker({ handle, log, folder: place.base, heartbeatMs: 200 });
  const { socket, nonce } = broker;
  writeLocator(place.home, { pid: process.pid, socket, nonce, folders: [place.root] });
});
afterEach(async () => {
  await broker.close();
  await hooks.close();
  place.remove();
});

/** Asynchronous: the broker answers from this very process. */
async function run(...args: string[]): Promise<{ code: number | string; out: string; err: string }> {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, [join(built, "cli.js"), "mcp", ...args], {
    cwd: place.root,
    env: { HOME: place.home, PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | string>((done) =>
    child.on("close", (c, signal) => done(c ?? signal ?? "lost")),
  );
  return { code, out, err };
}

const file = () => join(place.root, ".mcp.json");
const original = () =>
  `{\n  // mine\n  "mcpServers": {\n    "fix": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(fixture)}] }\n  }\n}\n`;

test("wrap, use, unwrap", async () => {
  writeFileSync(file(), original(), { mode: 0o640 });
  chmodSync(file(), 0o640);
  expect((await run("status")).out).toMatch(/Claude Code\s+fix\s+not governed/);
  expect(await run("wrap")).toMatchObject({ code: 0, err: "" });
  expect(asked).toHaveLength(1);
  expect(asked[0]?.title).toBe("Put fix behind Countersign's chain?");
  expect(asked[0]?.lines.filter((line) => /^[+-] /.test(line))).toHaveLength(2);
  expect(statSync(file()).mode & 0o777).toBe(0o640);
  expect((await run("status")).out).toMatch(/fix\s+behind the chain/);
  const { servers } = JSON.parse((await run("status", "--json")).out);
  expect(servers).toMatchObject([{ name: "fix", state: "behind the chain", kind: "stdio", file: file() }]);

  const text = readFileSync(file(), "utf8").replace("// mine", "");
  const { command, args } = JSON.parse(text).mcpServers.fix;
  expect(spawnSync(command, ["--version"], { encoding: "utf8" }).stdout).toMatch(/^\d/);
  const client: Client = startServer({
    built,
    place,
    program: [
      "-e",
      `require("node:child_process").spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: "inherit" })`,
    ],
    env: { PATH: "/usr/bin:/bin" },
  });
  expect((await client.initialize()).result).toMatchObject({ serverInfo: { name: "fixture" } });
  const reply = await client.ask("tools/call", { name: "run_sql", arguments: { sql: "DROP TABLE t" } });
  expect(JSON.stringify(reply.result)).toMatch(/requires_confirmation|denied/);
  await client.end();

  expect((await run("unwrap", "fix")).code).toBe(0);
  expect(readFileSync(file(), "utf8")).toBe(original());
  expect(await run("unwrap")).toMatchObject({ code: 0, out: "nothing to unwrap\n" });
});

test("nobody agrees: nothing changes", async () => {
  writeFileSync(file(), original());
  agree = async () => false;
  const { code, err } = await run("wrap");
  expect([code, readFileSync(file(), "utf8")]).toEqual([1, original()]);
  expect(err).toMatch(/did not agree in the editor/);
});

test("without a window and without a terminal: nothing changes", async () => {
  writeFileSync(file(), original());
  removeLocator(place.home, process.pid);
  const { code } = await run("wrap");
  expect([code, readFileSync(file(), "utf8")]).toEqual([1, original()]);
});

test("a file that changes while the person thinks is left alone", async () => {
  writeFileSync(file(), original());
  agree = async () => {
    writeFileSync(file(), "{}");
    return true;
  };
  const { code, err } = await run("wrap");
  expect([code, readFileSync(file(), "utf8")]).toEqual([2, "{}"]);
  expect(err).toMatch(/has changed meanwhile/);
});

test("a link stays a link, and what it names is changed", async () => {
  const real = join(place.root, "real.json");
  writeFileSync(real, original());
  symlinkSync(real, file());
  expect((await run("wrap")).code).toBe(0);
  expect(readFileSync(real, "utf8")).toContain(".countersign/bin/countersign");
  expect(readFileSync(file(), "utf8")).toBe(readFileSync(real, "utf8"));
});

describe("when the extension goes", () => {
  test("every file that was wrapped has a way back, whatever folder is open", async () => {
    const other = join(place.base, "other");
    mkdirSync(join(place.root, ".vscode"));
    writeFileSync(file(), original());
    const code = join(place.root, ".vscode/mcp.json");
    writeFileSync(code, `{"servers":{"a":{"command":"x"}}}`);
    await run("wrap");
    const env = {};
    const plans = await unwrapPlans({ home: place.home, env, platform: "linux", workspace: other });
    expect(plans.map((plan) => [plan.file, plan.after]).sort()).toEqual(
      [
        [file(), original()],
        [code, `{"servers":{"a":{"command":"x"}}}`],
      ].sort(),
    );
  });
});

test("what was kept for the way back is for this user alone", async () => {
  writeFileSync(file(), original());
  await run("wrap");
  const folder = join(place.home, ".countersign/mcp-wrapped");
  expect(existsSync(folder)).toBe(true);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});
