/** `node scripts/mcpPrograms.mjs`: installs the MCP client and servers that tests run the proxy against, once, as their lock names them. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const root = join(import.meta.dirname, "..");
const from = join(import.meta.dirname, "mcpPrograms");
const folder = join(root, ".mcp-programs");
const stamp = join(folder, "installed");
const lock = join(folder, "lock");
const FILES = ["package.json", "package-lock.json"];
const STALE_MS = 240_000;

const wanted = FILES.map((name) => readFileSync(join(from, name), "utf8")).join("\n");
const isThere = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;

/** Two test files that begin together: the second waits for the first. */
async function takeTurn() {
  mkdirSync(folder, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      if (age > STALE_MS) rmSync(lock, { recursive: true, force: true });
      await setTimeout(200);
    }
  }
}

function install() {
  for (const name of FILES) copyFileSync(join(from, name), join(folder, name));
  const options = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const done = spawnSync("npm", options, {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status !== 0) throw new Error(`npm ci ended with ${done.status}\n${done.stdout}${done.stderr}`);
  writeFileSync(stamp, wanted);
}

if (!isThere()) {
  await takeTurn();
  try {
    if (!isThere()) install();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
