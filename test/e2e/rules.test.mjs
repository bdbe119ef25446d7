/** Rules in a real editor: mistakes at their place, last good rules in force, what a person is shown before code may run. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { BYPASS_APPROVALS } from "../../scripts/host.mjs";
import {
  answerModal,
  auditRecords,
  closeSession,
  defaultButton,
  dialogOf,
  evaluate,
  openSession,
  playAgent,
  takePicture,
  terminal,
  until,
  waitForModal,
} from "./harness.mjs";

const RULE = `version = 1

[[hooks.pre_tool_call]]
name = "no-forbidden-file"
matcher = "run_in_terminal"
arg = { command = "forbidden" }
handlers = [{ type = "deny", reason = "that file is not to be made" }]
`;
const BROKEN = RULE.replace("handlers =", "handlrs =").replace('"forbidden"', '"forbidden("');
const CODE = `${RULE}
[[hooks.pre_tool_call]]
name = "ask-a-program"
matcher = "run_in_terminal"
arg = { command = "asked" }
handlers = [{ type = "command", command = ["node", "./check.mjs"], timeout = 20 }]
`;
const script = (code) => `process.stderr.write("the program says no"); process.exit(${code});\n`;

let session;
let failures = 0;
const inFolder = (name) => join(session.workspace, name);
const uri = () => `vscode.Uri.file(${JSON.stringify(inFolder("gateway-hooks.toml"))})`;
const write = (text) => writeFileSync(inFolder("gateway-hooks.toml"), text);

before(
  async () => {
    session = await openSession({
      name: "rules",
      files: { "README.md": "# Shop\n", "gateway-hooks.toml": RULE, "check.mjs": script(0) },
      settings: { "chat.permissions.default": "autoApprove", "workbench.colorTheme": "Light Modern" },
      machineSettings: BYPASS_APPROVALS,
    });
    await evaluate(session, `await vscode.window.showTextDocument(${uri()})`);
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

async function runs(file) {
  const run = await playAgent(session, [[terminal(`touch ${file}`)]]);
  const [text] = await run.results();
  return { text, made: existsSync(inFolder(file)) };
}

const problems = () =>
  evaluate(
    session,
    `return vscode.languages.getDiagnostics(${uri()}).map((d) => [d.range.start.line, d.range.start.character, d.range.end.character, d.message])`,
  );

test("a rule that only denies is in force at once", limit, async () => {
  const { text, made } = await runs("forbidden.txt");
  assert.match(text, /that file is not to be made/);
  assert.equal(made, false);
  assert.equal((await runs("harmless.txt")).made, true);
});

test("above the rule stands how often it spoke today", limit, async () => {
  const titles = await until(async () => {
    const lenses = await evaluate(
      session,
      `return (await vscode.commands.executeCommand("vscode.executeCodeLensProvider", ${uri()}, 20)).map((l) => [l.range.start.line, l.command?.title])`,
    );
    return lenses.some(([, title]) => /matched 1 call/.test(title ?? "")) ? lenses : undefined;
  }, "the lens counts the call");
  // Those that know their command come first in this list; on the screen the count is the first.
  assert.deepEqual(titles, [
    [2, "Explain"],
    [2, "Try a call"],
    [2, "matched 1 call today, 1 denied"],
  ]);
  await takePicture(session, "rules-lens");
});

const shownText = (start) =>
  until(
    () =>
      evaluate(
        session,
        `return vscode.window.visibleTextEditors.find((e) => e.document.uri.scheme === "countersign-rule" && /${start}/.test(e.document.getText()))?.document.getText() ?? ""`,
      ),
    `a text with ${start}`,
    15_000,
  );

test("the rule is explained in words, and a recorded call can be tried on it", limit, async () => {
  const where = `{ uri: ${uri()}.toString(), event: "pre_tool_call", name: "no-forbidden-file" }`;
  const call = (command) => evaluate(session, `void vscode.commands.executeCommand("${command}", ${where})`);
  await call("countersign.explainRule");
  assert.match(await shownText("Before a tool runs"), /Denies the call: “that file is not to be made”/);
  await call("countersign.tryCall");
  await session.page.locator(".quick-input-widget:visible .quick-input-list-entry").first().waitFor();
  await session.page.keyboard.type("forbidden");
  await takePicture(session, "rules-try");
  await session.page.keyboard.press("Enter");
  assert.match(await shownText("Denied by"), /Denied by no-forbidden-file: that file is not to be made/);
  await takePicture(session, "rules-tried");
  await evaluate(
    session,
    `await vscode.commands.executeCommand("workbench.action.closeAllEditors"); await vscode.window.showTextDocument(${uri()})`,
  );
});

test(
  "completion knows the keys and the tools that were called; hover tells what a key does",
  limit,
  async () => {
    const labels = await evaluate(
      session,
      `const list = await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", ${uri()}, new vscode.Position(4, 11));
     return list.items.map((item) => typeof item.label === "string" ? item.label : item.label.label)`,
    );
    assert.ok(labels.includes("run_in_terminal"), labels.join());
    const hover = await evaluate(
      session,
      `const list = await vscode.commands.executeCommand("vscode.executeHoverProvider", ${uri()}, new vscode.Position(4, 2));
     return list.flatMap((one) => one.contents.map((part) => part.value ?? part)).join(" ")`,
    );
    assert.match(hover, /whole name of the tool/);
  },
);

test(
  "mistakes stand at their keys with what to do, and the last good rules stay in force",
  limit,
  async () => {
    write(BROKEN);
    const found = await until(async () => {
      const now = await problems();
      return now.length >= 2 ? now : undefined;
    }, "both mistakes are shown");
    assert.equal(found.length, 2, JSON.stringify(found));
    const [pattern, key] = [...found].sort(([a], [b]) => a - b);
    assert.equal(pattern[0], 5);
    assert.match(pattern[3], /command/);
    assert.deepEqual(key.slice(0, 3), [6, 0, 7]);
    assert.match(key[3], /handlrs.*handlers/);
    await evaluate(
      session,
      `const editor = await vscode.window.showTextDocument(${uri()});
     editor.selection = new vscode.Selection(6, 2, 6, 2);
     void vscode.commands.executeCommand("editor.action.showHover")`,
    );
    await session.page.locator(".monaco-hover:visible").first().waitFor({ timeout: 10_000 });
    await takePicture(session, "rules-mistake");
    const { text, made } = await runs("forbidden.txt");
    assert.match(text, /that file is not to be made/);
    assert.equal(made, false);
  },
);

test("before code of a rule may run a person sees every file that it runs", limit, async () => {
  write(CODE);
  await evaluate(session, `void vscode.commands.executeCommand("countersign.reviewConfig")`);
  const text = await waitForModal(session, /accept the changed configuration/i);
  assert.match(text, /ask-a-program/);
  assert.match(text, /Reaches check\.mjs \(new\), SHA-256 [0-9a-f]{16}/);
  assert.equal(await defaultButton(session), "Keep current");
  await takePicture(session, "rules-review");
  await answerModal(session, "Accept");
  assert.equal((await runs("asked-1.txt")).made, true);
  const accepted = auditRecords(session).findLast(({ event }) => event === "config_accepted");
  assert.match(accepted.data.diff.join("\n"), /^[0-9a-f]{64} {2}.*check\.mjs$/m);
});

test("a file that changed since denies until it is accepted again", limit, async () => {
  writeFileSync(inFolder("check.mjs"), script(2));
  const changed = await runs("asked-2.txt");
  assert.match(changed.text, /check\.mjs has changed|not those that a person accepted/);
  assert.equal(changed.made, false);
  await evaluate(session, `void vscode.commands.executeCommand("countersign.reviewConfig")`);
  const text = await waitForModal(session, /accept the files that the rules run/i);
  assert.match(text, /Reaches check\.mjs \(changed\)/);
  await answerModal(session, "Show differences");
  await session.page.locator(".multiDiffEditor, .monaco-diff-editor").first().waitFor({ timeout: 15_000 });
  await takePicture(session, "rules-differences");
  await evaluate(session, `void vscode.commands.executeCommand("countersign.reviewConfig")`);
  await waitForModal(session, /accept the files that the rules run/i);
  await answerModal(session, "Accept");
  const after = await runs("asked-3.txt");
  assert.match(after.text, /the program says no/);
  assert.equal(after.made, false);
});

test(
  "the end of a turn is put to the rules, on record, and a refusal is told to the person",
  limit,
  async () => {
    write(
      `${CODE}\n[[hooks.run_end]]\nname = "no-report"\nhandlers = [{ type = "deny", reason = "nobody has looked at it" }]\n`,
    );
    assert.equal((await runs("harmless-2.txt")).made, true);
    const called = auditRecords(session).findLast(({ event }) => event === "call");
    // The turn before may end late.
    const isEnd = ({ event, session_id }) => event === "run_end" && session_id === called.session_id;
    const ended = await until(async () => auditRecords(session).findLast(isEnd), "the run's record");
    assert.equal(ended.decision, "denied");
    assert.equal(ended.by, "no-report");
    assert.equal(ended.reason, "nobody has looked at it");
    const notice = session.page.locator(".notification-toast").filter({ hasText: /nobody has looked at it/ });
    await notice.first().waitFor({ timeout: 15_000 });
    await takePicture(session, "rules-run-end");
  },
);
