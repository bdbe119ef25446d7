/**
 * Runs the Mocha suite of test/host inside a real extension host: a desktop VS Code where one can be had (VSCODE_PATH, or a
 * download), else the VS Code server with headless Chromium. VSCODE_TEST=server|desktop forces one.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { makeRunFolder } from "./host.mjs";
import { root } from "./setup.mjs";

const TESTS = join(root, "out/test-host");
const DEADLINE_MS = 240_000;

async function bundleTests() {
  rmSync(TESTS, { recursive: true, force: true });
  const folder = join(root, "test/host");
  const entryPoints = readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
  await esbuild.build({
    entryPoints,
    outdir: TESTS,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode", "mocha"],
    logLevel: "warning",
  });
}

/** The desktop program to test in, or undefined. */
async function desktopProgram() {
  const named = process.env.VSCODE_PATH;
  if (named !== undefined) {
    if (!existsSync(named)) throw new Error(`VSCODE_PATH=${named} does not exist`);
    return named;
  }
  const forced = process.env.VSCODE_TEST;
  const noScreen = process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  if (forced === "server" || (noScreen && forced !== "desktop")) return undefined;
  const { downloadAndUnzipVSCode } = await import("@vscode/test-electron");
  try {
    return await downloadAndUnzipVSCode({
      version: process.env.VSCODE_VERSION ?? "stable",
      cachePath: join(root, ".vscode-host/desktop"),
      timeout: 15_000,
    });
  } catch (error) {
    if (forced === "desktop") throw error;
    console.log(`no desktop VS Code can be downloaded (${error.message}): using the server`);
    return undefined;
  }
}

async function runOnDesktop(program, run) {
  const { runTests } = await import("@vscode/test-electron");
  const launchArgs = [
    run.workspace,
    "--disable-workspace-trust",
    "--skip-welcome",
    "--skip-release-notes",
    "--disable-telemetry",
  ];
  launchArgs.push(
    `--user-data-dir=${join(run.dir, "user-data")}`,
    `--extensions-dir=${join(run.dir, "extensions")}`,
  );
  if (process.getuid?.() === 0) launchArgs.push("--no-sandbox");
  return runTests({
    vscodeExecutablePath: program,
    extensionDevelopmentPath: root,
    extensionTestsPath: join(TESTS, "index.js"),
    extensionTestsEnv: run.env,
    launchArgs,
  });
}

/** The workbench calls `codeAutomationExit` with the exit code once the suite's `run()` has settled. */
async function runOnServer(run) {
  const host = await import("./host.mjs");
  const server = await host.startServer({
    dir: run.dir,
    extraArgs: [host.TEST_DRIVER_FLAG],
    machineSettings: host.BYPASS_APPROVALS,
    model: { vendor: "countersign-demo", name: "Scripted model (demo)" },
    env: run.env,
  });
  const browser = await host.launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const ended = new Promise((ok, failed) => {
      setTimeout(
        () => failed(new Error(`the suite did not end within ${DEADLINE_MS / 1000} s`)),
        DEADLINE_MS,
      ).unref();
      void page.exposeFunction("codeAutomationExit", ok);
      page.on("crash", () => failed(new Error("the page crashed")));
      server.child.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
    });
    ended.catch(() => {});
    await host.seedChatState(page, server);
    const uri = (path) => `vscode-remote://${server.authority}${path}`;
    const payload = [
      ["extensionDevelopmentPath", uri(root)],
      ["extensionTestsPath", uri(join(TESTS, "index.js"))],
    ];
    await page.goto(host.workbenchUrl(server, { folder: run.workspace, payload }));
    return await ended;
  } finally {
    await browser.close();
    server.child.removeAllListeners("exit");
    await server.stop();
  }
}

/** Prints what is written to `file` as it grows. */
function follow(file) {
  let position = 0;
  const print = () => {
    const size = existsSync(file) ? statSync(file).size : 0;
    if (size <= position) return;
    const bytes = Buffer.alloc(size - position);
    const handle = openSync(file, "r");
    position += readSync(handle, bytes, 0, bytes.length, position);
    closeSync(handle);
    process.stdout.write(bytes);
  };
  const timer = setInterval(print, 200);
  return () => {
    clearInterval(timer);
    print();
  };
}

async function main() {
  await bundleTests();
  const dir = makeRunFolder("in-host");
  const run = {
    dir,
    workspace: join(dir, "workspace"),
    env: {
      COUNTERSIGN_TEST_OUTPUT: join(dir, "mocha.log"),
      COUNTERSIGN_TEST_RESULTS: join(root, "out/in-host.json"),
    },
  };
  mkdirSync(run.workspace);
  writeFileSync(join(run.workspace, "README.md"), "# A workspace for tests\n");
  rmSync(run.env.COUNTERSIGN_TEST_RESULTS, { force: true });
  const program = await desktopProgram();
  console.log(
    `in-host tests in ${program === undefined ? "the VS Code server" : `desktop VS Code (${program})`}`,
  );
  const unfollow = follow(run.env.COUNTERSIGN_TEST_OUTPUT);
  let code = 1;
  try {
    code = program === undefined ? await runOnServer(run) : await runOnDesktop(program, run);
  } catch (error) {
    console.error(String(error?.message ?? error));
  }
  unfollow();
  const results = existsSync(run.env.COUNTERSIGN_TEST_RESULTS)
    ? JSON.parse(readFileSync(run.env.COUNTERSIGN_TEST_RESULTS, "utf8"))
    : { passed: 0, failed: 0 };
  if (results.passed === 0) console.error("the suite never ran");
  const bad = code !== 0 || results.failed > 0 || results.passed === 0;
  console.log(`in-host: ${results.passed} passed, ${results.failed} failed`);
  if (bad || process.env.KEEP) console.log(`kept for a look: ${dir}`);
  else rmSync(dir, { recursive: true, force: true });
  process.exit(bad ? 1 : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
