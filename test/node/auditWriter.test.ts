import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditRecord, RecordBody } from "../../src/core/audit/record";
import { readRecords, tailRecords } from "../../src/node/auditFile";
import { fileHeadStore } from "../../src/node/auditHead";
import { createSeal } from "../../src/node/auditKey";
import { memoryAuditLog } from "../../src/node/auditMemory";
import { auditPlace } from "../../src/node/auditPlace";
import { closedSegments } from "../../src/node/auditSegment";
import { writeIntent, writeSpooled } from "../../src/node/auditSide";
import { verifyAuditLog, verifyFile } from "../../src/node/auditVerify";
import { type AuditLog, type AuditWriterOptions, openAuditLog } from "../../src/node/auditWriter";
import { verifyBytes } from "../core/audit/logs";
import { newFolder } from "./auditProcess";

let folder: string;
let file: string;
const opened: AuditLog[] = [];

beforeEach(() => {
  folder = newFolder();
  file = path.join(folder, "storage", "default", "audit.jsonl");
});
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<AuditWriterOptions> = {}): Promise<AuditLog> {
  const log = await openAuditLog({ path: file, role: "library", version: "1.2.3", ...options });
  opened.push(log);
  return log;
}

function call(n: number, more: Partial<RecordBody> = {}): RecordBody {
  return {
    event: "call",
    call_id: `c${n}`,
    tool: "db_query_sql",
    args: { sql: `SELECT ${n}` },
    decision: "allow",
    error: null,
    ...more,
  };
}

async function records(from = file): Promise<(AuditRecord | null)[]> {
  const all = [];
  for await (const { record } of readRecords(from)) all.push(record);
  return all;
}

async function write(count: number, options: Partial<AuditWriterOptions> = {}): Promise<void> {
  const log = await open(options);
  for (let n = 0; n < count; n += 1) await log.append(call(n));
  await log.close();
}

describe("a new log", () => {
  test("4 calls are 4 records, linked, numbered, private", async () => {
    await write(4);
    expect(await verifyAuditLog(file)).toEqual({ ok: true, firstBad: null, count: 4 });
    const all = await records();
    expect(all.map((r) => r?.seq)).toEqual([1, 2, 3, 4]);
    expect(all[0]).toMatchObject({
      v: 1,
      event: "call",
      call_id: "c0",
      error: null,
      prev_hash: null,
      writer: { pid: process.pid, version: "1.2.3", role: "library" },
    });
    expect(all[1]?.prev_hash).toBe(all[0]?.record_hash);
    expect(new Set(all.map((r) => r?.log_id)).size).toBe(1);
    if (process.platform === "win32") return;
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(path.dirname(file), "audit.lock.db")).mode & 0o777).toBe(0o600);
  });

  test("a folder that it makes ignores itself; one that was there is left alone", async () => {
    await write(1);
    expect(fs.readFileSync(path.join(folder, "storage", ".gitignore"), "utf8")).toBe("*\n");
    expect(fs.existsSync(path.join(folder, ".gitignore"))).toBe(false);
    file = path.join(folder, "audit.jsonl");
    await write(1);
    expect(fs.existsSync(path.join(folder, ".gitignore"))).toBe(false);
  });

  test("append gives the record as it stands, and tells listeners", async () => {
    const log = await open();
    const told: AuditRecord[] = [];
    const stop = log.onAppend((record) => told.push(record));
    const record = await log.append(call(1));
    stop();
    await log.append(call(2));
    expect(told).toEqual([record]);
    expect(JSON.parse(fs.readFileSync(file, "utf8").split("\n")[0] ?? "")).toEqual(
      JSON.parse(JSON.stringify(record)),
    );
    expect(log.logId).toBe(record.log_id);
  });

  test("a listener that throws harms nothing", async () => {
    const log = await open();
    log.onAppend(() => {
      throw new Error("no");
    });
    await log.append(call(1));
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, count: 1 });
  });

  test("what is asked for at once is written in that order", async () => {
    const log = await open();
    const all = await Promise.all(Array.from({ length: 300 }, (_, n) => log.append(call(n))));
    expect(all.map((r) => r.seq)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    expect(all.map((r) => r.call_id)).toEqual(Array.from({ length: 300 }, (_, n) => `c${n}`));
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, count: 300 });
  });

  test("two logs of one process on one file make one chain", async () => {
    const [a, b] = [await open(), await open()];
    for (let n = 0; n < 50; n += 1) await Promise.all([a.append(call(n)), b.append(call(1000 + n))]);
    expect(await verifyAuditLog(file)).toEqual({ ok: true, firstBad: null, count: 100 });
    expect(a.logId).toBe(b.logId);
  });

  test.each<AuditWriterOptions["durability"]>(["always", "group"])("durability %s", async (durability) => {
    await write(5, durability === undefined ? {} : { durability });
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, count: 5 });
  });

  test("a closed log refuses", async () => {
    const log = await open();
    await log.close();
    await expect(log.append(call(1))).rejects.toMatchObject({ code: "audit.unwritable" });
    await expect(log.intend(call(1))).rejects.toMatchObject({ code: "audit.unwritable" });
  });

  test("close writes what was asked for before", async () => {
    const log = await open();
    const pending = Array.from({ length: 100 }, (_, n) => log.append(call(n)));
    await log.close();
    await Promise.all(pending);
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, count: 100 });
  });
});

describe("what is recorded", () => {
  test("secrets are hidden everywhere, the caller's own object is untouched", async () => {
    const args = { api_key: "k-123", url: "postgres://u:pa55@h/db", n: 1 };
    const log = await open();
    const record = await log.append(
      call(1, {
        args,
        reason: "token=abcdef123 refused",
        error: "login failed: password: hunter22",
        findings: [{ code: "x", message: "Bearer abc.def.ghi", by: "g", details: { secret: "s3" } }],
        trail: [{ by: "g", stage: "chain", decision: "allow", ms: 0.4, note: "PGPASSWORD=hunter3 psql" }],
        data: { prompt: "use --password hunter4" },
      }),
    );
    const text = fs.readFileSync(file, "utf8");
    for (const secret of [
      "k-123",
      "pa55",
      "abcdef123",
      "hunter22",
      "abc.def.ghi",
      's3"',
      "hunter3",
      "hunter4",
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(record.args).toMatchObject({ api_key: "[REDACTED]", n: 1 });
    expect(record.redactions?.map((r) => r.path)).toContain("args.api_key");
    expect(args).toEqual({ api_key: "k-123", url: "postgres://u:pa55@h/db", n: 1 });
  });

  test("redact keys and exemptions of the options", async () => {
    const log = await open({ redactKeys: ["ssn", "iban-number"], redactExempt: ["session_token"] });
    const record = await log.append(
      call(1, { args: { user_ssn: "1", IbanNumber: "2", session_token: "3", note: "ssn: 078-05-1120" } }),
    );
    expect(record.args).toEqual({
      user_ssn: "[REDACTED]",
      IbanNumber: "[REDACTED]",
      session_token: "3",
      note: "ssn: [REDACTED:named:11]",
    });
  });

  test.each<[string, Partial<RecordBody>]>([
    ["one huge text", { args: { filePath: "/w/a.txt", content: "x".repeat(3_000_000) } }],
    [
      "many middling texts",
      { args: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, "é".repeat(1000)])) },
    ],
    ["a huge tree", { args: { rows: Array.from({ length: 30_000 }, (_, i) => ({ i })) } }],
    [
      "huge names",
      { tool: "t".repeat(1_000_000), session_id: "s".repeat(1_000_000), reason: "r".repeat(1_000_000) },
    ],
    [
      "huge findings",
      { findings: Array.from({ length: 2000 }, () => ({ code: "c", message: "m".repeat(200), by: "b" })) },
    ],
    ["control characters, six bytes each", { args: { text: "\u0001".repeat(60_000) } }],
  ])("%s stays within 64 KiB a line", async (_name, more) => {
    const log = await open();
    await log.append(call(1, more));
    await log.append(call(2));
    const [line = ""] = fs.readFileSync(file, "utf8").split("\n");
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(64 * 1024);
    expect(line.length).toBeGreaterThan(200);
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, count: 2 });
  });

  test("what was too large keeps its size and a keyed hash; its neighbours stay", async () => {
    const log = await open();
    const content = "x".repeat(200_000);
    const [a, b] = [
      await log.append(call(1, { args: { filePath: "/w/a.txt", content } })),
      await log.append(call(2, { args: { content } })),
    ];
    expect(a.args).toMatchObject({ filePath: "/w/a.txt", content: { $truncated: { bytes: 200_000 } } });
    expect(b.args?.content, "equal texts are recognised").toEqual(a.args?.content);
    expect(JSON.stringify(a.args)).toMatch(/"hmac":"[0-9a-f]{64}"/);
  });

  test("values that are no JSON", async () => {
    const args: Record<string, unknown> = {
      big: 10n,
      when: new Date(0),
      f: () => 1,
      bad: "\ud800",
      half: 0.5,
    };
    args.self = args;
    const log = await open();
    await log.append(call(1, { args, duration_ms: 1.7 }));
    expect((await records())[0]).toMatchObject({
      args: {
        big: { $bigint: "10" },
        when: "1970-01-01T00:00:00.000Z",
        f: "[function]",
        bad: "\ufffd",
        half: { $number: "0.5" },
      },
      duration_ms: 2,
    });
  });
});

describe("torn ends", () => {
  test("cut at every byte of the last record", async () => {
    await write(3);
    const whole = fs.readFileSync(file);
    const lastStart = whole.lastIndexOf(10, whole.length - 2) + 1;
    for (let cut = lastStart; cut < whole.length; cut += 1) {
      const copy = path.join(folder, `cut-${cut}`, "audit.jsonl");
      fs.mkdirSync(path.dirname(copy));
      fs.writeFileSync(copy, whole.subarray(0, cut));
      const log = await openAuditLog({ path: copy, role: "library", version: "0" });
      await log.append(call(9));
      await log.close();
      const report = await verifyFile(copy);
      expect(report.ok, `cut at ${cut}: ${JSON.stringify(report)}`).toBe(true);
      const isTorn = cut > lastStart;
      const isComplete = cut === whole.length - 1;
      expect(report.count).toBe(isComplete ? 5 : isTorn ? 4 : 3);
      const kept = fs.readdirSync(path.dirname(copy)).filter((name) => name.includes(".torn-"));
      expect(kept.length).toBe(isTorn && !isComplete ? 1 : 0);
      const [evidence] = kept;
      if (evidence !== undefined) {
        expect(fs.readFileSync(path.join(path.dirname(copy), evidence))).toEqual(
          whole.subarray(lastStart, cut),
        );
      }
    }
  }, 60_000);

  test.each([
    ["NUL bytes", Buffer.alloc(5000)],
    ["one byte", Buffer.from("{")],
    ["a megabyte without LF", Buffer.alloc(1_000_000, "x")],
  ])("%s are set aside and named", async (_name, tail) => {
    await write(2);
    const size = fs.statSync(file).size;
    fs.appendFileSync(file, tail);
    expect(await verifyFile(file)).toMatchObject({
      ok: false,
      firstBad: 3,
      damage: [{ kind: "torn", offset: size }],
    });
    await write(1);
    const report = await verifyFile(file);
    expect(report).toMatchObject({ ok: true, count: 4, warnings: ["line 3 records a recovery (torn)"] });
    expect((await records())[2]).toMatchObject({
      event: "log.recovered",
      data: { torn_offset: size, torn_bytes: tail.length },
    });
  });

  test("a log that is torn before its first record", async () => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, '{"args":');
    await write(1);
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 2 });
  });

  test("an open log mends what another writer left torn", async () => {
    const log = await open();
    await log.append(call(1));
    fs.appendFileSync(file, '{"half":');
    await log.append(call(2));
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 3 });
  });
});

describe("tampering meets a writer: no record is dropped, the damage stays visible", () => {
  function edit(change: (lines: string[]) => string[]): void {
    const lines = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
    fs.writeFileSync(
      file,
      change(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }

  test.each<[string, (lines: string[]) => string[], { line: number; kind: string }]>([
    [
      "the last record edited",
      (l) => l.with(2, (l[2] ?? "").replace("SELECT 2", "SELECT 7")),
      { line: 3, kind: "modified" },
    ],
    [
      "the last two edited",
      (l) => l.map((t, i) => (i > 0 ? t.replace("SELECT", "DELETE") : t)),
      { line: 2, kind: "modified" },
    ],
    ["all edited", (l) => l.map((t) => t.replace("SELECT", "DELETE")), { line: 1, kind: "modified" }],
    ["a foreign line at the end", (l) => [...l, "hello"], { line: 4, kind: "foreign" }],
    ["an empty line at the end", (l) => [...l, ""], { line: 4, kind: "foreign" }],
    ["an old record again at the end", (l) => [...l, l[0] ?? ""], { line: 4, kind: "inserted" }],
  ])("%s", async (_name, change, damage) => {
    await write(3);
    edit(change);
    const before = fs.readFileSync(file);
    const log = await open();
    await log.append(call(10));
    await log.append(call(11));
    await log.close();
    expect(fs.readFileSync(file).subarray(0, before.length).equals(before), "nothing is taken away").toBe(
      true,
    );
    const report = await verifyFile(file);
    expect(report).toMatchObject({ ok: false, firstBad: damage.line });
    expect(report.damage[0]).toMatchObject(damage);
    expect((await records()).filter((r) => r?.call_id === "c10" || r?.call_id === "c11")).toHaveLength(2);
    const blamed = report.damage.filter((d) => d.line > damage.line + 2);
    expect(blamed, "records written after it are sound").toEqual([]);
  });

  test("the last record replaced under an open log is named, although the chain over it is right", async () => {
    const log = await open();
    for (let n = 0; n < 3; n += 1) await log.append(call(n));
    const { rehashed } = await import("../core/audit/logs");
    edit((l) =>
      l.with(
        2,
        rehashed(l[2] ?? "", (r) => (r.decision = "denied")),
      ),
    );
    await log.append(call(9));
    const report = await verifyFile(file);
    expect(report).toMatchObject({ ok: false, firstBad: 3, damage: [{ line: 3, kind: "rewritten" }] });
    expect((await records())[3]).toMatchObject({ event: "log.recovered", data: { what: "head_differs" } });
  });
});

describe("a head kept elsewhere", () => {
  const head = () => fileHeadStore(path.join(folder, "elsewhere"), file);

  test("moves forward only", async () => {
    const store = head();
    const at = (seq: number, log_id = "log_a") => ({
      log_id,
      count: seq,
      seq,
      head: `${seq}`.padStart(64, "0"),
      path: file,
    });
    expect(await store.load()).toBeUndefined();
    await store.store(at(5));
    await store.store(at(4));
    expect((await store.load())?.seq).toBe(5);
    await store.store(at(9));
    await store.store(at(9999, "log_b"));
    expect(await store.load()).toEqual(at(9));
    await store.store(at(1, "log_c"), { replaces: "log_a" });
    expect(await store.load()).toEqual(at(1, "log_c"));
    await store.store(at(10));
    expect((await store.load())?.log_id).toBe("log_c");
    await store.store(at(2, "log_c"));
    expect(await store.load()).toEqual(at(2, "log_c"));
    await store.store(at(3, "log_c"));
    expect(await store.load()).toEqual(at(3, "log_c"));
  });

  test("knows the newest record after close, and verify reaches level 3", async () => {
    await write(3, { head: head() });
    const known = await head().load();
    expect(known).toMatchObject({ seq: 3, count: 3, path: file });
    expect(await verifyFile(file, known === undefined ? {} : { head: known })).toMatchObject({
      ok: true,
      level: 3,
    });
  });

  test.each<[string, () => void]>([
    ["missing", () => fs.rmSync(file)],
    ["emptied", () => fs.truncateSync(file, 0)],
    [
      "shorter",
      () => {
        const text = fs.readFileSync(file, "utf8");
        fs.writeFileSync(file, text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
      },
    ],
    ["replaced", () => fs.copyFileSync(path.join(folder, "other.jsonl"), file)],
  ])("%s: refused, and nothing is begun anew", async (_name, damage) => {
    await (await open({ path: path.join(folder, "other.jsonl") })).append(call(1));
    await write(3, { head: head() });
    damage();
    const before = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
    await expect(open({ head: head() })).rejects.toMatchObject({
      code: "audit.unreadable",
      hint: expect.any(String),
    });
    expect(fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined).toBe(before);

    await write(1, { head: head(), onMissing: "recover" });
    const [first, second] = await records();
    expect(first).toMatchObject({
      event: "log.recovered",
      seq: 1,
      prev_hash: null,
      data: { what: "lost", lost: { seq: 3 } },
    });
    expect(second).toMatchObject({ call_id: "c0", seq: 2 });
    const known = await head().load();
    expect(known).toMatchObject({ seq: 2, log_id: first?.log_id });
    expect(await verifyFile(file, known === undefined ? {} : { head: known })).toMatchObject({
      ok: true,
      level: 3,
    });
    if (before !== undefined) {
      const kept = fs.readdirSync(path.dirname(file)).find((name) => name.includes(".lost-"));
      expect(fs.readFileSync(path.join(path.dirname(file), kept ?? ""), "utf8")).toBe(before);
    }
    await write(1, { head: head() });
  });

  test.each<[string, () => void]>([
    ["removed", () => fs.rmSync(file)],
    ["emptied", () => fs.truncateSync(file, 0)],
  ])("%s while open: the next append is refused", async (_name, damage) => {
    const log = await open();
    await log.append(call(1));
    damage();
    await expect(log.append(call(2))).rejects.toMatchObject({ code: "audit.unreadable" });
    await expect(log.append(call(3))).rejects.toMatchObject({ code: "audit.unreadable" });
    expect(fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "").toBe("");
  });

  test("removed before anything was written: begun again, nothing is lost", async () => {
    const log = await open();
    fs.rmSync(file);
    await log.append(call(1));
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 1 });
  });

  test("another window began anew with consent: this one follows", async () => {
    const log = await open({ head: head() });
    await log.append(call(1));
    await log.close();
    const first = await open({ head: head() });
    await first.append(call(2, { decision: "denied" }));
    fs.rmSync(file);
    await expect(first.append(call(3))).rejects.toMatchObject({ code: "audit.unreadable" });
    const second = await open({ head: head(), onMissing: "recover" });
    await second.append(call(4));
    await first.append(call(5));
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 3 });
    expect(first.logId).toBe(second.logId);
  });
});

describe("the lock is held by another", () => {
  function hold(): { release(): void } {
    const database = new DatabaseSync(path.join(path.dirname(file), "audit.lock.db"));
    database.exec("BEGIN IMMEDIATE");
    return {
      release: () => {
        database.exec("ROLLBACK");
        database.close();
      },
    };
  }

  test("with a head elsewhere the record waits in the spool, counts, and is drained", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 50 });
    await log.append(call(1));
    const holder = hold();
    const waiting = await log.append(call(2, { args: { password: "hunter2" } }));
    expect(waiting).toMatchObject({ seq: 0, call_id: "c2" });
    const spool = path.join(path.dirname(file), "audit.spool");
    expect(fs.readdirSync(spool)).toHaveLength(1);
    expect(fs.readFileSync(path.join(spool, fs.readdirSync(spool)[0] ?? ""), "utf8")).not.toContain(
      "hunter2",
    );
    const known = await head.load();
    expect(known?.spooled).toHaveLength(1);
    expect(
      await verifyFile(file, known === undefined ? {} : { head: known }),
      "it waits: not lost",
    ).toMatchObject({ ok: true });
    holder.release();
    await log.append(call(3));
    expect((await records()).map((r) => r?.call_id)).toEqual(["c1", "c2", "c3"]);
    expect((await records())[1]).toMatchObject({
      args: { password: "[REDACTED]" },
      findings: [{ code: "spooled" }],
    });
    expect(fs.readdirSync(spool)).toEqual([]);
    expect((await head.load())?.spooled).toBeUndefined();
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 3 });
  });

  test("a record removed from the spool is reported as lost", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 50 });
    await log.append(call(1, { decision: "denied" }));
    const holder = hold();
    await log.append(call(2));
    const spool = path.join(path.dirname(file), "audit.spool");
    fs.rmSync(spool, { recursive: true });
    holder.release();
    await log.append(call(3));
    const known = await head.load();
    expect(await verifyFile(file, known === undefined ? {} : { head: known })).toMatchObject({
      ok: false,
      firstBad: 3,
      damage: [{ kind: "spool_lost" }],
    });
  });

  test("without a head elsewhere the caller is told that it failed; the record is kept all the same", async () => {
    const log = await open({ lockMs: 50 });
    const holder = hold();
    await expect(log.append(call(1))).rejects.toMatchObject({
      code: "audit.locked",
      hint: expect.any(String),
    });
    holder.release();
    await log.close();
    expect(await records()).toMatchObject([
      { call_id: "c1", findings: [{ code: "spooled_unacknowledged" }] },
    ]);
  });

  test("an idle log drains by itself", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 50 });
    await log.append(call(0));
    const holder = hold();
    await log.append(call(1));
    holder.release();
    await expect.poll(async () => (await records()).length, { timeout: 5000 }).toBe(2);
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 2 });
  });

  test("a log opened meanwhile works once it is free", async () => {
    await write(2);
    const holder = hold();
    const log = await open({ lockMs: 50 });
    const pending = log.append(call(5));
    pending.catch(() => undefined);
    await expect(pending).rejects.toMatchObject({ code: "audit.locked" });
    holder.release();
    await log.append(call(6));
    expect((await records()).map((r) => r?.call_id)).toEqual(["c0", "c1", "c5", "c6"]);
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 4 });
  });

  test("a lock file that was removed keeps nobody in", async () => {
    const [a, b] = [await open(), await open()];
    for (let n = 0; n < 20; n += 1) {
      fs.rmSync(path.join(path.dirname(file), "audit.lock.db"), { force: true });
      await Promise.all([a.append(call(n)), b.append(call(100 + n))]);
    }
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 40 });
  });

  test("forged, broken and linked files are no records: they are set aside, and one record names them", async () => {
    await write(1);
    const side = (fields: object) =>
      JSON.stringify({
        id: "b",
        ts: "2026-01-01T00:00:00.000Z",
        fields,
        origin: { pid: 999_999_999, started: "1", host: os.hostname() },
        seal: "0".repeat(64),
      });
    for (const name of ["audit.spool", "audit.intents"]) {
      const at = path.join(path.dirname(file), name);
      fs.mkdirSync(at, { recursive: true });
      fs.writeFileSync(path.join(at, "a.json"), "garbage");
      fs.writeFileSync(path.join(at, "b.json"), side({ event: "call", seq: 99, prev_hash: "x" }));
      fs.writeFileSync(path.join(at, "c.json"), "x".repeat(500_000));
      fs.symlinkSync("/etc/passwd", path.join(at, "d.json"));
      fs.mkdirSync(path.join(at, "e"));
      fs.writeFileSync(path.join(at, "f"), "");
    }
    await write(1);
    await write(1);
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 4 });
    expect((await records()).map((r) => r?.event)).toEqual(["call", "log.recovered", "call", "call"]);
    expect((await records())[1]).toMatchObject({
      data: { what: "foreign_files", count: 12 },
      findings: [{ code: "spool_foreign", by: "audit_log" }],
    });
    expect(fs.readdirSync(path.join(path.dirname(file), "audit.foreign"))).toHaveLength(12);
    expect(fs.readFileSync(file, "utf8")).not.toContain("root:");
  });

  test("a waiting record that was edited, renamed or sealed by a stranger's key is not ours, and counts as lost", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 30 });
    await log.append(call(0, { decision: "denied" }));
    const holder = hold();
    await log.append(call(1));
    const spool = path.join(path.dirname(file), "audit.spool");
    const [name = ""] = fs.readdirSync(spool);
    const text = fs.readFileSync(path.join(spool, name), "utf8");
    fs.writeFileSync(path.join(spool, name), text.replace("SELECT 1", "SELECT 2"));
    holder.release();
    await log.append(call(2));
    expect((await records()).map((r) => r?.event)).toEqual(["call", "log.recovered", "call"]);
    const known = await head.load();
    expect(await verifyFile(file, known === undefined ? {} : { head: known })).toMatchObject({
      ok: false,
      damage: [{ kind: "spool_lost" }],
    });
  });

  test("files that are right in everything but the seal are a stranger's", async () => {
    await write(1);
    const folders = auditPlace(file);
    const forged = {
      id: "spool_1",
      ts: "2026-01-01T00:00:00.000Z",
      fields: { event: "call", call_id: "forged", decision: "allow", error: null },
      origin: { pid: 999_999_999, started: "1", host: os.hostname() },
      writer: { pid: 999_999_999, version: "1.2.3", role: "extension" },
    };
    const seals = { stranger: createSeal(path.join(folder, "another-key")), own: createSeal(folders.key) };
    for (const seal of [seals.stranger, seals.own]) {
      const waiting = { ...forged, folder: folders.spool, seal, acknowledged: true, nth: 0, prev: null };
      await writeSpooled({ ...waiting, prevTs: null });
      await writeIntent({ ...forged, id: "i", folder: folders.intents, seal, nth: 1, flush: "later" });
    }
    await write(1);
    // With the log's own key the same files count: it is the seal alone that told them apart.
    expect((await records()).map((r) => [r?.event, r?.findings?.[0]?.code])).toEqual([
      ["call", undefined],
      ["log.recovered", "spool_foreign"],
      ["call", "spooled"],
      ["call", undefined],
    ]);
    expect((await records())[1]?.data).toMatchObject({ count: 2 });
  });

  test.each([
    { what: "in the same file", segments: { bytes: 1 << 20, records: 1000 } },
    { what: "in the file before", segments: { bytes: 1 << 20, records: 3 } },
  ])("a waiting record that is put back after it was written, $what, is not written again", async (at) => {
    const { segments } = at;
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 30, segments });
    await log.append(call(0));
    const holder = hold();
    await log.append(call(1));
    const spool = path.join(path.dirname(file), "audit.spool");
    const [name = ""] = fs.readdirSync(spool);
    const text = fs.readFileSync(path.join(spool, name));
    holder.release();
    await log.append(call(2));
    fs.mkdirSync(spool, { recursive: true });
    fs.writeFileSync(path.join(spool, name), text);
    await log.append(call(3));
    const closed = closedSegments(file).map((one) => fs.readFileSync(one.file, "utf8"));
    expect(closed).toHaveLength(segments.records < 10 ? 1 : 0);
    const all = `${closed.join("")}${fs.readFileSync(file, "utf8")}`.trimEnd().split("\n");
    const calls = all.map((line) => JSON.parse(line).call_id).filter((id) => id !== undefined);
    expect(calls).toEqual(["c0", "c1", "c2", "c3"]);
    expect(await verifyFile(file)).toMatchObject({ ok: true });
  });

  test("waiting records name each other; the one after a removed one says so", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 30 });
    await log.append(call(0));
    const holder = hold();
    for (let n = 1; n <= 4; n += 1) await log.append(call(n));
    const spool = path.join(path.dirname(file), "audit.spool");
    const second = fs.readdirSync(spool).find((name) => {
      return fs.readFileSync(path.join(spool, name), "utf8").includes("SELECT 2");
    });
    fs.rmSync(path.join(spool, second ?? ""));
    holder.release();
    await log.append(call(5));
    const waited = (await records()).filter((r) => r?.findings !== undefined);
    expect(waited.map((r) => [r?.call_id, r?.findings?.[0]?.code])).toEqual([
      ["c1", "spooled"],
      ["c3", "spooled_after_gap"],
      ["c4", "spooled"],
    ]);
    expect(waited[2]?.findings?.[0]?.details?.prev).toBe(waited[1]?.findings?.[0]?.details?.hash);
  });

  test("a person's choice never waits in a folder: without the lock it is refused and nothing is kept", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 30 });
    await log.append(call(0));
    const holder = hold();
    const choice = { event: "human_choice" as const, data: { choice: "allow" }, error: null };
    await expect(log.append(choice)).rejects.toMatchObject({ code: "audit.locked" });
    holder.release();
    await log.append(call(1));
    expect((await records()).map((r) => r?.event)).toEqual(["call", "call"]);
  });

  test("what was found secret stays named after the wait", async () => {
    const head = fileHeadStore(path.join(folder, "elsewhere"), file);
    const log = await open({ head, lockMs: 30 });
    await log.append(call(0));
    const holder = hold();
    await log.append(call(1, { args: { password: "hunter2" } }));
    holder.release();
    await log.append(call(2));
    expect((await records())[1]?.redactions).toMatchObject([{ path: "args.password" }]);
  });
});

describe("intents", () => {
  test("one stands while the call runs and goes with its record", async () => {
    const log = await open();
    const intents = path.join(path.dirname(file), "audit.intents");
    await log.intend(call(1, { args: { password: "hunter2" } }));
    const [name = "", ...more] = fs.readdirSync(intents);
    expect([name.startsWith("c1."), more]).toEqual([true, []]);
    expect(fs.readFileSync(path.join(intents, name), "utf8")).not.toContain("hunter2");
    await log.append({
      event: "human_choice",
      call_id: "c1",
      data: { choice: "deny", late: true },
      error: null,
    });
    await log.append(call(1, { decision: "asks_user" }));
    expect(fs.readdirSync(intents), "a late answer or a question ends no call").toEqual([name]);
    await log.append(call(1));
    await expect.poll(() => fs.readdirSync(intents)).toEqual([]);
    expect(await records()).toHaveLength(3);
  });

  test.each(["../../../evil", "a/b", "", "x".repeat(5000), "\u0000", "CON", "c\ud800"])(
    "a call id like %j names no file elsewhere",
    async (callId) => {
      const log = await open();
      await log.intend({ ...call(1), call_id: callId });
      const names = fs.readdirSync(path.join(path.dirname(file), "audit.intents"));
      expect(names).toHaveLength(1);
      await log.append({ ...call(1), call_id: callId });
      await expect.poll(() => fs.readdirSync(path.join(path.dirname(file), "audit.intents"))).toEqual([]);
      expect(fs.readdirSync(folder)).toEqual(["storage"]);
    },
  );

  test("one call id used twice at once has two intents", async () => {
    const log = await open();
    await Promise.all([log.intend(call(1)), log.intend(call(1))]);
    const intents = path.join(path.dirname(file), "audit.intents");
    expect(fs.readdirSync(intents)).toHaveLength(2);
    await log.append(call(1));
    await expect.poll(() => fs.readdirSync(intents).length).toBe(1);
    await log.append(call(1));
    await expect.poll(() => fs.readdirSync(intents).length).toBe(0);
  });
});

describe("places that cannot be", () => {
  test("a link, a folder, a file that is no log", async () => {
    fs.writeFileSync(path.join(folder, "victim"), "export PATH=/bin\n");
    fs.symlinkSync(path.join(folder, "victim"), path.join(folder, "link.jsonl"));
    fs.mkdirSync(path.join(folder, "dir.jsonl"));
    for (const name of ["link.jsonl", "dir.jsonl", "victim"]) {
      await expect(open({ path: path.join(folder, name) }), name).rejects.toMatchObject({
        code: "audit.path",
      });
    }
    expect(fs.readFileSync(path.join(folder, "victim"), "utf8")).toBe("export PATH=/bin\n");
  });

  test("a folder that is a file", async () => {
    fs.writeFileSync(path.join(folder, "f"), "");
    await expect(open({ path: path.join(folder, "f", "audit.jsonl") })).rejects.toMatchObject({
      code: "audit.unwritable",
      hint: expect.any(String),
    });
  });

  test.runIf(process.platform === "linux")("a file system that takes no files", async () => {
    await expect(open({ path: "/sys/kernel/audit.jsonl" })).rejects.toMatchObject({
      code: "audit.unwritable",
      hint: expect.any(String),
    });
  });
});

describe("in memory", () => {
  test("the same chain, and it can be written later", async () => {
    const memory = memoryAuditLog({ role: "extension", version: "1" });
    const told: AuditRecord[] = [];
    memory.onAppend((record) => told.push(record));
    await memory.intend(call(1));
    for (let n = 0; n < 3; n += 1) await memory.append(call(n, { args: { token: "abc" } }));
    expect(
      verifyBytes(
        Buffer.from(
          memory
            .lines()
            .map((l) => `${l}\n`)
            .join(""),
        ),
      ),
    ).toMatchObject({ ok: true, count: 3 });
    expect(told).toHaveLength(3);
    const log = await open();
    expect(await memory.flushInto(log)).toBe(3);
    expect(memory.lines()).toEqual([]);
    expect(await records()).toMatchObject(
      [0, 1, 2].map((n) => ({
        call_id: `c${n}`,
        args: { token: "[REDACTED]" },
        findings: [{ code: "held_in_memory" }],
      })),
    );
    expect(await verifyFile(file)).toMatchObject({ ok: true, count: 3 });
  });

  test("it is bounded", async () => {
    const memory = memoryAuditLog({ role: "extension", version: "1", limit: 1 });
    await memory.append(call(1));
    await expect(memory.append(call(2))).rejects.toMatchObject({ code: "audit.unwritable" });
  });
});

describe("reading", () => {
  test("the last records without the rest", async () => {
    await write(50);
    const last = await tailRecords(file, 3);
    expect(last.map((l) => l.record?.seq)).toEqual([48, 49, 50]);
    expect((await tailRecords(file, 500)).length).toBe(50);
    const from = last[0]?.offset ?? 0;
    const again = [];
    for await (const { record, offset } of readRecords(file, { from })) again.push([record?.seq, offset]);
    expect(again).toEqual(last.map((l) => [l.record?.seq, l.offset]));
  });

  test("missing and unreadable", async () => {
    await expect(verifyAuditLog(path.join(folder, "none.jsonl"))).rejects.toMatchObject({
      code: "audit.unreadable",
    });
    await expect(verifyAuditLog(folder)).rejects.toMatchObject({ code: "audit.unreadable" });
  });

  test("lines larger than a chunk, a line without end", async () => {
    await write(2);
    fs.appendFileSync(file, `${"y".repeat(3_000_000)}\n`);
    expect(await verifyFile(file)).toMatchObject({ ok: false, firstBad: 3, damage: [{ kind: "foreign" }] });
    fs.appendFileSync(file, "z".repeat(20_000_000));
    expect(await verifyFile(file)).toMatchObject({
      ok: false,
      firstBad: 3,
      damage: [{ kind: "foreign" }, { kind: "torn" }],
    });
  });
});
