/** `node scripts/mcpPrograms.mjs`: installs the MCP client and servers that tests run the proxy against, once, as their lock names them. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeTurn } from "./takeTurn.mjs";

const root = join(import.meta.dirname, "..");
const from = join(import.meta.dirname, "mcpPrograms");
const folder = join(root, ".mcp-programs");
const stamp = join(folder, "installed");
const FILES = ["package.json", "package-lock.json"];

const wanted = FILES.map((name) => readFileSync(join(from, name), "utf8")).join("\n");
const isThere = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;

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
  const leave = await takeTurn(folder);
  try {
    if (!isThere()) install();
  } finally {
    leave();
  }
}
