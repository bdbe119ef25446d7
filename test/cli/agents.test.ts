import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import type { BrokerRequest } from "../../src/agents/hookRequest";
import { runAgents } from "../../src/cli/agents";
import { applyChange, planChange } from "../../src/node/agentSettings";
import { startBroker } from "../../src/node/broker";
import { writeLocator } from "../../src/node/locator";
import { tempFolder } from "../agents/pluginBench";
import { quietLog } from "../core/fixtures";

const temp = tempFolder();
const open: (() => Promise<void>)[] = [];
let home = "";
let count = 0;
beforeEach(() => {
  count += 1;
  home = join(realpathSync(temp.path), `home${count}`);
  mkdirSync(home, { mode: 0o700 });
  vi.stubEnv("HOME", home);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of open.splice(0)) await close();
});
afterAll(() => temp.remove());

async function run(...argv: string[]) {
  const said = { out: "", err: "" };
  const code = await runAgents(argv, {
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
    lines: (async function* () {})(),
    stdin: (async function* () {})(),
    env: {},
    cwd: home,
  });
  return { code, ...said };
}

/** A window whose person answers every dialog so. */
async function window(agreed: boolean): Promise<BrokerRequest[]> {
  const requests: BrokerRequest[] = [];
  const broker = await startBroker({
    handle: async (request) => {
      requests.push(request);
      return { stdout: JSON.stringify({ kind: "answer", agreed }) };
    },
    log: quietLog,
    folder: temp.path,
  });
  open.push(() => broker.close());
  writeLocator(home, { pid: process.pid, folders: ["/elsewhere"], ...broker });
  return requests;
}

const settings = () => join(home, ".claude/settings.json");

test("a person who agrees in the editor is shown the exact change, and then it is written", async () => {
  const requests = await window(true);
  expect(await run("install", "claude")).toMatchObject({ code: 0, out: "Claude Code: installed\n" });
  // Without the editor ever started there would be nothing to call.
  expect(existsSync(join(home, ".countersign/bin/hook"))).toBe(true);
  const { title, lines } = JSON.parse(requests[0]?.payload ?? "{}");
  expect(title).toBe("Govern Claude Code with Countersign?");
  const added = lines.filter((line: string) => line.startsWith("+") && !line.startsWith("+++"));
  expect(added.map((line: string) => line.slice(1)).join("\n")).toBe(readFileSync(settings(), "utf8"));
  expect(await run("install", "claude")).toMatchObject({ code: 0, out: "Claude Code: nothing to install\n" });
  expect(await run("uninstall", "claude")).toMatchObject({ code: 0, out: "Claude Code: uninstalled\n" });
  expect(existsSync(settings())).toBe(false);
  expect(requests).toHaveLength(2);
});

test("a hook that a variable led elsewhere is found again without it", async () => {
  await window(true);
  const moved = join(home, "elsewhere");
  const planned = await planChange("codex", "install", { home, env: { CODEX_HOME: moved } });
  if (!planned.ok) throw new Error(planned.message);
  await applyChange(planned.change, { home, env: {} });
  expect(await run("uninstall", "cursor")).toMatchObject({ code: 0, out: "Cursor: nothing to uninstall\n" });
  expect(existsSync(join(moved, "hooks.json"))).toBe(true);
  expect(await run("uninstall", "codex")).toMatchObject({ code: 0, out: "Codex: uninstalled\n" });
  expect(existsSync(join(moved, "hooks.json"))).toBe(false);
});

test("Codex's own review is left to the person", async () => {
  await window(true);
  expect((await run("install", "codex")).out).toContain("start codex, type /hooks");
});

test("without a yes nothing is written", async () => {
  await window(false);
  expect(await run("install", "claude", "gemini")).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /Claude Code was left as it is: a person did not agree[\s\S]*Gemini CLI was left/,
    ),
  });
  expect(existsSync(settings())).toBe(false);
});

test("without a window, and without a terminal, nobody said yes", async () => {
  const ran = await run("install", "claude");
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toMatch(/no terminal to ask on|this runs under/);
  expect(existsSync(settings())).toBe(false);
});

test("status needs nobody", async () => {
  const all = JSON.parse((await run("status", "--json")).out);
  expect(all).toHaveLength(9);
  expect(all[0]).toMatchObject({
    agent: "claude",
    title: "Claude Code",
    basis: "run",
    state: "absent",
    file: settings(),
    switchedOff: [],
  });
  expect((await run("status", "cursor")).out).toMatch(
    /^cursor {5}absent {6}\/.*\/\.cursor\/hooks\.json\n {13}experimental/,
  );
});

test.each([
  [[], /name status, install or uninstall/],
  [["instal", "claude"], /there is no "instal"/],
  [["install"], /name the agents to install/],
  [["install", "claud"], /there is no agent "claud", did you mean claude\?/],
  [["install", "claude", "--yes"], /unknown option --yes/],
] as const)("%j is explained", async (argv, why) => {
  expect(await run(...argv)).toMatchObject({ code: 2, err: expect.stringMatching(why) });
});
