/** The map of what is governed, in a real editor: real calls, a project's switches, and the status bar within two seconds. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { BYPASS_APPROVALS } from "../../scripts/host.mjs";
import {
  answerModal,
  closeSession,
  dialogOf,
  evaluate,
  openSession,
  playAgent,
  runCommand,
  takePicture,
  terminal,
  until,
  waitForModal,
} from "./harness.mjs";

let session;
let failures = 0;

/** What stands for an installed agent: it is looked at and never run. */
function putProgram(name, { pkg, version }) {
  const folder = join(session.server.home, "programs", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "#!/bin/sh\nexit 1\n");
  chmodSync(join(folder, name), 0o755);
  if (pkg) writeFileSync(join(folder, "package.json"), JSON.stringify({ name: pkg, version }));
  const bin = join(session.server.home, ".local/bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(folder, name), join(bin, name));
}

before(
  async () => {
    session = await openSession({
      name: "coverage",
      files: { "README.md": "# Shop\n" },
      settings: { "chat.permissions.default": "autoApprove" },
      machineSettings: BYPASS_APPROVALS,
    });
    putProgram("claude", { pkg: "@anthropic-ai/claude-code", version: "2.1.332" });
    putProgram("codex", { pkg: "@openai/codex", version: "0.171.0" });
    putProgram("cursor", {});
    await runCommand(session.page, "Countersign: Show Coverage");
    await row("Agent mode").waitFor();
  },
  { timeout: 300_000 },
);
after(async () => {
  await closeSession(session, { failed: failures > 0 });
});
afterEach(async (context) => {
  if (context.error || context.passed === false) {
    failures += 1;
    if (session) await takePicture(session, `failed-${context.name.replace(/\W+/g, "-").slice(0, 60)}`);
  }
  while (session && (await dialogOf(session.page).count()) > 0) {
    await session.page.keyboard.press("Escape");
    await new Promise((later) => setTimeout(later, 1500));
  }
});

const limit = { timeout: 150_000 };
const view = () => session.page.locator(".pane:has(.pane-header[aria-label*='Coverage'])").first();
const row = (title) =>
  view()
    .getByRole("treeitem", { name: new RegExp(`^${title}`) })
    .first();
const label = (title) => row(title).getAttribute("aria-label", { timeout: 2000 });
const says = (title, pattern, ms) =>
  until(async () => pattern.test(await label(title)), `${title} says ${pattern}`, ms);

const statusBar = () => session.page.locator("[id='countersign.countersign.countersign.status']");
/** How long until the status bar says it, counted from before `act`. */
async function statusAfter(act, pattern) {
  const began = performance.now();
  act();
  await until(
    async () => pattern.test(await statusBar().textContent()),
    `the status bar says ${pattern}`,
    8000,
  );
  return Math.round(performance.now() - began);
}

async function press(title, action) {
  await row(title).hover();
  await row(title).getByRole("button", { name: action }).click();
}

const settings = () => join(session.workspace, ".vscode/settings.json");
function writeSettings(value) {
  mkdirSync(join(session.workspace, ".vscode"), { recursive: true });
  writeFileSync(settings(), `${JSON.stringify(value, null, 2)}\n`);
}

async function acknowledge() {
  await evaluate(session, `void vscode.commands.executeCommand("countersign.acknowledgeHooks")`);
  await waitForModal(session, /go on with these hooks/i);
  await answerModal(session, "I Have Looked: Go On");
}

test("before any call nothing counts as governed", limit, async () => {
  await says("Agent mode", /no call seen yet/);
  await says("Agent Host", /not shown to be governed, experimental/);
  await says("Claude Code", /: not governed$/);
  await says("Cursor", /: not governed, experimental, version unknown$/);
  await says("Not found on this machine", /./);
});

test("a real call makes the door governed", limit, async () => {
  const run = await playAgent(session, [[terminal("echo hello")]]);
  await run.results();
  await says("Agent mode", /: governed, (now|\d+ )/);
  await says("Claude Code", /: not governed$/);
});

test("govern from the view: the change is shown, then the row waits for a call", limit, async () => {
  await press("Claude Code", /^Govern/);
  await waitForModal(session, /govern claude code/i);
  await answerModal(session, "Show the change");
  await waitForModal(session, /govern claude code/i);
  await answerModal(session, "Change the file");
  await says("Claude Code", /: no call seen yet$/);
  const text = readFileSync(join(session.server.home, ".claude/settings.json"), "utf8");
  assert.match(text, /\.countersign\/bin\/hook/);
});

test("verify runs the hook as the agent would", limit, async () => {
  for (const title of ["Claude Code", "Agent mode"]) {
    const toast = session.page.locator(".notifications-toasts", {
      hasText: `${title}: the hook reaches this window`,
    });
    // A row that is drawn anew under the pointer takes no click.
    for (let tries = 0; tries < 4 && !(await toast.isVisible()); tries += 1) {
      await press(title, /^Verify/);
      await toast.waitFor({ timeout: 10_000 }).catch(() => undefined);
    }
    assert.ok(await toast.isVisible(), `${title}: no notice`);
  }
  await runCommand(session.page, "Notifications: Clear All Notifications");
  // What was tried out is no call of the agent.
  await says("Claude Code", /: no call seen yet$/);
});

test("chat.useHooks off in the project: the status bar says so within 2 s", limit, async () => {
  const ms = await statusAfter(
    () => writeSettings({ "editor.tabSize": 2, "chat.useHooks": false }),
    /Not governed: Agent mode/,
  );
  console.log(`chat.useHooks → status bar: ${ms} ms`);
  assert.ok(ms <= 2000, `${ms} ms`);
  await says("Agent mode", /switched off by chat\.useHooks in \.vscode\/settings\.json/);
  const tidy = ["workbench.action.revertAndCloseActiveEditor", "workbench.action.closeAuxiliaryBar"];
  tidy.push("notifications.clearAll", "countersign.coverage.show");
  for (const command of tidy)
    await evaluate(session, `await vscode.commands.executeCommand("${command}"); return 0`);
  await takePicture(session, "coverage-off");
});

test("the file that switches it off opens at the line", limit, async () => {
  await press("Agent mode", /^Open the File/);
  const at = await until(
    () =>
      evaluate(
        session,
        `const e = vscode.window.activeTextEditor;
         return e?.document.fileName.endsWith("settings.json") && e.document.lineAt(e.selection.active.line).text`,
      ),
    "settings.json is open",
  );
  assert.match(at, /chat\.useHooks/);
});

test("switched on again it waits for a person's look", limit, async () => {
  writeSettings({ "editor.tabSize": 2 });
  await says("Agent mode", /hooks changed, nobody has looked/);
  await acknowledge();
  await says("Agent mode", /: governed/);
  await until(async () => !/Not governed|changed/.test(await statusBar().textContent()), "the bar is calm");
});

test("a governed agent that the project switches off: within 2 s", limit, async () => {
  const file = join(session.workspace, ".claude/settings.json");
  const ms = await statusAfter(() => {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, '{ "disableAllHooks": true }\n');
  }, /Not governed: Claude Code/);
  console.log(`disableAllHooks → status bar: ${ms} ms`);
  assert.ok(ms <= 2000, `${ms} ms`);
  await says("Claude Code", /switched off by disableAllHooks in \.claude\/settings\.json/);
  await says("Agent mode", /: governed/);
  rmSync(file);
  await says("Claude Code", /hooks changed, nobody has looked/);
  await acknowledge();
  await says("Claude Code", /: no call seen yet$/);
});

test("a switch that concerns nobody who is governed is no alarm", limit, async () => {
  mkdirSync(join(session.workspace, ".codex"), { recursive: true });
  writeFileSync(join(session.workspace, ".codex/config.toml"), "[features]\nhooks = false\n");
  await new Promise((later) => setTimeout(later, 3000));
  await says("Codex", /: not governed$/);
  assert.doesNotMatch(await statusBar().textContent(), /Not governed|changed/);
});

test("stop governing from the view", limit, async () => {
  await press("Claude Code", /^Stop Governing/);
  await waitForModal(session, /stop governing claude code/i);
  await answerModal(session, "Show the change");
  await waitForModal(session, /stop governing claude code/i);
  await answerModal(session, "Change the file");
  await says("Claude Code", /: not governed$/);
  await takePicture(session, "coverage");
});
