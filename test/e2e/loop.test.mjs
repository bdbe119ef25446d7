/**
 * The main job in a real editor with "bypass approvals" on: the agent calls, the hook holds, a person answers in our modal,
 * the call runs or not, the log tells. One server and one page for the whole file.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { BYPASS_APPROVALS } from "../../scripts/host.mjs";
import {
  answerModal,
  auditFile,
  auditRecords,
  changeDatabase,
  closeSession,
  countRows,
  defaultButton,
  dialogOf,
  evaluate,
  noModalFor,
  openPanel,
  openSession,
  playAgent,
  query,
  takePicture,
  terminal,
  until,
  waitForModal,
} from "./harness.mjs";

const TABLES = `
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users (name) VALUES ('Ada'), ('Grace');
  CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT); INSERT INTO orders (item) VALUES ('a'), ('b'), ('c'), ('d');
  CREATE TABLE scratch (id INTEGER);
`;

let session;
let failures = 0;

before(
  async () => {
    session = await openSession({
      name: "loop",
      files: { "README.md": "# Shop\n" },
      database: TABLES,
      settings: { "chat.permissions.default": "autoApprove" },
      machineSettings: BYPASS_APPROVALS,
    });
  },
  { timeout: 300_000 },
);
after(() => closeSession(session, { failed: failures > 0 }));
afterEach(async (context) => {
  if (context.error || context.passed === false) {
    failures += 1;
    if (session) await takePicture(session, `failed-${context.name.replace(/\W+/g, "-").slice(0, 60)}`);
  }
  // What a failed test left open must not be taken for the next one's modal.
  while (session && (await dialogOf(session.page).count()) > 0) {
    await session.page.keyboard.press("Escape");
    await new Promise((later) => setTimeout(later, 1500));
  }
});

const limit = { timeout: 150_000 };
const sqlite = (sql) => terminal(`sqlite3 .countersign/data.db "${sql}"`);

test("a call that nothing speaks against runs without a dialog", limit, async () => {
  const run = await playAgent(session, [
    [terminal("echo harmless > harmless.txt")],
    [query("SELECT name FROM users ORDER BY id")],
  ]);
  const [, rows] = await run.results();
  assert.equal(readFileSync(join(session.workspace, "harmless.txt"), "utf8").trim(), "harmless");
  assert.match(rows, /Ada[\s\S]*Grace/);
});

test("DROP TABLE in the terminal: Deny, and the model is told why", limit, async () => {
  const run = await playAgent(session, [[sqlite("DROP TABLE users")]]);
  const text = await waitForModal(session, /DROP TABLE users/);
  assert.match(text, /sqlite3/);
  assert.equal(await defaultButton(session), "Deny");
  await takePicture(session, "modal-terminal");
  await answerModal(session, "Deny");
  const [told] = await run.results();
  assert.match(told, /denied/i);
  assert.match(told, /do not continue/i);
  assert.equal(countRows(session, "users"), 2);
  const records = auditRecords(session).filter((record) =>
    JSON.stringify(record.args ?? {}).includes("DROP TABLE users"),
  );
  assert.ok(
    records.some((record) => record.decision === "denied"),
    JSON.stringify(records),
  );
});

test("DROP TABLE in the terminal: Allow once runs it once, the same call asks again", limit, async () => {
  const run = await playAgent(session, [[sqlite("DROP TABLE scratch")], [sqlite("DROP TABLE scratch")]]);
  await waitForModal(session, /DROP TABLE scratch/);
  await answerModal(session, "Allow once");
  await until(() => run.partial().length === 1, "the first call's result");
  assert.throws(() => countRows(session, "scratch"), /no such table/);
  changeDatabase(session, "CREATE TABLE scratch (id INTEGER)");
  await waitForModal(session, /DROP TABLE scratch/);
  await answerModal(session, "Deny");
  await run.results();
  assert.equal(countRows(session, "scratch"), 0);
});

test(
  "DELETE through db_query_sql: Deny runs nothing, Allow once runs once, the same call asks again",
  limit,
  async () => {
    const call = query("DELETE FROM orders WHERE id = 1");
    const run = await playAgent(session, [[call], [call], [call]]);
    await waitForModal(session, /DELETE FROM orders/);
    await answerModal(session, "Deny");
    await until(() => run.partial().length === 1, "the first call's result");
    assert.equal(countRows(session, "orders"), 4);
    await waitForModal(session, /DELETE FROM orders/);
    await answerModal(session, "Allow once");
    await until(() => run.partial().length === 2, "the second call's result");
    assert.equal(countRows(session, "orders"), 3);
    changeDatabase(session, "INSERT INTO orders (id, item) VALUES (1, 'again')");
    await waitForModal(session, /DELETE FROM orders/);
    await answerModal(session, "Deny");
    const [first, , third] = await run.results();
    for (const told of [first, third]) assert.match(told, /do not continue/i);
    assert.equal(countRows(session, "orders"), 4);
  },
);

test("an agent that sends confirm_destructive itself is asked all the same", limit, async () => {
  const run = await playAgent(session, [[query("DELETE FROM orders", { confirm_destructive: true })]]);
  await waitForModal(session, /DELETE FROM orders/);
  await answerModal(session, "Deny");
  await run.results();
  assert.equal(countRows(session, "orders"), 4);
  const forged = auditRecords(session).filter((record) =>
    record.findings?.some((finding) => finding.code === "forged_consent"),
  );
  assert.ok(forged.length > 0, "the log has no finding forged_consent");
});

test("two identical parallel calls on one Allow once: one runs", limit, async () => {
  const call = terminal(
    `sqlite3 .countersign/data.db "DELETE FROM orders WHERE id = 77" && echo ran >> parallel.txt`,
  );
  const run = await playAgent(session, [[call, call]]);
  await waitForModal(session, /DELETE FROM orders WHERE id = 77/);
  await answerModal(session, "Allow once");
  await waitForModal(session, /DELETE FROM orders WHERE id = 77/);
  await answerModal(session, "Deny");
  await run.results();
  assert.equal(readFileSync(join(session.workspace, "parallel.txt"), "utf8"), "ran\n");
});

test("a double click approves one call only", limit, async () => {
  const call = (n) =>
    terminal(`sqlite3 .countersign/data.db "DELETE FROM orders WHERE id = 8${n}" && touch double${n}.txt`);
  const run = await playAgent(session, [[call(1), call(2)]]);
  await waitForModal(session, /id = 81/);
  await new Promise((later) => setTimeout(later, 1000));
  const box = await dialogOf(session.page)
    .getByRole("button", { name: "Allow once", exact: true })
    .boundingBox();
  const spot = [box.x + box.width / 2, box.y + box.height / 2];
  await session.page.mouse.dblclick(...spot);
  // Someone who clicks on and on at the same spot approves nothing that was not on the screen long enough to be read.
  for (let clicks = 0; clicks < 8; clicks += 1) await session.page.mouse.click(...spot, { delay: 20 });
  await waitForModal(session, /id = 82/);
  await answerModal(session, "Deny");
  await run.results();
  assert.equal(existsSync(join(session.workspace, "double1.txt")), true);
  assert.equal(existsSync(join(session.workspace, "double2.txt")), false);
});

test("a link swapped while the modal is open: asked again, with what changed", limit, async () => {
  for (const name of ["outside-a", "outside-b"]) {
    mkdirSync(join(session.dir, name));
    writeFileSync(join(session.dir, name, "note.txt"), `content of ${name}\n`);
  }
  const link = join(session.workspace, "shared");
  symlinkSync(join(session.dir, "outside-a"), link);
  const run = await playAgent(session, [
    [{ tool: "read_file", input: { filePath: join(link, "note.txt"), startLine: 1, endLine: 10 } }],
  ]);
  await waitForModal(session, /note\.txt/);
  rmSync(link);
  symlinkSync(join(session.dir, "outside-b"), link);
  await answerModal(session, "Allow once");
  const again = await waitForModal(session, /note\.txt/);
  assert.match(again, /changed/i);
  await takePicture(session, "modal-changed");
  await answerModal(session, "Deny");
  const [told] = await run.results();
  assert.doesNotMatch(told, /content of/);
});

test("closing the modal denies", limit, async () => {
  const run = await playAgent(session, [[query("DELETE FROM orders")]]);
  await waitForModal(session, /DELETE FROM orders/);
  await session.page.keyboard.press("Escape");
  const [told] = await run.results();
  assert.match(told, /denied|not|closed/i);
  assert.equal(countRows(session, "orders"), 4);
});

/** How many records there are once no more come: the last call's result is written after the agent has it. */
async function recordsAtRest() {
  for (let before = -1; ; await new Promise((later) => setTimeout(later, 2000))) {
    const now = auditRecords(session).length;
    if (now === before) return now;
    before = now;
  }
}

/** Plays one harmless call while something of ours is broken; it must not run. */
async function mustBeDenied(file) {
  const run = await playAgent(session, [[terminal(`touch ${file}`)]]);
  const [told] = await run.results();
  assert.match(told, /guard broken/i);
  assert.equal(existsSync(join(session.workspace, file)), false);
  assert.equal(await noModalFor(session, 300), true);
}

/** As where there is no curl: the hook's line starts the client in the editor's runtime. */
async function withoutCurl(play) {
  const good = await evaluate(session, "return process.env.COUNTERSIGN_HTTP");
  assert.match(good, /^\/.*\/h$/);
  await evaluate(session, "delete process.env.COUNTERSIGN_HTTP");
  await play();
  await evaluate(session, `process.env.COUNTERSIGN_HTTP = ${JSON.stringify(good)}`);
}

test(
  "without curl a call is carried by the editor's runtime; one that answers nothing: denied",
  limit,
  async () => {
    const good = await evaluate(session, "return process.env.COUNTERSIGN_NODE");
    await withoutCurl(async () => {
      const run = await playAgent(session, [[terminal("touch by-runtime.txt")]]);
      await run.results();
      assert.equal(existsSync(join(session.workspace, "by-runtime.txt")), true);
      await evaluate(session, `process.env.COUNTERSIGN_NODE = "/bin/true"`);
      await mustBeDenied("bin-true.txt");
    });
    await evaluate(session, `process.env.COUNTERSIGN_NODE = ${JSON.stringify(good)}`);
  },
);

test("a client that prints nothing: denied", limit, async () => {
  const path = await evaluate(
    session,
    `return vscode.extensions.getExtension("countersign.countersign").extensionPath`,
  );
  const client = join(path, "dist/agent-plugin/client.js");
  const good = readFileSync(client);
  await withoutCurl(async () => {
    writeFileSync(client, "");
    await mustBeDenied("silent.txt");
    writeFileSync(client, 'process.stdout.write("{}")');
    await mustBeDenied("no-token.txt");
  });
  writeFileSync(client, good);
});

test("a broker that is gone: denied", limit, async () => {
  const socket = await evaluate(
    session,
    `return Object.entries(process.env).find(([name, value]) => name.startsWith("COUNTERSIGN") && /^\\/.*\\/s$/.test(value))[1]`,
  );
  const folder = dirname(socket);
  renameSync(folder, `${folder}.away`);
  await mustBeDenied("no-broker.txt");
  renameSync(`${folder}.away`, folder);
  assert.ok(existsSync(dirname(socket)));
  const run = await playAgent(session, [[terminal("touch broker-back.txt")]]);
  await run.results();
  assert.equal(existsSync(join(session.workspace, "broker-back.txt")), true);
});

test("the panel shows the records, verifies them, and names a changed one", limit, async () => {
  const log = auditFile(session);
  const panel = await openPanel(session);
  const count = await recordsAtRest();
  await panel.getByRole("row").filter({ hasText: "db_query_sql" }).first().waitFor();
  await panel.getByRole("button", { name: "Verify", exact: true }).click();
  await panel
    .getByText(new RegExp(`The chain is intact: ${count} records`))
    .first()
    .waitFor();
  await takePicture(session, "panel-verified");
  const good = readFileSync(log);
  const lines = good.toString("utf8").split("\n");
  const bad = Buffer.from(good);
  const at = Buffer.byteLength(lines.slice(0, 4).join("\n")) + 1 + lines[4].indexOf('"ts":"') + 6;
  bad[at] = bad[at] === 0x32 ? 0x33 : 0x32;
  writeFileSync(log, bad);
  await panel.getByRole("button", { name: "Verify", exact: true }).click();
  await panel
    .getByText(/broken at line 5\b/)
    .first()
    .waitFor();
  await takePicture(session, "panel-tampered");
  writeFileSync(log, good);
});
