/**
 * `npm test`: sets the machine up, then runs every check there is, from types to the packed extension in a real editor.
 * Ends with "N passed, N failed"; a part that cannot tell its counts counts as one test.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as setup from "./setup.mjs";

const { root } = setup;
const out = join(root, "out");

/** Runs one part in its own process group and gives its exit code; a part past its deadline is ended with all its children. */
function start(program, args, { minutes }) {
  const child = spawn(program, args, {
    cwd: root,
    env: setup.environment(),
    stdio: "inherit",
    detached: true,
  });
  const end = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      /* already gone */
    }
  };
  process.once("exit", end);
  const timer = setTimeout(() => {
    console.error(`ended: longer than ${minutes} min`);
    end();
  }, minutes * 60_000);
  return new Promise((done) => {
    child.once("error", () => done(127));
    child.once("close", (code) => done(code ?? 1));
  }).finally(() => {
    clearTimeout(timer);
    process.off("exit", end);
  });
}

const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined);

/** The `# pass` and `# fail` lines that node:test closes a TAP report with. */
function countTap(file) {
  if (!existsSync(file)) return undefined;
  const report = readFileSync(file, "utf8");
  const count = (name) => Number(report.match(new RegExp(`^# ${name} (\\d+)$`, "m"))?.[1] ?? 0);
  return {
    passed: count("pass"),
    failed: count("fail") + count("cancelled") + count("skipped") + count("todo"),
  };
}

function countVitest(file) {
  const report = readJson(file);
  if (report === undefined) return undefined;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

const node = (script, ...args) => [process.execPath, [join(root, script), ...args]];
const bin = (name, ...args) => [process.execPath, [join(root, "node_modules", name), ...args]];

/** The files that node:test runs, one after the other, since each opens a browser. */
function browserTests() {
  const folder = join(root, "test/e2e");
  const files = readdirSync(folder).filter((file) => file.endsWith(".test.mjs"));
  const report = join(out, "e2e.tap");
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=tap", `--test-reporter-destination=${report}`);
  const paths = files.sort().map((file) => join(folder, file));
  return {
    name: "e2e",
    command: [process.execPath, ["--test", "--test-concurrency=1", ...reporters, ...paths]],
    minutes: 18,
    report,
    count: countTap,
  };
}

/** One vitest run; `flags` choose the files. */
function vitest(name, minutes, flags = []) {
  const report = join(out, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return {
    name,
    command: bin("vitest/vitest.mjs", "run", ...flags, ...reporters),
    minutes,
    report,
    count: countVitest,
  };
}

const parts = () => [
  { name: "build", command: node("esbuild.mjs"), minutes: 3 },
  { name: "declarations", command: bin("typescript/bin/tsc", "-p", "tsconfig.types.json"), minutes: 3 },
  { name: "types", command: bin("typescript/bin/tsc", "-p", "tsconfig.json", "--noEmit"), minutes: 3 },
  { name: "lint", command: bin("@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."), minutes: 3 },
  { name: "unused code", command: bin("knip/bin/knip.js"), minutes: 3 },
  { name: "package", command: node("scripts/package.mjs"), minutes: 3 },
  vitest("unit", 22),
  {
    name: "in-host",
    command: node("scripts/testInHost.mjs"),
    minutes: 6,
    report: join(out, "in-host.json"),
    count: readJson,
  },
  {
    name: "agents",
    command: node("scripts/testAgents.mjs", "claude", "--packed"),
    minutes: 12,
    report: join(out, "agents.json"),
    count: countVitest,
  },
  vitest("panel", 10, ["--config", "test/panel/vitest.config.ts"]),
  browserTests(),
];

async function runPart(part) {
  console.log(`\n=== ${part.name}`);
  if (part.report) rmSync(part.report, { force: true });
  const started = Date.now();
  const code = await start(...part.command, part);
  const counted = part.count?.(part.report);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const result = counted ?? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  // An exit code that says "bad" where no test failed is a failure of the run itself.
  if (code !== 0 && result.failed === 0) result.failed = 1;
  console.log(`=== ${part.name}: ${result.passed} passed, ${result.failed} failed, ${seconds} s`);
  return { name: part.name, seconds, ...result };
}

async function main() {
  const started = Date.now();
  setup.ensurePackages();
  await setup.underNewNode(fileURLToPath(import.meta.url));
  setup.ensureDebian(["chromium", "sqlite3", "mariadb-server", "postgresql"]);
  setup.ensureHost();
  setup.ensureTestMaterial();
  mkdirSync(out, { recursive: true });
  console.log(`=== set-up: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  const only = process.argv.slice(2);
  const results = [];
  for (const part of parts()) {
    if (only.length > 0 && !only.includes(part.name)) continue;
    results.push(await runPart(part));
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  console.log(
    `\n${results.map((r) => `${r.name} ${r.seconds} s${r.failed > 0 ? ` (${r.failed} failed)` : ""}`).join(", ")}`,
  );
  console.log(`${((Date.now() - started) / 60_000).toFixed(1)} min in all`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = sum("failed") === 0 && sum("passed") > 0 ? 0 : 1;
}

process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
await main().catch((error) => {
  console.error(`${error.message}\n0 passed, 1 failed`);
  process.exitCode = 1;
});
