/**
 * `npm run demo`: a real VS Code with Countersign, a workspace with a database, and a scripted agent that asks for trouble.
 * Prints the address and waits for Ctrl-C. With `-- --headless` it answers the dialogs itself, saves pictures under out/demo
 * and ends with 0 only if everything happened as it should.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as setup from "./setup.mjs";

const HEADLESS = process.argv.includes("--headless");
const DEADLINE_MS = 6 * 60_000;
const SECRET = "The safe's number is 4711.";

/** The demo's workspace below `dir`, with its database. */
async function makeWorkspace(dir) {
  const { DatabaseSync } = await import("node:sqlite");
  const workspace = join(dir, "shop");
  cpSync(join(setup.root, "demo/workspace"), workspace, { recursive: true });
  mkdirSync(join(workspace, ".countersign"), { recursive: true });
  const database = new DatabaseSync(join(workspace, ".countersign/data.db"));
  database.exec(readFileSync(join(setup.root, "demo/database.sql"), "utf8"));
  database.close();
  return workspace;
}

async function start(dir) {
  const host = await import("./host.mjs");
  const { demoAgentFile, packageDemoAgent, packageProduct, productFile } = await import("./package.mjs");
  await packageProduct();
  packageDemoAgent();
  const workspace = await makeWorkspace(dir);
  const script = join(dir, "script.json");
  const transcript = join(dir, "transcript.jsonl");
  const text = readFileSync(join(setup.root, "demo/script.json"), "utf8");
  writeFileSync(script, text.replaceAll("{home}", JSON.stringify(join(dir, "home")).slice(1, -1)));
  const server = await host.startServer({
    dir,
    extensions: [productFile, demoAgentFile],
    model: { vendor: "countersign-demo", name: "Scripted model (demo)" },
    settings: { "chat.permissions.default": "autoApprove" },
    homeFiles: { "notes.txt": `${SECRET}\n` },
    env: {
      COUNTERSIGN_DEMO_SCRIPT: script,
      COUNTERSIGN_DEMO_TRANSCRIPT: transcript,
      COUNTERSIGN_DEMO_AUTORUN: join(dir, "autorun"),
    },
  });
  return { host, server, workspace, transcript, dir, secret: SECRET };
}

/** Leaves the editor to a person until Ctrl-C. */
async function waitForPerson({ host, server, workspace }) {
  console.log(`\nVS Code with Countersign:  ${host.workbenchUrl(server, { folder: workspace })}\n`);
  console.log(
    "Open it in a browser. The scripted agent begins by itself; VS Code's own approvals are off, so every",
  );
  console.log("dialog you see is Countersign's. Ctrl-C ends the demo and removes what it made.");
  await new Promise((done) => {
    process.once("SIGINT", done);
    process.once("SIGTERM", done);
    server.child.once("exit", done);
  });
}

async function playHeadless(demo) {
  const { playDemo } = await import("./demoRun.mjs");
  let late;
  const deadline = new Promise((_, failed) => {
    late = setTimeout(
      () => failed(new Error(`the demo did not end within ${DEADLINE_MS / 60_000} min`)),
      DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([playDemo(demo), deadline]);
  } finally {
    clearTimeout(late);
  }
}

async function main() {
  setup.ensurePackages();
  await setup.underNewNode(fileURLToPath(import.meta.url));
  setup.ensureDebian(HEADLESS ? ["chromium", "sqlite3"] : ["sqlite3"]);
  setup.ensureHost();
  setup.ensureBuild();
  const { makeRunFolder } = await import("./host.mjs");
  const dir = makeRunFolder("demo");
  let demo;
  try {
    demo = await start(dir);
    if (HEADLESS) process.exitCode = (await playHeadless(demo)) ? 0 : 1;
    else await waitForPerson(demo);
  } catch (error) {
    console.error(`demo: ${String(error.stack ?? error).slice(0, 4000)}`);
    process.exitCode = 1;
  } finally {
    await demo?.server.stop();
    if (process.env.KEEP) console.log(`kept for a look: ${dir}`);
    else rmSync(dir, { recursive: true, force: true });
  }
}

await main().catch((error) => {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
});
// A browser that hangs must not keep the demo alive.
process.exit();
