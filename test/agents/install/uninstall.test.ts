/** The way out that runs when the extension is gone, as the real program. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

async function install(agents: readonly OutsideAgent[], env: Record<string, string> = {}): Promise<void> {
  for (const agent of agents) {
    const planned = await planChange(agent, "install", { home, env });
    if (!planned.ok) throw new Error(planned.message);
    await applyChange(planned.change, { home, env });
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

/** As the editor does it. */
const byEditor = () => run(program, "--type=extension-post-uninstall");
const mark = (version: string): void =>
  writeFileSync(
    join(extensions, ".obsolete"),
    JSON.stringify({ [`countersign.countersign-${version}`]: true }),
  );

const governed = (): boolean => readFileSync(gemini, "utf8").includes(".countersign");

test("it takes nothing out unless the editor has marked the extension as removed", async () => {
  await install(["gemini", "claude", "cline"]);
  // Where its user leads it by a variable, which the editor does not have.
  await install(["codex"], { CODEX_HOME: join(base, "codex") });
  expect(byEditor()).toMatchObject({ status: 2, stderr: expect.stringContaining("usage") });
  mark("1.2.2");
  expect(byEditor().status).toBe(2);
  expect(governed()).toBe(true);
});

test("nor without the editor, nor without a person", async () => {
  mark("1.2.3");
  expect(run(program).status).toBe(2);
  expect(run(program, "--type=extension-post-uninstall", "agents").status).toBe(2);
  const copy = join(home, ".countersign/bin/uninstall.js");
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, readFileSync(program));
  const ran = run(copy, "agents", "uninstall", "gemini");
  expect(ran).toMatchObject({ status: 1, stderr: expect.stringMatching(/a person must agree/) });
  expect(run(copy).status).toBe(2);
  expect(run(copy, "--type=extension-post-uninstall").status).toBe(2);
  expect(governed()).toBe(true);
});

test("nor while the extension of another editor answers for the hooks", () => {
  const theirs = join(base, "other/countersign.countersign-1.2.0/dist/cli.js");
  mkdirSync(dirname(theirs), { recursive: true });
  writeFileSync(theirs, "");
  writeFileSync(join(home, ".countersign/program"), `${theirs}\n`);
  expect(byEditor()).toMatchObject({ status: 0, stderr: "" });
  expect(governed()).toBe(true);
  rmSync(theirs);
});

test.each(["1.2.2", "1.2.3"])(
  "once marked, it leaves every agent's settings as they were (%s)",
  async (last) => {
    // An older version of the same editor is no other editor.
    const cli = join(extensions, `countersign.countersign-${last}/dist/cli.js`);
    mkdirSync(dirname(cli), { recursive: true });
    writeFileSync(cli, "");
    writeFileSync(join(home, ".countersign/program"), `${cli}\n`);
    await install(["gemini"]);
    expect(byEditor()).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(gemini, "utf8")).toBe(theirs);
    expect(existsSync(join(home, ".claude/settings.json"))).toBe(false);
    expect(existsSync(join(home, ".cline/hooks/PreToolUse"))).toBe(false);
    expect(existsSync(join(base, "codex/hooks.json"))).toBe(false);
  },
);
