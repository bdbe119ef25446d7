/** The way out that runs when the extension is gone, as the real program. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyChange, type OutsideAgent, planChange } from "../../../src/node/agentSettings";
import { tempFolder } from "../pluginBench";

const temp = tempFolder();
const base = realpathSync(temp.path);
const extensions = join(base, "extensions");
const program = join(extensions, "countersign.countersign-1.2.3/dist/uninstall.js");
const home = join(base, "home");
const theirs = '{\n  "theirs": true // stays\n}\n';
const gemini = join(home, ".gemini/settings.json");

beforeAll(async () => {
  await build({
    entryPoints: [new URL("../../../src/agents/install/uninstallMain.ts", import.meta.url).pathname],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    outfile: program,
  });
  mkdirSync(join(home, ".countersign"), { recursive: true, mode: 0o700 });
  mkdirSync(dirname(gemini));
  writeFileSync(gemini, theirs);
});
afterAll(() => temp.remove());

async function install(...agents: OutsideAgent[]): Promise<void> {
  for (const agent of agents) {
    const planned = await planChange(agent, "install", { home, env: {} });
    if (!planned.ok) throw new Error(planned.message);
    await applyChange(planned.change, { home, env: {} });
  }
}

function run(file: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: home };
  return spawnSync(process.execPath, [file, ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const governed = (): boolean => readFileSync(gemini, "utf8").includes(".countersign");

test("it takes nothing out unless the editor has marked the extension as removed", async () => {
  await install("gemini", "claude", "cline");
  expect(run(program)).toMatchObject({ status: 2, stderr: expect.stringContaining("usage") });
  writeFileSync(join(extensions, ".obsolete"), '{"countersign.countersign-1.2.2": true}');
  expect(run(program).status).toBe(2);
  expect(governed()).toBe(true);
});

test("nor without a person", async () => {
  const copy = join(home, ".countersign/bin/uninstall.js");
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, readFileSync(program));
  const ran = run(copy, "agents", "uninstall", "gemini");
  expect(ran).toMatchObject({ status: 1, stderr: expect.stringMatching(/a person must agree/) });
  expect(run(copy).status).toBe(2);
  expect(governed()).toBe(true);
});

test("once marked, it leaves every agent's settings as they were", () => {
  writeFileSync(join(extensions, ".obsolete"), '{"countersign.countersign-1.2.3": true}');
  expect(run(program)).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(gemini, "utf8")).toBe(theirs);
  expect(existsSync(join(home, ".claude/settings.json"))).toBe(false);
  expect(existsSync(join(home, ".cline/hooks/PreToolUse"))).toBe(false);
});
