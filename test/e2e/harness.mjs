/** What every browser test needs: a real workbench with the packed extension and the scripted agent, and hands to use them. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import * as host from "../../scripts/host.mjs";
import { demoAgentFile, packageDemoAgent, productFile } from "../../scripts/package.mjs";
import { root } from "../../scripts/setup.mjs";

export const { dialogOf, runCommand, webviewOf } = host;

/** Waits until `look` gives something truthy and returns it. `look` may throw while it is not ready. */
export async function until(look, what, timeoutMs = 40_000) {
  const deadline = Date.now() + timeoutMs;
  let last;
  for (;;) {
    try {
      const value = await look();
      if (value) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs / 1000} s: ${what}`, { cause: last });
    await sleep(100);
  }
}

function readLines(file) {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/**
 * Starts a server with both .vsix files and opens `files` as a workspace.
 * The returned session is what the tests talk to; `close` leaves nothing behind unless `KEEP` is set.
 */
export async function openSession({
  name,
  files = {},
  database,
  settings = {},
  machineSettings = {},
  homeFiles = {},
  env = {},
}) {
  await packageDemoAgent();
  const dir = host.makeRunFolder(name);
  const workspace = join(dir, "workspace");
  mkdirSync(workspace);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(workspace, file, ".."), { recursive: true });
    writeFileSync(join(workspace, file), content);
  }
  if (database !== undefined) changeDatabase({ workspace }, database);
  const script = join(dir, "script.json");
  const transcript = join(dir, "transcript.jsonl");
  const portFile = join(dir, "evaluate.port");
  const token = randomBytes(16).toString("hex");
  const server = await host.startServer({
    dir,
    extensions: [process.env.COUNTERSIGN_VSIX ?? productFile, demoAgentFile],
    model: { vendor: "countersign-demo", name: "Scripted model (demo)" },
    settings,
    machineSettings,
    homeFiles,
    env: {
      COUNTERSIGN_DEMO_SCRIPT: script,
      COUNTERSIGN_DEMO_TRANSCRIPT: transcript,
      COUNTERSIGN_DEMO_EVALUATE: `${token}:${portFile}`,
      ...env,
    },
  });
  let browser;
  try {
    browser = await host.launchBrowser();
    const page = await host.openWorkbench(browser, server, { folder: workspace });
    const session = { dir, workspace, server, browser, page, script, transcript, portFile, token };
    await until(() => existsSync(portFile), "the scripted agent is active", 120_000);
    await until(
      () =>
        evaluate(
          session,
          `return vscode.extensions.getExtension("countersign.countersign")?.isActive === true`,
        ),
      "Countersign is active",
      60_000,
    );
    await evaluate(
      session,
      `await vscode.commands.executeCommand("setContext", "${host.AUTO_APPROVE_CONFIRMED}", true)`,
    );
    return session;
  } catch (error) {
    await browser?.close();
    await server.stop();
    throw new Error(`The workbench did not open (${dir})`, { cause: error });
  }
}

export async function closeSession(session, { failed = false } = {}) {
  if (session === undefined) return;
  await session.browser.close();
  await session.server.stop();
  if (failed || process.env.KEEP) console.log(`kept for a look: ${session.dir}`);
  else rmSync(session.dir, { recursive: true, force: true });
}

/** An extension host that never answers would keep a whole run waiting. */
const EVALUATE_MS = 120_000;

/** Runs code in the extension host and gives what it returns. */
export async function evaluate(session, code) {
  const port = readFileSync(session.portFile, "utf8");
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { authorization: session.token },
    body: code,
    signal: AbortSignal.timeout(EVALUATE_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`In the extension host: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** One turn of the agent; calls of one turn go out in parallel. */
export const terminal = (command) => ({
  tool: "run_in_terminal",
  input: { command, explanation: "test", goal: "test", mode: "sync", isBackground: false, timeout: 20_000 },
});
export const query = (sql, more = {}) => ({ tool: "db_query_sql", input: { sql, ...more } });

/**
 * Lets the agent play `turns` in a fresh chat. Returns a handle whose `results()` waits for the end of the run
 * and gives the text that the model got for every call, in order.
 */
export async function playAgent(session, turns, { answer = "END-OF-SCRIPT" } = {}) {
  const since = readLines(session.transcript).length;
  writeFileSync(session.script, JSON.stringify({ turns, answer }));
  await evaluate(session, `void vscode.commands.executeCommand("countersignDemo.run")`);
  const entries = () => readLines(session.transcript).slice(since);
  return {
    entries,
    partial: () => entries().filter((entry) => entry.kind === "result"),
    async results(timeoutMs = 60_000) {
      const end = await until(
        () => entries().find((entry) => entry.kind === "end"),
        "the agent's last answer",
        timeoutMs,
      );
      return end.results.map((result) => result.text);
    },
  };
}

/** Waits for a modal whose text fits, and gives that text. */
export async function waitForModal(session, pattern, timeoutMs = 45_000) {
  const dialog = host.dialogOf(session.page);
  return until(
    async () => {
      if ((await dialog.count()) === 0) return undefined;
      const text = await host.dialogText(dialog.first());
      if (!pattern.test(text)) throw new Error(`The modal says: ${text}`);
      return text;
    },
    `a modal with ${pattern}`,
    timeoutMs,
  );
}

/**
 * Clicks a button of the modal by its exact name and waits until that modal is gone. An Allow in the first 800 ms is
 * void by design (nobody reads that fast), so a person's click comes after a second.
 */
export async function answerModal(session, name, { readMs = 1000 } = {}) {
  const dialog = host.dialogOf(session.page).first();
  await sleep(readMs);
  const shown = await dialog.elementHandle();
  await dialog.getByRole("button", { name, exact: true }).click();
  await until(async () => !(await shown.evaluate((node) => node.isConnected)), "the modal closes", 10_000);
}

/** Name of the button that Enter presses. */
export const defaultButton = (session) =>
  host.dialogText(host.dialogOf(session.page).first().locator(".monaco-button:focus"));

/** True when no modal appears for `ms`. */
export async function noModalFor(session, ms) {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) {
    if ((await host.dialogOf(session.page).count()) > 0) return false;
    await sleep(50);
  }
  return true;
}

const databaseFile = ({ workspace }) => join(workspace, ".countersign/data.db");

/** Runs statements in the workspace's default database, past every guard. */
export function changeDatabase(session, sql) {
  mkdirSync(join(session.workspace, ".countersign"), { recursive: true });
  const db = new DatabaseSync(databaseFile(session));
  db.exec(sql);
  db.close();
}

/** Rows of the workspace's default database. */
export function readDatabase(session, sql) {
  const db = new DatabaseSync(databaseFile(session), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

export const countRows = (session, table) => readDatabase(session, `SELECT count(*) AS n FROM ${table}`)[0].n;

/** Saves a picture under out/e2e and returns its path. */
export async function takePicture(session, name) {
  const folder = join(root, "out/e2e");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await session.page.screenshot({ path });
  return path;
}

/** Opens the audit panel and gives its document. */
export async function openPanel(session) {
  await host.runCommand(session.page, "Countersign: Open Audit Panel");
  const panel = host.webviewOf(session.page);
  await panel.getByRole("grid").waitFor();
  return panel;
}

/** All records of the workspace's audit log, oldest first. */
export const auditRecords = (session, profile = "default") => readLines(auditFile(session, profile));

export const auditFile = (session, profile = "default") =>
  join(session.workspace, ".countersign/storage", profile, "audit.jsonl");
