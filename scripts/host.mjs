/**
 * Starts the VS Code server and opens its workbench in headless Chromium. All that is not public API of VS Code
 * (storage names, the model file, the test payload, the selectors of the workbench) stands in this file and nowhere else.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { cleanEnvironment, freePort, putFiles, stopper } from "./serverProcess.mjs";
import { findProgram, root } from "./setup.mjs";

const SERVER = join(root, ".vscode-host/code-server-4.139.1/lib/vscode");
const SERVER_MAIN = join(SERVER, "out/server-main.js");

/** The built-in agent mode is switched off on a first start unless these two are in the browser's storage. */
const CHAT_STATE = {
  builtinChatExtensionEnablementMigration: "true",
  "chat.hasByokModels.lastKnown": "true",
};

/** With a model of any vendor but Copilot's in this file, Chat needs no sign-in. */
const modelFile = (vendor, name) => ({ "chatLanguageModels.json": [{ vendor, name }] });

/** A built workbench reads the tests' path from its URL only with this flag; it also hides notification toasts. */
export const TEST_DRIVER_FLAG = "--enable-smoke-test-driver";

/** Settings without which a fresh VS Code shows welcome pages, tips, prompts or asks the network. */
const QUIET = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "workbench.enableExperiments": false,
  "workbench.settings.enableNaturalLanguageSearch": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.reduceMotion": "on",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "git.openRepositoryInParentFolders": "never",
  "typescript.disableAutomaticTypeAcquisition": true,
  "chat.tips.enabled": false,
  "chat.byokUtilityModelDefault": "mainAgent",
};

/** "Bypass approvals": VS Code itself asks for nothing, in every place where that can be said. */
export const BYPASS_APPROVALS = {
  "chat.permissions.default": "autoApprove",
  "chat.tools.global.autoApprove": true,
};

/** The context key without which VS Code asks once, in a modal, whether global auto-approval is meant. */
export const AUTO_APPROVE_CONFIRMED = "vscode.chat.tools.global.autoApprove.testMode";

/** The Node that the server runs on: it needs 24. */
function serverNode() {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const own = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
  if (existsSync(own)) return own;
  throw new Error(
    `The VS Code server needs Node 24; this is ${process.versions.node}. Run the command under Node 24.`,
  );
}

/** Guards let agents read temporary folders: what a test calls "outside" must not lie in one. */
const isTemporary = (path) => /^\/(private\/)?(tmp|var\/tmp|var\/folders|dev\/shm)(\/|$)/.test(path);

/** A folder for one run: below out/, or where a checkout in a temporary folder leaves none, in the user's cache. */
export function makeRunFolder(name) {
  const places = [
    join(root, "out/run"),
    join(homedir(), ".cache/countersign-run"),
    "/var/lib/countersign-run",
  ];
  const base = places.find((place) => !isTemporary(realpathSync(existingParent(place))) && canMake(place));
  const chosen = base ?? places[0];
  mkdirSync(chosen, { recursive: true });
  return mkdtempSync(join(chosen, `${name}-`));
}

function canMake(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

const existingParent = (path) => (existsSync(path) ? path : existingParent(dirname(path)));

/** What makes a server live below `dir` alone. */
const foldersOf = (dir) => [
  ...["--server-data-dir", join(dir, "server"), "--user-data-dir", join(dir, "user-data")],
  ...["--extensions-dir", join(dir, "extensions"), "--accept-server-license-terms"],
];

/** The server's own command line for what lives below `dir`, such as `--uninstall-extension ID`. Throws where it does not end well. */
export function runServerCommand(dir, args) {
  const tmp = mkdtempSync("/tmp/vs-");
  try {
    const env = cleanEnvironment({ HOME: join(dir, "home"), TMPDIR: tmp });
    const all = [SERVER_MAIN, ...foldersOf(dir), ...args];
    return execFileSync(serverNode(), all, { env, encoding: "utf8", timeout: 60_000 });
  } finally {
    rmSync(tmp, { recursive: true, force: true });
  }
}

/**
 * Starts a server with a fresh home, user data and extensions folder below `dir`.
 * `extensions` are .vsix files; `machineSettings` are those that VS Code reads only from the machine's file.
 */
export async function startServer({
  dir,
  extensions = [],
  settings = {},
  machineSettings = {},
  homeFiles = {},
  model,
  env = {},
  extraArgs = [],
}) {
  const userData = join(dir, "user-data");
  const home = join(dir, "home");
  const extensionsDir = join(dir, "extensions");
  for (const folder of [home, extensionsDir]) mkdirSync(folder, { recursive: true });
  putFiles(join(userData, "User"), { "settings.json": { ...QUIET, ...settings } });
  putFiles(join(userData, "Machine"), { "settings.json": machineSettings });
  if (model) putFiles(join(userData, "User"), modelFile(model.vendor, model.name));
  putFiles(home, homeFiles);

  // Short, because a Unix socket's path ends at 107 characters and VS Code makes its sockets there.
  const tmp = mkdtempSync("/tmp/vs-");
  const childEnv = cleanEnvironment({ HOME: home, TMPDIR: tmp, ...env });
  const common = foldersOf(dir);
  const log = openSync(join(dir, "server.log"), "a");
  const stdio = ["ignore", log, log];
  try {
    for (const file of extensions) {
      const args = [SERVER_MAIN, ...common, "--install-extension", file, "--force"];
      execFileSync(serverNode(), args, { env: childEnv, stdio, timeout: 60_000 });
    }
    const port = await freePort();
    const token = randomBytes(16).toString("hex");
    const listen = ["--host", "127.0.0.1", "--port", String(port), "--connection-token", token];
    const quiet = ["--telemetry-level", "off", "--disable-workspace-trust"];
    quiet.push("--disable-getting-started-override", "--disable-update-check");
    const args = [SERVER_MAIN, ...common, ...listen, ...quiet, ...extraArgs];
    const child = spawn(serverNode(), args, { env: childEnv, stdio, detached: true });
    const server = {
      base: `http://127.0.0.1:${port}`,
      authority: `127.0.0.1:${port}`,
      token,
      child,
      home,
      userData,
      dir,
      extensionsDir,
    };
    const stop = stopper(child, tmp);
    await answering(server, stop);
    return { ...server, stop };
  } finally {
    closeSync(log);
  }
}

async function answering(server, stop) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    if (server.child.exitCode !== null) {
      const log = readFileSync(join(server.dir, "server.log"), "utf8").slice(-1500);
      throw new Error(`The VS Code server ended with ${server.child.exitCode}:\n${log}`);
    }
    const answer = await fetch(`${server.base}/version`).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) {
      await stop();
      throw new Error("The VS Code server did not answer within 60 s.");
    }
    await sleep(100);
  }
}

/** Address of the workbench with `folder` open; `payload` are the test options of a development host. */
export function workbenchUrl(server, { folder, payload } = {}) {
  const url = new URL(server.base);
  url.searchParams.set("tkn", server.token);
  if (folder) url.searchParams.set("folder", folder);
  if (payload) url.searchParams.set("payload", JSON.stringify(payload));
  return url.href;
}

export function launchBrowser() {
  const executablePath = process.env.CHROMIUM_PATH ?? findProgram("chromium");
  if (!executablePath) throw new Error("Chromium is missing: install it, or name it in CHROMIUM_PATH.");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
  args.push("--disable-background-networking", "--disable-component-update", "--disable-sync");
  return chromium.launch({ executablePath, headless: true, args });
}

/** Writes VS Code's browser-side state before the workbench is opened for the first time, so that agent mode is on from the start. */
export async function seedChatState(page, server) {
  await page.goto(`${server.base}/version`);
  await page.evaluate(async (items) => {
    const settled = (request) =>
      new Promise((done, failed) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => failed(request.error);
      });
    const opening = indexedDB.open("vscode-web-state-db-global", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("ItemTable");
    const db = await settled(opening);
    const store = db.transaction("ItemTable", "readwrite").objectStore("ItemTable");
    for (const [key, value] of Object.entries(items)) await settled(store.put(value, key));
    db.close();
  }, CHAT_STATE);
}

/**
 * Opens the workbench in a new page and waits until it stands. `language`, such as "zh-cn", is that of extensions; the workbench's own
 * words stay English without a language pack.
 */
export async function openWorkbench(
  browser,
  server,
  { folder, payload, language, viewport = { width: 1400, height: 900 } },
) {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(30_000);
  if (language) await page.addInitScript(`globalThis._VSCODE_NLS_LANGUAGE = ${JSON.stringify(language)}`);
  await seedChatState(page, server);
  await page.goto(workbenchUrl(server, { folder, payload }));
  await page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 120_000 });
  return page;
}

/** The modal dialog of the workbench. */
export const dialogOf = (page) => page.locator(".monaco-dialog-box");

/** What a person reads in the dialog or a part of it, line by line. */
export function dialogText(dialog) {
  // biome-ignore lint/performance/useDomNodeTextContent: the text as laid out in lines is what is wanted.
  return dialog.innerText();
}

/** The document inside the visible webview. */
export const webviewOf = (page) =>
  page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");

/** Runs a command by its title, as a person does from the command palette. */
export async function runCommand(page, title) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input.input").fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
}
