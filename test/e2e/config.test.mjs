/** Configuration that loosens, in a real editor: it changes nothing until a person has accepted what it does. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { BYPASS_APPROVALS } from "../../scripts/host.mjs";
import {
  answerModal,
  closeSession,
  countRows,
  defaultButton,
  dialogOf,
  evaluate,
  openSession,
  playAgent,
  takePicture,
  terminal,
  waitForModal,
} from "./harness.mjs";

const TIGHT = "version = 1\n\n[chain]\ndestructive_sql = true\n";
const LOOSE = "version = 1\n\n[chain]\ndestructive_sql = false\n";

let session;
let failures = 0;

const git = (...args) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], {
    cwd: session.workspace,
    stdio: "pipe",
  });

before(
  async () => {
    session = await openSession({
      name: "config",
      files: { "README.md": "# Shop\n", "gateway-hooks.toml": TIGHT },
      database:
        "CREATE TABLE users (id INTEGER); INSERT INTO users VALUES (1); CREATE TABLE scratch (id INTEGER);",
      settings: { "chat.permissions.default": "autoApprove" },
      machineSettings: BYPASS_APPROVALS,
    });
    git("init", "-q", "-b", "main");
    git("add", "README.md", "gateway-hooks.toml");
    git("commit", "-q", "-m", "tight");
    git("checkout", "-q", "-b", "loose");
    writeFileSync(join(session.workspace, "gateway-hooks.toml"), LOOSE);
    git("commit", "-q", "-a", "-m", "loose");
    git("checkout", "-q", "main");
  },
  { timeout: 300_000 },
);
after(() => closeSession(session, { failed: failures > 0 }));
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
const dropUsers = terminal(`sqlite3 .countersign/data.db "DROP TABLE users"`);

/** The agent's DROP is asked, and denied here. */
async function mustAsk() {
  const run = await playAgent(session, [[dropUsers]]);
  await waitForModal(session, /DROP TABLE users/);
  await answerModal(session, "Deny");
  await run.results();
  assert.equal(countRows(session, "users"), 1);
}

test("with a file that loosens nothing, harmless calls run and DROP is asked", limit, async () => {
  const run = await playAgent(session, [[terminal("touch harmless.txt")]]);
  await run.results();
  assert.equal(existsSync(join(session.workspace, "harmless.txt")), true);
  await mustAsk();
});

test("git checkout of a loosened gateway-hooks.toml changes nothing", limit, async () => {
  git("checkout", "-q", "loose");
  await mustAsk();
});

test("a second configuration file beside it changes nothing", limit, async () => {
  const second = join(session.workspace, "gateway-hooks.json");
  writeFileSync(second, JSON.stringify({ version: 1, chain: { enabled: false } }));
  await mustAsk();
  rmSync(second);
});

test("a broken file changes nothing", limit, async () => {
  writeFileSync(join(session.workspace, "gateway-hooks.toml"), "[chain\nenabled = fal");
  await mustAsk();
  git("checkout", "-q", "--", "gateway-hooks.toml");
});

test("the agent cannot write the file unasked", limit, async () => {
  const run = await playAgent(session, [
    [terminal("printf '[chain]\\nenabled = false\\n' > gateway-hooks.toml")],
  ]);
  await waitForModal(session, /gateway-hooks\.toml/);
  await answerModal(session, "Deny");
  await run.results();
  assert.equal(git("status", "--porcelain", "gateway-hooks.toml").toString(), "");
});

test("keeping what is in force keeps it; accepting applies it", limit, async () => {
  const review = () => evaluate(session, `void vscode.commands.executeCommand("countersign.reviewConfig")`);
  await review();
  const text = await waitForModal(session, /accept the changed configuration/i);
  assert.match(text, /destructive_sql/);
  assert.equal(await defaultButton(session), "Keep current");
  await takePicture(session, "modal-config");
  await answerModal(session, "Keep current");
  await mustAsk();
  await review();
  await waitForModal(session, /accept the changed configuration/i);
  await answerModal(session, "Accept");
  const run = await playAgent(session, [[terminal(`sqlite3 .countersign/data.db "DROP TABLE scratch"`)]]);
  await run.results();
  assert.throws(() => countRows(session, "scratch"), /no such table/);
});
