/** The whole of door A but the editor: the shipped shell line, the bundled client, the broker, the door, a real governor and chain. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Broker, startBroker } from "../../src/node/broker";
import { writeLocator } from "../../src/node/locator";
import type { AskAnswer } from "../../src/ports";
import { type DoorBench, doorBench } from "../agents/doorBench";
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
const once: AskAnswer = { kind: "allow", scope: "once" };
const no: AskAnswer = { kind: "deny" };
let plugin = "";
let broker: Broker;
let bench: DoorBench;

beforeAll(async () => {
  plugin = await buildPlugin(temp.path);
  broker = await startBroker({
    handle: (request, ctx) => bench.door(request, ctx),
    log: quietLog,
    folder: temp.path,
  });
});
afterAll(async () => {
  await broker.close();
  temp.remove();
});

const env = () => ({
  HOME: join(temp.path, "nobody"),
  CLAUDE_PLUGIN_ROOT: plugin,
  COUNTERSIGN_NODE: process.execPath,
  COUNTERSIGN_SOCKET: broker.socket,
  COUNTERSIGN_NONCE: broker.nonce,
});

function payload(command: string, more: object = {}): string {
  return JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd: "/ws",
    tool_name: "run_in_terminal",
    tool_input: { command },
    tool_use_id: "call_1__vscode-1",
    ...more,
  });
}

const call = (command: string, more: object = {}): Promise<Ran> =>
  runLine({ line: pre, input: payload(command, more), env: env() });

test("allow says nothing, deny says why, a rewrite carries the new arguments", async () => {
  bench = doorBench();
  expect(await call("ls")).toMatchObject({ code: 0, stdout: "" });
  expect(asLocal(await call("DENY"))).toEqual({ decision: "deny", reason: "not here" });
  expect(asLocal(await call("REWRITE 'it' \"now\" $HOME \\ \n é"))).toEqual({
    decision: "none",
    input: { command: "SAFE 'it' \"now\" $HOME \\ \n é" },
  });
  expect(asLocal(await call("THROW"))).toMatchObject({
    decision: "deny",
    reason: expect.stringMatching(/^guard broken/),
  });
});

test("an ask is held until the person answers, for as long as it takes", async () => {
  const release = deferred();
  bench = doorBench({ answers: [() => release.promise.then(() => once)] });
  const held = call("ASK");
  let over = false;
  void held.then(() => {
    over = true;
  });
  await expect.poll(() => bench.requests.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(over).toBe(false);
  release.resolve();
  expect(asLocal(await held)).toEqual({ decision: "allow", input: { command: "ASK" } });
});

test("the click is good for that one call: the identical next one asks again", async () => {
  bench = doorBench({ answers: [once, no] });
  expect(asLocal(await call("ASK")).decision).toBe("allow");
  expect(asLocal(await call("ASK", { tool_use_id: "call_2__vscode-2" })).decision).toBe("deny");
  expect(bench.requests).toHaveLength(2);
});

test("two identical parallel calls on one Allow once: one runs", async () => {
  bench = doorBench({ answers: [once, no] });
  const both = await Promise.all([call("ASK"), call("ASK")]);
  expect(both.map((ran) => asLocal(ran).decision).sort()).toEqual(["allow", "deny"]);
});

test("a call that brings its own consent is asked all the same", async () => {
  bench = doorBench({ answers: [no] });
  const forged = await call("ASK", { tool_input: { command: "ASK", confirm_destructive: true } });
  expect(asLocal(forged).decision).toBe("deny");
  expect(bench.requests).toHaveLength(1);
});

test("half of a payload, and none, are denied in both harnesses", async () => {
  bench = doorBench();
  for (const input of [payload("ls").slice(0, 60), "", "null"]) {
    const ran = await runLine({ line: pre, input, env: env() });
    expect([asLocal(ran).decision, asAgentHost(ran).decision]).toEqual(["deny", "deny"]);
  }
  expect(bench.records).toEqual([]);
});

test("the Agent Host's calls are found by the folder and answered at the top level", async () => {
  bench = doorBench({ answers: [once] });
  const home = tempFolder();
  writeLocator(home.path, { pid: process.pid, socket: broker.socket, nonce: broker.nonce, folders: ["/ws"] });
  const outside = { HOME: home.path, CLAUDE_PLUGIN_ROOT: plugin, COUNTERSIGN_NODE: process.execPath };
  const host = (command: string) => {
    const input = JSON.stringify({
      sessionId: "s",
      timestamp: 1,
      toolName: "bash",
      toolArgs: { command },
      workingDirectory: "/ws/src",
    });
    return runLine({ line: pre, input, env: outside });
  };
  expect(await host("ls")).toMatchObject({ code: 0, stdout: "" });
  expect(asAgentHost(await host("DENY"))).toEqual({ decision: "deny", reason: "not here" });
  expect(asAgentHost(await host("REWRITE"))).toEqual({ decision: "none", input: { command: "SAFE" } });
  expect(asAgentHost(await host("ASK"))).toEqual({ decision: "allow", input: { command: "ASK" } });
  home.remove();
});

test("stopping the chat cancels the question, and the late click runs nothing", async () => {
  const release = deferred();
  bench = doorBench({ answers: [() => release.promise.then(() => once)] });
  const { child } = start({ line: pre, input: payload("ASK"), env: env() });
  await expect.poll(() => bench.requests.length).toBe(1);
  child.kill("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  release.resolve();
  await expect
    .poll(() => bench.records.some((r) => r.event === "call" && r.decision === "denied"))
    .toBe(true);
  expect(bench.records.filter((r) => r.decision === "allow")).toEqual([]);
});

test("a result is recorded with its call", async () => {
  bench = doorBench();
  await call("ls");
  const input = payload("ls", { hook_event_name: "PostToolUse", tool_response: "a\nb" });
  expect(await runLine({ line: shippedLine("PostToolUse"), input, env: env() })).toMatchObject({
    code: 0,
    stdout: "",
  });
  await expect.poll(() => bench.records.map((r) => r.event)).toEqual(["call", "result"]);
});

test("speed: a hook's round trip against the bare start of its runtime (printed, not judged)", async () => {
  bench = doorBench();
  const middle = async (once: () => Promise<Ran>): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < 15; i += 1) times.push((await once()).ms);
    return times.sort((a, b) => a - b)[7] ?? 0;
  };
  const bare = await middle(() => runLine({ line: `exec "${process.execPath}" -e 0`, input: "", env: {} }));
  const hook = await middle(() => call("ls"));
  console.log(
    `hook round trip ${hook.toFixed(1)} ms, bare runtime ${bare.toFixed(1)} ms, ratio ${(hook / bare).toFixed(2)}`,
  );
  expect(hook).toBeGreaterThan(0);
});
