import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runAudit } from "../../src/cli/audit";
import { runVerify } from "../../src/cli/verify";
import { openAuditLog } from "../../src/node/auditWriter";
import { memorySecrets, openKeyed } from "../node/auditKeyed";
import { newFolder } from "../node/auditProcess";

let folder: string;
beforeAll(() => {
  folder = newFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function said(run: typeof runAudit | typeof runVerify, argv: string[], home = "home"): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    stdout: (text: string) => void out.push(text),
    stderr: (text: string) => void err.push(text),
    cwd: folder,
  };
  const at = path.join(folder, home);
  fs.mkdirSync(at, { recursive: true, mode: 0o700 });
  const code = await run(argv, io, {
    keyFolder: path.join(at, "keys"),
    headFolder: path.join(at, "heads"),
    verifiedFolder: path.join(at, "verified"),
  });
  return { code, out: out.join(""), err: err.join("") };
}

async function plainLog(name: string): Promise<string> {
  const file = path.join(folder, name, "audit.jsonl");
  const log = await openAuditLog({ path: file, role: "library", version: "1" });
  for (let i = 0; i < 3; i += 1) await log.append({ event: "call", call_id: `c-${i}`, error: null });
  await log.close();
  return file;
}

test("a log without a key has none to print; a checkpoint gives it one, and both verify it", async () => {
  const file = await plainLog("plain");
  expect(await said(runAudit, ["key", "--file", file])).toMatchObject({ code: 1, out: "" });
  const first = await said(runAudit, ["checkpoint", "--file", file]);
  expect(first).toMatchObject({ code: 0, err: "" });
  const key = await said(runAudit, ["key", "--file", file]);
  expect(key).toMatchObject({ code: 0, err: "" });
  expect(key.out).toMatch(/^countersign\/\S+\+[0-9a-f]{8}\+\S+\n$/);
  const note = path.join(folder, "kept-elsewhere");
  fs.writeFileSync(note, first.out);
  const strict = ["--vkey", key.out.trim(), "--anchor", note, "--require-level", "4"];
  expect(await said(runVerify, [file, ...strict])).toMatchObject({ code: 0 });
  const second = await said(runAudit, ["checkpoint", "--file", file]);
  expect(second.code).toBe(0);
  expect(second.out).not.toBe(first.out);
  // The file cut below what was kept elsewhere.
  const lines = fs.readFileSync(file, "utf8").split("\n");
  fs.writeFileSync(file, `${lines.slice(0, 3).join("\n")}\n`);
  fs.rmSync(path.join(folder, "plain", "audit.checkpoints"));
  expect(await said(runVerify, [file, ...strict], "other")).toMatchObject({ code: 1 });
});

test("of a log that the editor signs, the key it names is printed and nothing is signed", async () => {
  const { log } = await openKeyed(path.join(folder, "editor"), memorySecrets());
  await log.append({ event: "call", error: null });
  await log.close();
  const key = await said(runAudit, ["key", "--file", log.path]);
  expect(key).toMatchObject({ code: 0, out: `${log.publicKey()}\n` });
  expect(key.err).toContain("what the log says of itself");
  const checkpoint = await said(runAudit, ["checkpoint", "--file", log.path]);
  expect(checkpoint).toMatchObject({ code: 1, out: "" });
  expect(checkpoint.err).toContain("not held here");
  expect(await said(runVerify, [log.path, "--vkey", key.out.trim()])).toMatchObject({ code: 0 });
});

test.each([
  { argv: ["--help"], code: 0 },
  { argv: [], code: 2 },
  { argv: ["sign"], code: 2 },
  { argv: ["key", "--fil", "x"], code: 2 },
  { argv: ["key", "--file", "missing.jsonl"], code: 2 },
])("$argv: exit $code", async ({ argv, code }) => {
  expect((await said(runAudit, argv)).code).toBe(code);
});
