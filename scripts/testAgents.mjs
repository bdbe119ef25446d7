/**
 * `npm run test:agents [AGENT…] [-- --record]`: installs the real agent programs at pinned versions into `.agent-programs`, runs each
 * against a scripted model on loopback and a real governor, and writes what was seen into docs/agents.md. `--record` takes down the
 * payloads for test/agents/fixtures instead; `--packed` says that out/ holds the package of now. Ends with "N passed, N failed".
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nextProductFile, packageProduct, packageProductAs } from "./package.mjs";
import * as setup from "./setup.mjs";

const { root } = setup;
const cache = join(root, ".agent-programs");
const out = join(root, "out");
const dist = join(out, "agents-dist");
const findings = join(out, "agents.jsonl");
const report = join(out, "agents.json");
const docs = join(root, "docs/agents.md");
const versions = JSON.parse(readFileSync(join(root, "test/agentPrograms/versions.json"), "utf8"));

const COLUMNS = [
  "allow",
  "deny",
  "ask",
  "rewrite in",
  "rewrite out",
  "broker down",
  "garbage",
  "timeout",
  "crash",
  "launcher gone",
  "no window",
  "own hook",
  "uninstall",
];

/**
 * One folder each, so that no program's packages change another's. Of all install scripts only the program's own runs: two of them put
 * their binary in place by it. The folder counts as installed once that has ended well.
 */
function install(agent) {
  const { package: name, version } = versions[agent];
  const folder = join(cache, agent);
  const installed = join(folder, "installed");
  if (existsSync(installed) && readFileSync(installed, "utf8") === version) return;
  console.log(`agents: installing ${name} ${version}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  setup.run(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--no-package-lock",
      "--ignore-scripts",
      "--loglevel=error",
      `${name}@${version}`,
    ],
    { cwd: folder },
  );
  // Under `npm test` this checkout's own `ignore-scripts` is in the environment.
  const rebuild = ["rebuild", "--ignore-scripts=false", "--foreground-scripts", "--loglevel=error", name];
  setup.run("npm", rebuild, { cwd: folder });
  writeFileSync(installed, version);
}

/** Those that are run through an update and an uninstall of the extension in a real editor. */
const outlivesUpdates = (agents) => agents.includes("claude") || agents.includes("codex");

/** The editor, the extension, and the same extension as a later version. */
async function prepareEditor(packed) {
  setup.ensureDebian(["chromium"]);
  setup.ensureHost();
  if (!packed) {
    setup.ensureBuild();
    await packageProduct();
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  packageProductAs(
    version.replace(/\d+$/, (last) => Number(last) + 1),
    nextProductFile,
  );
}

function runTests(agents, record) {
  rmSync(findings, { force: true });
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const files = record ? ["test/agentPrograms/record.agent.ts"] : ["test/agentPrograms/governed.agent.ts"];
  if (!record && outlivesUpdates(agents)) files.push("test/agentPrograms/update.agent.ts");
  // The Agent SDK brings Claude's program of its own.
  if (!record && agents.includes("claude")) files.push("test/examples/agentSdk/parity.agent.ts");
  const config = ["--config", "test/agentPrograms/vitest.config.mjs"];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const done = spawnSync(process.execPath, [vitest, "run", ...config, ...reporters, ...files], {
    cwd: root,
    stdio: "inherit",
    env: setup.environment({
      COUNTERSIGN_TEST_AGENTS: agents.join(),
      COUNTERSIGN_TEST_DIST: dist,
      COUNTERSIGN_TEST_FINDINGS: findings,
      ...(record ? { COUNTERSIGN_RECORD: "1" } : {}),
    }),
  });
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests: passed, numFailedTests, numTotalTests } = JSON.parse(readFileSync(report, "utf8"));
  const failed = record ? numFailedTests : numTotalTests - passed;
  return { passed, failed: failed === 0 && done.status !== 0 ? 1 : failed };
}

/** Rows of agents that did not run now stay as they were. */
function writeTable() {
  if (!existsSync(findings)) return;
  const found = {};
  for (const line of readFileSync(findings, "utf8").trim().split("\n")) {
    const { agent, ...columns } = JSON.parse(line);
    found[agent] = { ...found[agent], ...columns };
  }
  const text = readFileSync(docs, "utf8");
  const [start, end] = ["<!-- table: npm run test:agents -->\n", "<!-- end of table -->"];
  const old = text.slice(text.indexOf(start) + start.length, text.indexOf(end)).split("\n");
  const rows = Object.entries(versions).map(([agent, { version }]) => {
    const before = old.find((row) => row.startsWith(`| ${agent} `));
    if (found[agent] === undefined)
      return before ?? `| ${agent} | ${version} |${" not run |".repeat(COLUMNS.length)}`;
    const cells = COLUMNS.map((column) => found[agent][column] ?? "FAILED");
    return `| ${[agent, version, ...cells].join(" | ")} |`;
  });
  const heading = [
    `| ${["agent", "version", ...COLUMNS].join(" | ")} |`,
    `|${" --- |".repeat(COLUMNS.length + 2)}`,
  ];
  const table = `${[...heading, ...rows].join("\n")}\n`;
  const now = text.slice(0, text.indexOf(start) + start.length) + table + text.slice(text.indexOf(end));
  if (now === text) return console.log("agents: docs/agents.md says what was seen");
  for (const row of rows) if (!old.includes(row)) console.log(`agents: docs/agents.md now says ${row}`);
  writeFileSync(docs, now);
}

async function main() {
  setup.ensurePackages();
  await setup.underNewNode(fileURLToPath(import.meta.url));
  const words = process.argv.slice(2);
  const record = words.includes("--record");
  const named = words.filter((word) => !word.startsWith("--"));
  const unknown = named.filter((agent) => !Object.hasOwn(versions, agent));
  if (unknown.length > 0)
    throw new Error(`no such agent: ${unknown.join(", ")}; there are ${Object.keys(versions).join(", ")}`);
  const agents = named.length > 0 ? named : Object.keys(versions);
  for (const agent of agents) install(agent);
  mkdirSync(out, { recursive: true });
  setup.run(process.execPath, [join(root, "esbuild.mjs"), dist]);
  if (!record && outlivesUpdates(agents)) await prepareEditor(words.includes("--packed"));
  const { passed, failed } = runTests(agents, record);
  if (!record) writeTable();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

await main().catch((error) => {
  console.error(`${error.message}\n0 passed, 1 failed`);
  process.exitCode = 1;
});
