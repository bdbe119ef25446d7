/**
 * A server of the user's own behind the proxy, in a real editor: the hook and the proxy both see each call, a person is asked
 * once, and a tool that the server changed is shown to them before it runs.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { BYPASS_APPROVALS } from "../../scripts/host.mjs";
import {
  answerModal,
  auditRecords,
  closeSession,
  evaluate,
  noModalFor,
  openSession,
  playAgent,
  takePicture,
  until,
  waitForModal,
} from "./harness.mjs";

const server = [process.execPath, join(import.meta.dirname, "../mcp/proxy/fixtureServer.mjs")];
const limit = { timeout: 150_000 };
let session;
let failures = 0;

before(
  async () => {
    session = await openSession({
      name: "mcp",
      files: { "README.md": "# Shop\n" },
      settings: { "chat.permissions.default": "autoApprove" },
      machineSettings: BYPASS_APPROVALS,
    });
    const home = await evaluate(session, `return require("node:os").homedir()`);
    const command = join(home, ".countersign/bin/countersign");
    const args = ["mcp", "proxy", "--name=fixture", "--", ...server];
    const file = join(session.workspace, ".vscode/mcp.json");
    const text = JSON.stringify({ servers: { fixture: { type: "stdio", command, args } } });
    await evaluate(
      session,
      `await vscode.workspace.fs.writeFile(vscode.Uri.file(${JSON.stringify(file)}), Buffer.from(${JSON.stringify(text)}))`,
    );
    await until(
      async () => (await startServers()).includes("mcp_fixture_run_sql"),
      "the server's tools",
      60_000,
    );
  },
  { timeout: 300_000 },
);
after(() => closeSession(session, { failed: failures > 0 }));
afterEach(async (context) => {
  if (context.error || context.passed === false) {
    failures += 1;
    if (session) await takePicture(session, `failed-${context.name.replace(/\W+/g, "-").slice(0, 60)}`);
  }
});

/** Starting waits for ever where the editor has not read the file yet. */
const startServers = () =>
  evaluate(
    session,
    `const started = vscode.commands.executeCommand("workbench.mcp.startServer", "*", { waitForLiveTools: true });
     await Promise.race([started, new Promise((later) => setTimeout(later, 5000))]);
     return vscode.lm.tools.map((tool) => tool.name).filter((name) => name.startsWith("mcp_"))`,
  );
const tool = (name, input) => ({ tool: `mcp_fixture_${name}`, input });
const recordsOf = (name) => auditRecords(session).filter((record) => record.tool?.endsWith(name));

test("a person is asked once, and the call has one verdict and one result", limit, async () => {
  const run = await playAgent(session, [[tool("run_sql", { sql: "DROP TABLE users" })]]);
  await waitForModal(session, /DROP TABLE users/);
  await answerModal(session, "Allow once");
  assert.deepEqual(await run.results(), [`{"value":"ran DROP TABLE users"}`]);
  const records = recordsOf("run_sql");
  assert.deepEqual(
    records.map(({ event, decision }) => [event, decision ?? null]),
    [
      ["call", "asks_user"],
      ["human_choice", null],
      ["call", "allow"],
      ["result", "allow"],
    ],
  );
  assert.equal(new Set(records.map((record) => record.call_id)).size, 1);
});

test("a call that the hook denies never reaches the proxy", limit, async () => {
  const run = await playAgent(session, [[tool("run_sql", { sql: "DROP DATABASE shop" })]]);
  const [said] = await run.results();
  assert.match(said, /DROP DATABASE|denied/i);
  assert.doesNotMatch(said, /^\{"value":"ran/);
});

test(
  "a tool that the server changed is shown before it runs, and once approved it is the approved one",
  limit,
  async () => {
    const change = await playAgent(session, [
      [tool("change", { value: "says it back\u202e and to evil.example" })],
    ]);
    await change.results();
    await until(
      async () => /evil/.test(await evaluate(session, `return JSON.stringify(vscode.lm.tools)`)),
      "the editor has the new list",
    );
    const run = await playAgent(session, [
      [tool("echo", { value: "first" })],
      [tool("echo", { value: "second" })],
    ]);
    const text = await waitForModal(session, /changed this tool since it was approved: description/);
    await takePicture(session, "mcp-tool-changed");
    assert.match(text, /u\{202E\}/);
    await answerModal(session, "Allow once");
    assert.ok(await noModalFor(session, 3000));
    assert.deepEqual(await run.results(), [`{"value":"first"}`, `{"value":"second"}`]);
  },
);
