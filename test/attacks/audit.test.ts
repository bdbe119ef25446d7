/** Attacks on the audit log: on its file, its lock, its side files, its place. Each row names what the agent does and what must be true after it. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readRecords } from "../../src/node/auditFile";
import { fileHeadStore } from "../../src/node/auditHead";
import { lastLines } from "../../src/node/auditLines";
import { verifyFile } from "../../src/node/auditVerify";
import { type AuditLog, openAuditLog } from "../../src/node/auditWriter";
import { linesOf, rehashed, sampleBodies } from "../core/audit/logs";
import { newFolder } from "../node/auditProcess";

let folder: string;
let file: string;
let log: AuditLog | undefined;
const store = () => fileHeadStore(path.join(folder, "home"), file);

beforeEach(async () => {
  folder = newFolder();
  file = path.join(folder, "w", "audit.jsonl");
  log = await openAuditLog({ path: file, role: "extension", version: "1", head: store() });
  for (let n = 0; n < 6; n += 1) {
    await log.append({
      event: "call",
      call_id: `c${n}`,
      tool: "t",
      args: { n },
      decision: n === 5 ? "denied" : "allow",
      error: null,
    });
  }
});
afterEach(async () => {
  await log?.close().catch(() => undefined);
  fs.rmSync(folder, { recursive: true, force: true });
});

function replaceBy(make: () => void): void {
  fs.rmSync(file);
  make();
}

const lines = () => fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
const put = (all: readonly string[]) => fs.writeFileSync(file, all.map((line) => `${line}\n`).join(""));

describe("threat 15, the head elsewhere: what the chain alone cannot show", () => {
  const idOf = () => log?.logId ?? "";
  test.each<[string, () => void]>([
    [
      "the last record edited and hashed anew",
      () =>
        put(
          lines().with(
            5,
            rehashed(lines()[5] ?? "", (r) => void Object.assign(r, { decision: "allow" })),
          ),
        ),
    ],
    ["the tail cut", () => put(lines().slice(0, 4))],
    ["all chained anew under the same id", () => put(linesOf(sampleBodies(6), { logId: idOf() }))],
    ["chained anew and longer", () => put(linesOf(sampleBodies(9), { logId: idOf() }))],
    ["emptied", () => fs.truncateSync(file, 0)],
    ["another log in its place", () => put(linesOf(sampleBodies(6), { logId: "log_other" }))],
  ])("%s", async (_name, attack) => {
    await log?.close();
    const head = await store().load();
    attack();
    expect(await verifyFile(file, head === undefined ? {} : { head })).toMatchObject({ ok: false });
  });

  test.each<[string, () => void]>([
    ["the tail cut", () => put(lines().slice(0, 4))],
    ["emptied", () => fs.truncateSync(file, 0)],
    ["removed", () => fs.rmSync(file)],
    ["the whole folder removed", () => fs.rmSync(path.dirname(file), { recursive: true })],
    ["replaced by a link", () => replaceBy(() => fs.symlinkSync("/dev/null", file))],
    ["replaced by a folder", () => replaceBy(() => fs.mkdirSync(file))],
  ])("%s under a running writer: appends are refused, so the calls are", async (_name, attack) => {
    attack();
    const refused = log?.append({ event: "call", call_id: "next", decision: "allow", error: null });
    await expect(refused).rejects.toMatchObject({
      code: expect.stringMatching(/^audit\.(unreadable|path|unwritable)$/),
    });
  });
});

test("a record replaced under a running writer stays visible after many more records", async () => {
  put(
    lines().with(
      5,
      rehashed(lines()[5] ?? "", (r) => void Object.assign(r, { decision: "allow" })),
    ),
  );
  for (let n = 0; n < 20; n += 1) await log?.append({ event: "call", call_id: `later${n}`, error: null });
  await log?.close();
  const head = await store().load();
  expect(await verifyFile(file, head === undefined ? {} : { head })).toMatchObject({
    ok: false,
    firstBad: 6,
  });
});

test("threat 2: a log cannot be pointed at a file that is something else", async () => {
  const victim = path.join(folder, ".bashrc");
  fs.writeFileSync(victim, "alias ls='ls -l'\n");
  await expect(openAuditLog({ path: victim, role: "cli", version: "1" })).rejects.toMatchObject({
    code: "audit.path",
  });
  expect(fs.readFileSync(victim, "utf8")).toBe("alias ls='ls -l'\n");
});

test("an intent or a waiting record made up by the agent cannot pass for a writer's own", async () => {
  const side = (id: string) =>
    JSON.stringify({
      v: 1,
      id,
      ts: "2026-01-01T00:00:00.000Z",
      fields: {
        event: "human_choice",
        data: { choice: "allow" },
        seq: 1,
        log_id: "x",
        writer: { pid: 1, version: "9", role: "extension" },
        record_hash: "0",
        sig: "forged",
      },
      origin: {
        pid: 999_999_999,
        started: "1",
        host: (fs.existsSync("/etc/hostname") ? fs.readFileSync("/etc/hostname", "utf8") : "").trim(),
      },
    });
  fs.mkdirSync(path.join(folder, "w", "audit.spool"), { recursive: true });
  fs.writeFileSync(path.join(folder, "w", "audit.spool", "x.json"), side("x"));
  await log?.append({ event: "call", call_id: "after", error: null });
  const all = [];
  for await (const { record } of readRecords(file)) all.push(record);
  expect(all.map((record) => record?.event)).not.toContain("human_choice");
  expect(all.at(-2), "it is set aside, and the log says so").toMatchObject({
    event: "log.recovered",
    findings: [{ code: "spool_foreign" }],
  });
  expect(await verifyFile(file)).toMatchObject({ ok: true });
});

test("a call id or a tool name full of control characters breaks no line", async () => {
  await log?.append({
    event: "call",
    call_id: 'a\n{"event":"call"}\r\u2028',
    tool: "\u0000\u001b[31m",
    error: "\n\n",
  });
  expect(lines()).toHaveLength(7);
  expect(await verifyFile(file)).toMatchObject({ ok: true, count: 7 });
});

test.skipIf(process.platform === "win32")(
  "threat 20: a pipe in the log's place holds no reader and no writer",
  async () => {
    replaceBy(() => execFileSync("mkfifo", [file]));
    await expect(verifyFile(file)).rejects.toMatchObject({ code: "audit.unreadable" });
    await expect(lastLines(file, 1000)).resolves.toEqual({ lines: [], end: 0 });
    await expect(log?.append({ event: "call", error: null })).rejects.toMatchObject({ code: "audit.path" });
  },
  5_000,
);
