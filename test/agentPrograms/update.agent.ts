/**
 * An update and an uninstall of the packed extension in a real editor, under real programs that it governs: every call stays judged as
 * long as a hook of ours is in the settings, and what was there before comes back, by the editor or by a person on a terminal.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import manifest from "../../package.json";
import { runServerCommand, startServer } from "../../scripts/host.mjs";
import { applyChange, planChange } from "../../src/node/agentSettings";
import { binFolder } from "../../src/node/launcherFiles";
import { readLocators } from "../../src/node/locator";
import {
  answerModal,
  auditRecords,
  closeSession,
  evaluate,
  openSession,
  type Session,
  takePicture,
  until,
  waitForModal,
} from "../e2e/harness.mjs";
import { put, type Ran, runProgram } from "./place";
import { type Program, programs } from "./programs";

const ID = "countersign.countersign";
const nextProductFile = join(import.meta.dirname, "../../out/countersign-next.vsix");
const wanted = process.env.COUNTERSIGN_TEST_AGENTS?.split(",");
const governed = programs.filter(
  ({ id }) => (id === "claude" || id === "codex") && (wanted?.includes(id) ?? true),
);
const theirs = '{\n    "theirs": [ 1, 2 ]\n}\n';

let session: Session;
let home = "";
let ended = false;
let failed = false;

beforeAll(async () => {
  session = await openSession({ name: "update", files: { "README.md": "# Shop\n" } });
  home = session.server.home;
  put(settingsOf("claude"), theirs);
}, 300_000);
beforeEach(({ onTestFailed }) => {
  onTestFailed(async () => {
    failed = true;
    if (!ended) await takePicture(session, "failed-update");
  });
});
afterAll(async () => {
  if (ended && !failed) rmSync(session.dir, { recursive: true, force: true });
  else if (!ended) await closeSession(session, { failed });
});

const settingsOf = (id: string): string =>
  join(home, id === "claude" ? ".claude/settings.json" : ".codex/hooks.json");
const textOf = (id: string): string | undefined =>
  existsSync(settingsOf(id)) ? readFileSync(settingsOf(id), "utf8") : undefined;
const original = (id: string): string | undefined => (id === "claude" ? theirs : undefined);
const told = ({ heard }: Ran): string => heard.results.map(({ content }) => content).join("\n");
const made = (file: string): boolean => existsSync(join(session.workspace, file));

/** The program runs `echo` and then a DROP, which nobody may run unasked; `word` names both. */
function playing(program: Program, word: string): Promise<Ran> {
  return runProgram(program, {
    home,
    workspace: session.workspace,
    calls: [
      program.shell(`echo ran > ${word}-echo`),
      program.shell(`sqlite3 app.db 'DROP TABLE ${word}'; echo ran > ${word}-drop`),
    ],
  });
}

async function expectAsked(program: Program, word: string): Promise<void> {
  const since = auditRecords(session).length;
  const running = playing(program, word);
  await waitForModal(session, new RegExp(`DROP TABLE ${word}`), 120_000);
  await answerModal(session, "Deny");
  const ran = await running;
  expect([made(`${word}-echo`), made(`${word}-drop`)], ran.output).toEqual([true, false]);
  expect(told(ran)).toMatch(/do not continue/i);
  const records = auditRecords(session).slice(since);
  const said = records
    .filter(({ agent }) => agent === program.id)
    .map(({ event, decision }) => `${event} ${decision ?? ""}`);
  expect(said.slice(0, 2)).toEqual(["call allow", "result allow"]);
  expect(said).toContain("call asks_user");
  expect(said).toContain("call denied");
}

async function expectJudgedAlone(program: Program, word: string): Promise<void> {
  const ran = await playing(program, word);
  expect([made(`${word}-echo`), made(`${word}-drop`)], ran.output).toEqual([true, false]);
  expect(told(ran)).toContain("no editor window with Countersign");
}

async function expectFree(program: Program, word: string): Promise<void> {
  const ran = await playing(program, word);
  expect([made(`${word}-echo`), made(`${word}-drop`)], ran.output).toEqual([true, true]);
}

async function govern({ id, title }: Program): Promise<void> {
  await evaluate(session, `void vscode.commands.executeCommand("countersign.govern.${id}")`);
  const question = new RegExp(`govern ${title}`, "i");
  await waitForModal(session, question);
  await answerModal(session, "Show the change");
  await waitForModal(session, question);
  await answerModal(session, "Change the file");
  await until(() => textOf(id)?.includes(".countersign/bin/hook"), `${title} is governed`);
}

const versionInForce = () =>
  evaluate(
    session,
    `const it = vscode.extensions.getExtension("${ID}"); return it?.isActive === true && it.packageJSON.version`,
  );
const folders = (): string[] =>
  readdirSync(join(session.dir, "extensions")).filter((name) => /^countersign\.countersign-\d/.test(name));

test("governed by the version that is there", async () => {
  expect(await versionInForce()).toBe(manifest.version);
  for (const program of governed) await govern(program);
  for (const program of governed) await expectAsked(program, `${program.id}-first`.replace("-", "_"));
});

describe("the extension is updated", () => {
  const installed = new Map<string, string | undefined>();

  test("before the window is loaded anew the old one goes on", async () => {
    for (const { id } of governed) installed.set(id, textOf(id));
    runServerCommand(session.dir, ["--install-extension", nextProductFile, "--force"]);
    for (const program of governed) await expectAsked(program, `${program.id}_between`);
  });

  test("then the new one, without a change of any settings file", async () => {
    await session.page.reload();
    const now = await until(
      async () => {
        const version = await versionInForce();
        return version !== manifest.version && version;
      },
      "the new version is active",
      120_000,
    );
    expect(readFileSync(join(home, ".countersign/program"), "utf8")).toContain(`${ID}-${now}/dist/cli.js`);
    for (const program of governed) await expectAsked(program, `${program.id}_updated`);
    // Codex asks its user for a review of every entry that changed.
    for (const { id } of governed) expect(textOf(id)).toBe(installed.get(id));
  });

  test("and with no window open it judges as well", async () => {
    await session.browser.close();
    await session.server.stop();
    ended = true;
    // A window whose process still ends is there but answers nobody: until then every call is denied.
    await until(() => readLocators(home).live.length === 0, "the window's process has ended");
    for (const program of governed) await expectJudgedAlone(program, `${program.id}_alone`);
  });
});

/** Out of reach of whatever agent or editor this test runs under, as a person's own terminal is. */
async function typedOnTerminal(command: string, words: string, isDone: () => boolean): Promise<void> {
  const log = join(session.dir, "terminal.log");
  const child = spawn("setsid", ["--fork", "script", "--quiet", "--command", command, log], {
    env: { PATH: process.env.PATH, HOME: home },
    cwd: home,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.write(words);
  await expect.poll(isDone, { timeout: 30_000, message: command }).toBe(true);
  child.stdin.end();
}

describe("the extension's folder is gone, and the editor did not tell", () => {
  const away = (): readonly (readonly [string, string])[] =>
    folders().map((name) => [join(session.dir, "extensions", name), join(session.dir, name)]);
  let moved: ReturnType<typeof away> = [];

  test("every call is denied, and the model reads what a person can do", async () => {
    moved = away();
    for (const [from, to] of moved) renameSync(from, to);
    for (const program of governed) {
      const word = `${program.id}_gone`;
      const ran = await playing(program, word);
      expect([made(`${word}-echo`), made(`${word}-drop`)], ran.output).toEqual([false, false]);
      expect(told(ran)).toContain(`${home}/.countersign/bin/countersign agents uninstall ${program.id}`);
    }
  });

  test("that one command gives the bytes back, and the programs work without us", async () => {
    const command = `${join(binFolder(home), "countersign")} agents uninstall ${governed.map(({ id }) => id).join(" ")}`;
    await typedOnTerminal(command, "no\n", () =>
      /nothing|left|Type "yes"/.test(readFileSync(join(session.dir, "terminal.log"), "utf8")),
    );
    for (const { id } of governed) expect(textOf(id)).not.toBe(original(id));
    await typedOnTerminal(command, "yes\n", () => governed.every(({ id }) => textOf(id) === original(id)));
    for (const program of governed) await expectFree(program, `${program.id}_out`);
    for (const [from, to] of moved) renameSync(to, from);
  });
});

describe("the extension is uninstalled in the editor", () => {
  const places = () => ({ home, env: {} });

  test("until the editor starts again the hooks still judge", async () => {
    for (const { id } of governed) {
      if (id !== "claude" && id !== "codex") throw new Error(id);
      const planned = await planChange(id, "install", places());
      if (!planned.ok) throw new Error(planned.message);
      await applyChange(planned.change, places());
    }
    runServerCommand(session.dir, ["--uninstall-extension", ID]);
    expect(folders().length).toBeGreaterThan(0);
    for (const program of governed) await expectJudgedAlone(program, `${program.id}_marked`);
  });

  test("then every settings file is what it was, and the programs work without us", async () => {
    const server = await startServer({ dir: session.dir });
    try {
      await expect.poll(folders, { timeout: 60_000 }).toEqual([]);
      for (const { id } of governed) expect(textOf(id)).toBe(original(id));
    } finally {
      await server.stop();
    }
    for (const program of governed) await expectFree(program, `${program.id}_free`);
  });
});
