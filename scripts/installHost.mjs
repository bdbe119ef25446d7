/** Installs the VS Code server from the npm registry into .vscode-host: no compiler, no install scripts, nothing outside that folder. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./setup.mjs";

/** code-server 4.139.1 carries VS Code 1.139.1. To move to another version, change these two. */
const VERSION = "4.139.1";
const SHA512 = "fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==";

const base = join(root, ".vscode-host");
const target = join(base, `code-server-${VERSION}`);
const complete = join(target, ".complete");

/**
 * Takes the place of @vscode/spdlog, the one native module without a prebuilt file that the server asks for
 * on every logger. Writes the same log files.
 */
const SPDLOG = `"use strict";
const fs = require("node:fs");
const path = require("node:path");
const LEVELS = ["trace", "debug", "info", "warning", "error", "critical"];
class Logger {
  constructor(file) {
    this.file = file;
    this.level = 2;
    this.plain = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
  }
  write(level, text) {
    if (level < this.level) return;
    const line = this.plain ? text : new Date().toISOString() + " [" + LEVELS[level] + "] " + text + "\\n";
    try { fs.appendFileSync(this.file, line); } catch { /* a log line must not stop the editor */ }
  }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  clearFormatters() { this.plain = true; }
  setPattern() {}
  flush() {}
  drop() {}
}
for (const [level, name] of ["trace", "debug", "info", "warn", "error", "critical"].entries()) {
  Logger.prototype[name] = function (text) { this.write(level, text); };
}
const create = async (_name, file) => new Logger(file);
module.exports = {
  version: 0,
  Logger: class extends Logger { constructor(_kind, _name, file) { super(file); } },
  createRotatingLogger: create,
  createAsyncRotatingLogger: create,
  setLevel() {},
  setFlushOn() {},
  shutdown() {},
};
`;

function download() {
  const [packed] = JSON.parse(
    run("npm", ["pack", `code-server@${VERSION}`, "--json", "--loglevel=error", "--pack-destination", base], {
      quiet: true,
    }),
  );
  const archive = join(base, packed.filename);
  const sum = createHash("sha512").update(readFileSync(archive)).digest("base64");
  if (sum === SHA512) return archive;
  rmSync(archive);
  throw new Error(`code-server ${VERSION} is not the pinned file: its sha512 is ${sum}`);
}

function install() {
  const started = Date.now();
  mkdirSync(base, { recursive: true });
  const unfinished = `${target}.unfinished-${process.pid}`;
  try {
    const archive = download();
    mkdirSync(unfinished);
    run("tar", ["-xzf", archive, "-C", unfinished, "--strip-components=1"]);
    rmSync(archive);
    const server = join(unfinished, "lib/vscode");
    // Not `npm ci`: the package's own lock file lacks one of its dependencies.
    const flags = [
      "install",
      "--omit=dev",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ];
    for (const cwd of [server, join(server, "extensions")]) run("npm", flags, { cwd, quiet: true });
    writeFileSync(join(server, "node_modules/@vscode/spdlog/index.js"), SPDLOG);
    rmSync(target, { recursive: true, force: true });
    renameSync(unfinished, target);
    writeFileSync(complete, `${VERSION}\n`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  console.log(
    `setup: VS Code server ${VERSION} installed in ${((Date.now() - started) / 1000).toFixed(0)} s`,
  );
}

if (!existsSync(complete)) install();
