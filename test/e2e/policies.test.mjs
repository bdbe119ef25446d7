/**
 * The whole way of a hook policy in real editors, by our command line and a person's clicks: written in one workspace, pushed to
 * a registry, installed in another, inert until somebody trusts it there. Each test says what the page on hook policies says.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { BYPASS_APPROVALS } from "../../scripts/host.mjs";
import { cleanEnvironment } from "../../scripts/serverProcess.mjs";
import { root } from "../../scripts/setup.mjs";
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
import { startRegistry } from "./registry.mjs";

const CARD = "@your-handle/backend";
const POLICY = `${CARD}/audit-tool-calls`;
const limit = { timeout: 240_000 };

let author;
let consumer;
let registry;
let failures = 0;

const open = (name) =>
  openSession({
    name,
    files: { "README.md": "# Shop\n" },
    settings: { "chat.permissions.default": "autoApprove", "workbench.colorTheme": "Light Modern" },
    machineSettings: BYPASS_APPROVALS,
  });

before(
  async () => {
    author = await open("policies");
    registry = await startRegistry(join(author.dir, "registry"));
  },
  { timeout: 300_000 },
);
after(async () => {
  registry?.stop();
  await closeSession(consumer, { failed: failures > 0 });
  await closeSession(author, { failed: failures > 0 });
});
afterEach(async (context) => {
  const bad = context.error || context.passed === false;
  if (bad) failures += 1;
  for (const session of [author, consumer].filter(Boolean)) {
    if (bad)
      await takePicture(
        session,
        `failed-${context.name.replace(/\W+/g, "-").slice(0, 60)}-${session === author ? "author" : "consumer"}`,
      );
    while ((await dialogOf(session.page).count()) > 0) {
      await session.page.keyboard.press("Escape");
      await new Promise((later) => setTimeout(later, 1500));
    }
  }
});

/** Our command line as the person of `session` has it. */
function countersign(session, ...words) {
  const npm = {
    npm_config_cache: join(session.dir, "npm-cache"),
    npm_config_userconfig: join(session.dir, "npmrc"),
  };
  const child = spawn(process.execPath, [join(root, "dist/cli.js"), ...words], {
    cwd: session.workspace,
    env: cleanEnvironment({ HOME: session.server.home, ...npm }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  return new Promise((done) => child.once("close", (code) => done({ code, text })));
}

async function works(session, ...words) {
  const done = await countersign(session, ...words);
  assert.equal(done.code, 0, `countersign ${words.join(" ")}: ${done.text}`);
  return done.text;
}

const inFolder = (session, ...parts) => join(session.workspace, ...parts);
const policyFile = () => inFolder(author, "backend/hooks/audit-tool-calls/policy.ts");
const policyUri = () => `vscode.Uri.file(${JSON.stringify(policyFile())})`;

function write(text, version) {
  writeFileSync(policyFile(), text);
  const file = inFolder(author, "backend/card.json");
  const card = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ ...card, version }, null, 2)}\n`);
}

const policy = (
  body,
  head = 'policyKind: "enforcement",\n  matcher: "Bash",',
) => `import { defineToolPolicy } from "countersign/policy";

export default defineToolPolicy({
  ${head}

  async beforeToolCall(event) {
${body}
  },
});
`;

async function call(session, command) {
  const run = await playAgent(session, [[terminal(command)]]);
  const [text] = await run.results();
  const record = auditRecords(session).findLast(
    ({ event, args }) =>
      event === "call" && JSON.stringify(args ?? {}).includes(JSON.stringify(command).slice(1, -1)),
  );
  return { text, record };
}
const spoke = ({ record }, name = POLICY) => record?.trail?.filter(({ by }) => by === name) ?? [];

/** \`card trust\` as a person types it, and the click in the editor. */
async function trust(session, click, look) {
  const asked = countersign(session, "card", "trust", CARD, "--hooks");
  const text = await waitForModal(session, /Trust the policies of @your-handle\/backend/);
  assert.equal(await defaultButton(session), "Do not trust");
  await look?.(text);
  await answerModal(session, click);
  return asked;
}

async function installHere(version) {
  await works(author, "card", "install", CARD, "--from", "backend");
  const { code, text } = await trust(author, "Trust");
  assert.equal(code, 0, text);
  assert.match(text, /trusted/);
  assert.match(readFileSync(inFolder(author, "card.lock"), "utf8"), new RegExp(`"version": "${version}"`));
}

test("Prerequisites: an existing card source", limit, async () => {
  await works(author, "card", "new", CARD);
  assert.equal(JSON.parse(readFileSync(inFolder(author, "backend/card.json"), "utf8")).name, CARD);
});

test("Scaffold a policy: an observer stub, the safest default", limit, async () => {
  await works(author, "card", "source", "add-hook", CARD, "audit-tool-calls");
  assert.equal(
    readFileSync(policyFile(), "utf8"),
    `import { defineToolPolicy } from "countersign/policy";

export default defineToolPolicy({
  policyKind: "observer",
  async afterToolCall(event) {
    // Observe tool results here; errors are swallowed.
  },
});
`,
  );
});

const OBSERVER = policy(
  `    const cmd = String(event.input ?? "");
    if (cmd.includes("rm -rf")) {
      // Log the attempt — observer mode won't block it
      console.warn("Observed rm -rf attempt:", cmd);
      return { action: "deny", reason: "not here" };
    }
    if (cmd.includes("break")) throw new Error("the policy is broken");
    return { action: "allow" };`,
  'policyKind: "observer",\n  matcher: "Bash",  // only intercept Bash tool calls',
).replace("countersign/policy", "darwinian-minds/hook-policy");

test(
  "After consumers install the card, they must grant hook trust before policies activate",
  limit,
  async () => {
    write(OBSERVER, "0.1.0");
    await works(author, "card", "install", CARD, "--from", "backend");
    assert.deepEqual(spoke(await call(author, "echo not-yet")), []);
    const refused = await trust(author, "Do not trust");
    assert.equal(refused.code, 1, refused.text);
    assert.deepEqual(spoke(await call(author, "echo still-not")), []);
  },
);

test("the dialog shows exactly what is trusted, and the click is on record", limit, async () => {
  const { code, text } = await trust(author, "Trust", async (shown) => {
    await takePicture(author, "policies-trust");
    assert.match(shown, /@your-handle\/backend 0\.1\.0/);
    assert.match(shown, /\^0\.1\.0/);
    assert.match(shown, /Content SHA-256 [0-9a-f]{64}/);
    assert.match(shown, /audit-tool-calls: observer/);
    assert.match(shown, /hooks\/audit-tool-calls\/policy\.ts, \d+ bytes, SHA-256 [0-9a-f]{16}/);
    assert.match(shown, /card\.json, \d+ bytes, SHA-256 [0-9a-f]{16}/);
    assert.match(shown, /without files, programs or network/);
  });
  assert.equal(code, 0, text);
  const record = auditRecords(author).findLast(({ event }) => event === "trust");
  assert.equal(record.approver, "person");
  assert.equal(record.data.card, CARD);
  assert.match(record.data.digest, /^[0-9a-f]{64}$/);
  assert.ok(record.sig, "the record is signed");
});

test(
  "Write a beforeToolCall handler: observer policies never block, errors are swallowed",
  limit,
  async () => {
    const observed = await call(author, 'echo "rm -rf build"');
    assert.match(observed.text, /rm -rf build/);
    assert.equal(spoke(observed)[0]?.decision, "log-only");
    assert.match(JSON.stringify(observed.record.findings), /would_deny/);
    const broken = await call(author, "echo break");
    assert.match(broken.text, /break/);
    assert.equal(spoke(broken)[0]?.decision, "error");
  },
);

test("above the policy stands what it would have denied today", limit, async () => {
  await evaluate(author, `await vscode.window.showTextDocument(${policyUri()})`);
  await evaluate(
    author,
    `void vscode.commands.executeCommand("countersign.runPolicyOnCalls", ${policyUri()}.toString())`,
  );
  await waitForModal(author, /Run the policies of @your-handle\/backend/);
  assert.equal(await defaultButton(author), "Do not run");
  await takePicture(author, "policies-run-asked");
  await answerModal(author, "Run it");
  const title = await until(
    async () => {
      const lenses = await evaluate(
        author,
        `return (await vscode.commands.executeCommand("vscode.executeCodeLensProvider", ${policyUri()}, 20)).map((l) => l.command?.title)`,
      );
      return lenses.find((one) => /would have denied/.test(one ?? ""));
    },
    "the lens tells what came of it",
    30_000,
  );
  assert.match(title, /^would have denied 1 of \d+ today$/);
  const listed = await until(
    () =>
      evaluate(
        author,
        `return vscode.window.visibleTextEditors.find((e) => e.document.uri.scheme === "countersign-policy")?.document.getText() ?? ""`,
      ),
    "the list",
    15_000,
  );
  assert.match(listed, /deny: run_in_terminal .*rm -rf build/);
  await takePicture(author, "policies-lens");
});

test("Switching to enforcement: one quick fix", limit, async () => {
  await evaluate(
    author,
    `await vscode.commands.executeCommand("workbench.action.closeAllEditors");
     const document = await vscode.workspace.openTextDocument(${policyUri()});
     const editor = await vscode.window.showTextDocument(document);
     const at = document.positionAt(document.getText().indexOf('"observer"') + 2);
     editor.selection = new vscode.Selection(at, at);
     const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, editor.selection, "quickfix");
     const action = actions.find((one) => /enforcement/.test(one.title));
     await vscode.workspace.applyEdit(action.edit);
     await document.save();`,
  );
  assert.equal(readFileSync(policyFile(), "utf8"), OBSERVER.replace('"observer"', '"enforcement"'));
});

const DECISIONS = `    const cmd = String(event.input ?? "");
    if (cmd.includes("rm -rf /")) {
      return {
        action: "deny",
        reason: "Destructive root-level deletion is not permitted.",
        syntheticOutput: "Command blocked by policy.",
      };
    }
    if (cmd.includes("case-rewrite"))
      return { action: "allow", additionalContext: "case-noted", updatedInput: { ...event.input, command: "echo rewritten" } };
    if (cmd.includes("case-ask")) return { action: "ask", reason: "somebody should look" };
    if (cmd.includes("case-log")) return { action: "log-only" };
    if (cmd.includes("case-none")) return undefined;
    if (cmd.includes("case-error")) throw new Error("the policy is broken");
    if (cmd.includes("case-loop")) for (;;);
    return { action: "allow" };`;

test(
  "With enforcement a deny blocks the call, and errors in the handler are treated as denials",
  limit,
  async () => {
    write(policy(DECISIONS), "0.2.0");
    await works(author, "card", "install", CARD, "--from", "backend");
    const { code, text } = await trust(author, "Trust", async (shown) => {
      assert.match(shown, /audit-tool-calls: enforcement/);
      assert.match(shown, /policy\.ts \(changed\)/);
      await takePicture(author, "policies-trust-changed");
    });
    assert.equal(code, 0, text);
    const denied = await call(author, 'echo "rm -rf / now"');
    assert.match(denied.text, /Destructive root-level deletion is not permitted|Command blocked by policy/);
    assert.equal(denied.record.decision, "denied");
    assert.equal(denied.record.by, POLICY);
    const broken = await call(author, "echo case-error");
    assert.match(broken.text, /policy error: .*the policy is broken/);
    assert.equal(broken.record.decision, "denied");
  },
);

test("Available decisions: allow with updatedInput, ask, log-only, undefined", limit, async () => {
  const rewritten = await call(author, "echo case-rewrite");
  assert.match(rewritten.text, /rewritten/);
  assert.doesNotMatch(rewritten.text, /^case-rewrite/m);
  const run = await playAgent(author, [[terminal("echo case-ask > asked.txt")]]);
  await waitForModal(author, /somebody should look/);
  await takePicture(author, "policies-ask");
  await answerModal(author, "Deny");
  await run.results();
  assert.equal(existsSync(inFolder(author, "asked.txt")), false);
  assert.equal(spoke(await call(author, "echo case-log"))[0]?.decision, "log-only");
  const none = await call(author, "echo case-none");
  assert.match(none.text, /case-none/);
  assert.equal(none.record.decision, "allow");
});

test("Add a matcher: only tools of that name", limit, async () => {
  write(
    policy(
      `    return { action: "deny", reason: "no writing here" };`,
      'policyKind: "enforcement",\n  // Only match file-writing tools\n  matcher: "Write",',
    ),
    "0.3.0",
  );
  await installHere("0.3.0");
  const free = await call(author, "echo of-another-name");
  assert.match(free.text, /of-another-name/);
  assert.deepEqual(spoke(free), []);
});

test("Set a timeout: treated as deny on timeout", limit, async () => {
  write(policy(DECISIONS, 'policyKind: "enforcement",\n  timeoutMs: 300,'), "0.4.0");
  await installHere("0.4.0");
  const late = await call(author, "echo case-loop");
  assert.match(late.text, /policy timeout \(300 ms\)/);
  assert.equal(late.record.decision, "denied");
  // It goes on judging.
  assert.match((await call(author, "echo after-the-loop")).text, /after-the-loop/);
});

test("a changed file loses trust, says so, and lets nothing but reads pass", limit, async () => {
  const installed = inFolder(author, ".countersign/cards", CARD, "0.4.0/hooks/audit-tool-calls/policy.ts");
  const trusted = readFileSync(installed, "utf8");
  writeFileSync(installed, trusted.replace('"enforcement"', '"observer"'));
  const stopped = await call(author, "echo with-a-changed-policy > changed.txt");
  assert.match(stopped.text, /guard broken/);
  assert.equal(existsSync(inFolder(author, "changed.txt")), false);
  await takePicture(author, "policies-changed");
  writeFileSync(installed, trusted);
  assert.match((await call(author, "echo whole-again")).text, /whole-again/);
});

test("Validate: doctor names the place, in the terminal and in the editor", limit, async () => {
  write(
    policy(`    return { action: "dney", reason: "x" };`, 'policyKind: "enforcement",\n  matcher: "Bash(",'),
    "1.0.0",
  );
  const found = await countersign(author, "card", "source", "doctor", CARD);
  assert.equal(found.code, 1, found.text);
  assert.match(found.text, /policy\.ts:5:12/);
  assert.match(found.text, /dney/);
  await evaluate(
    author,
    `await vscode.commands.executeCommand("workbench.action.closeAllEditors"); const d = await vscode.window.showTextDocument(${policyUri()}); await vscode.commands.executeCommand("workbench.action.files.revert"); const e = new vscode.WorkspaceEdit(); e.insert(${policyUri()}, new vscode.Position(0, 0), "// a policy\\n"); await vscode.workspace.applyEdit(e); await d.document.save();`,
  );
  const shown = await until(async () => {
    const list = await evaluate(
      author,
      `return vscode.languages.getDiagnostics(${policyUri()}).filter((d) => d.source === "countersign").map((d) => [d.range.start.line, d.code, d.message])`,
    );
    return list.length >= 2 ? list : undefined;
  }, "both mistakes in the editor");
  assert.deepEqual(shown.map(([line, code]) => [line, code]).sort(), [
    [5, "policy.matcher"],
    [8, "policy.decision"],
  ]);
  await takePicture(author, "policies-doctor");
  const refused = await countersign(author, "card", "push", CARD, "--registry", registry.url);
  assert.equal(refused.code, 1, refused.text);
});

test("Validate and publish: card push", limit, async () => {
  write(policy(DECISIONS), "1.0.0");
  await works(author, "card", "source", "doctor", CARD);
  writeFileSync(join(author.dir, "npmrc"), `//127.0.0.1:${registry.port}/:_authToken=of-this-test\n`);
  assert.match(await works(author, "card", "push", CARD, "--registry", registry.url), /1\.0\.0: pushed/);
});

test("Consumer trust: installed elsewhere it is inert, and doctor says so", {
  timeout: 400_000,
}, async () => {
  consumer = await open("policies-elsewhere");
  writeFileSync(join(consumer.dir, "npmrc"), "");
  await works(consumer, "card", "install", `${CARD}@^1.0.0`, "--registry", registry.url);
  assert.match(readFileSync(inFolder(consumer, "card.lock"), "utf8"), /"lockfileVersion": 3/);
  const inert = await call(consumer, 'echo "rm -rf / elsewhere"');
  assert.match(inert.text, /rm -rf \/ elsewhere/);
  assert.deepEqual(spoke(inert), []);
  // The word may change; what programs read may not.
  const doctor = await countersign(consumer, "doctor", "--json");
  const pending = JSON.parse(doctor.text).hookIssues.map(({ card, code, severity }) => [
    card,
    code,
    severity,
  ]);
  assert.deepEqual(pending, [[CARD, "card.hooks_pending", "warning"]]);
  mkdirSync(inFolder(consumer, ".claude"), { recursive: true });
  const strict = await countersign(consumer, "write", "--agent", "claude", "--strict");
  assert.equal(strict.code, 1, strict.text);
  assert.match(strict.text, /its hooks are left out/);
  await takePicture(consumer, "policies-inert");
});

test("Consumer trust: card trust --hooks, and the policy is active", limit, async () => {
  const { code, text } = await trust(consumer, "Trust", () =>
    takePicture(consumer, "policies-trust-elsewhere"),
  );
  assert.equal(code, 0, text);
  const denied = await call(consumer, 'echo "rm -rf / elsewhere, again"');
  assert.match(denied.text, /Destructive root-level deletion is not permitted|Command blocked by policy/);
  assert.equal(denied.record.by, POLICY);
  const doctor = await countersign(consumer, "doctor", "--json");
  assert.deepEqual(JSON.parse(doctor.text).hookIssues, []);
});

test("card untrust asks as well, and ends it", limit, async () => {
  const asked = countersign(consumer, "card", "untrust", CARD, "--hooks");
  await waitForModal(consumer, /Stop trusting the policies/);
  assert.equal(await defaultButton(consumer), "Keep trusting");
  await answerModal(consumer, "Stop trusting");
  const { code, text } = await asked;
  assert.equal(code, 0, text);
  assert.match((await call(consumer, 'echo "rm -rf / at last"')).text, /rm -rf \/ at last/);
});
