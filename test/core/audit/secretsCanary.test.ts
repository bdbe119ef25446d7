import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAuditLock } from "../../../src/node/auditLock";
import { auditPlace } from "../../../src/node/auditPlace";

let folder = "";
let program = "";
const output: string[] = [];

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "countersign-canary-"));
  for (const name of ["home", "workspace", "tmp"]) fs.mkdirSync(path.join(folder, name));
  // Outside the folder that is looked through: the program itself holds the words.
  program = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "countersign-canary-program-")), "child.mjs");
  await esbuild.build({
    entryPoints: [fileURLToPath(new URL("./secretsCanaryChild.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    outfile: program,
    logLevel: "error",
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  });
});
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.rmSync(path.dirname(program), { recursive: true, force: true });
});

/** Started with a home and a temporary folder of its own; resolves when it says that it is ready. */
async function start(mode: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, mode, folder], {
    cwd: path.join(folder, "workspace"),
    env: { PATH: process.env.PATH, HOME: path.join(folder, "home"), TMPDIR: path.join(folder, "tmp") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.on("data", (bytes: Buffer) => output.push(bytes.toString()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (bytes: Buffer) => {
      if (bytes.toString().includes("ready")) resolve();
    });
    child.on("close", () => reject(new Error(`ended too early: ${output.join("")}`)));
  });
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.on("close", resolve));
  child.kill("SIGKILL");
  await closed;
}

/** Files whose name or content holds a canary, and the words around it. */
function leaks(): string[] {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file);
    const text = entry.isFile() ? fs.readFileSync(file, "latin1") : "";
    return [...`${name}\n${text}`.matchAll(/.{0,30}Canary.{0,10}/g)].map((m) => `${name}: ${m[0]}`);
  });
}

const files = (): string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json") || name.endsWith(".jsonl"));

describe("planted secrets are in no file", { timeout: 60_000 }, () => {
  test("calls that ran, were denied, failed; choices, findings, the queue of the export", async () => {
    const child = await start("run");
    await killed(child);
    const log = fs.readFileSync(path.join(folder, "workspace", "audit.jsonl"), "utf8");
    expect(log.split("\n").length).toBeGreaterThan(6);
    expect(log).toContain("[REDACTED");
    expect(files().some((name) => name.includes("otlp"))).toBe(true);
    expect(leaks()).toEqual([]);
  });

  test("an intent that a crash left", async () => {
    await killed(await start("crash"));
    expect(files().some((name) => name.includes("audit.intents"))).toBe(true);
    expect(leaks()).toEqual([]);
  });

  test("a record that waits in the spool", async () => {
    const lock = openAuditLock(auditPlace(path.join(folder, "workspace", "audit.jsonl")).lock);
    expect(await lock.acquire(5000)).toBe(true);
    try {
      await killed(await start("locked"));
    } finally {
      lock.release();
      lock.close();
    }
    expect(files().some((name) => name.includes("audit.spool"))).toBe(true);
    expect(leaks()).toEqual([]);
  });

  test("a person asked through the dialog, approvals, grants, checkpoints; what the panel exports of it", async () => {
    await killed(await start("asked"));
    const log = fs.readFileSync(path.join(folder, "workspace", "audit.jsonl"), "utf8");
    for (const event of ["human_choice", "grant", "log.checkpoint"])
      expect(log).toContain(`"event":"${event}"`);
    for (const name of ["json", "csv"]) {
      const text = fs.readFileSync(path.join(folder, "home", `export.${name}`), "utf8");
      expect(text.split("\n").length).toBeGreaterThan(6);
      expect(text).toContain("[REDACTED");
    }
    expect(leaks()).toEqual([]);
  });

  test("what a torn write left", async () => {
    await killed(await start("torn"));
    const kept = fs.readdirSync(path.join(folder, "workspace")).filter((name) => name.includes(".torn-"));
    expect(kept).toHaveLength(1);
    expect(leaks()).toEqual([]);
  });

  test("nor in what was printed", () => {
    expect(output.join("")).not.toContain("Canary");
  });

  test("the look finds one that is there", () => {
    const file = path.join(folder, "home", "planted.txt");
    fs.writeFileSync(file, "x Canary x");
    expect(leaks()).toHaveLength(1);
    fs.rmSync(file);
  });
});
