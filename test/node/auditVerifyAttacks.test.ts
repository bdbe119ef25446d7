/** Real writers under attack, and beside each other: what verification says of what they leave. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseCheckpointFile } from "../../src/core/audit/checkpoint";
import type { RecordBody } from "../../src/core/audit/record";
import { isOfTheLog } from "../../src/core/audit/recordSignature";
import { anchorStore } from "../../src/node/auditCheckpointFile";
import { fileHeadStore } from "../../src/node/auditHead";
import { createAuditKeyring, type KeyedLog } from "../../src/node/auditKeysRing";
import { openAuditLock } from "../../src/node/auditLock";
import type { AuditLog, AuditWriterOptions } from "../../src/node/auditOptions";
import { auditPlace, checkpointsFile } from "../../src/node/auditPlace";
import { closedFile, closedSegments } from "../../src/node/auditSegment";
import { verifyFile } from "../../src/node/auditVerify";
import { openAuditLog } from "../../src/node/auditWriter";
import { memorySecrets, openKeyed, recordsOf } from "./auditKeyed";
import { newFolder } from "./auditProcess";

let base: string;
let folder: string;
let file: string;
beforeAll(() => {
  base = newFolder();
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(base, "log-"));
  file = path.join(folder, "ws", "audit.jsonl");
});

const TEN = { bytes: 1 << 30, records: 10 };
const QUIET = { everyMs: 1 << 30, everyRecords: 1 << 30 };
const call = (n: number): RecordBody => ({ event: "call", call_id: `c-${n}`, tool: "run_DROP", error: null });
const choice: RecordBody = { event: "human_choice", data: { choice: "allow", scope: "once" }, error: null };
const open = (options: Partial<AuditWriterOptions> = {}): Promise<AuditLog> =>
  openAuditLog({ path: file, role: "library", version: "0", segments: TEN, ...options });

async function appendMany(log: Pick<AuditLog, "append">, n: number): Promise<void> {
  for (let i = 0; i < n; i += 1) await log.append(call(i));
}

test("a record edited in place before its file is closed is found by every kind of reader", async () => {
  const secrets = memorySecrets();
  const { log } = await openKeyed(folder, secrets, { segments: TEN });
  await appendMany(log, 3);
  await log.checkpointNow();
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("run_DROP", "run_READ"));
  await appendMany(log, 30);
  await log.checkpointNow();
  const vkey = log.publicKey() ?? "";
  await log.close();
  const head = await fileHeadStore(path.join(folder, "home", "heads"), file).load();
  const kept = await secrets.anchor.load();
  const anchor = path.join(folder, "outside");
  fs.writeFileSync(
    anchor,
    fs
      .readFileSync(checkpointsFile(file), "utf8")
      .split(/\n\n(?=countersign)/)
      .at(-1) ?? "",
  );
  const known = { vkey, ...(head && { head }), ...(kept && { kept }) };
  for (const options of [{}, known, { ...known, anchor }]) {
    const found = await verifyFile(file, options);
    expect(found.damage[0]).toMatchObject({ file: "audit-000001.jsonl", kind: "modified" });
  }
  expect((await verifyFile(file, { ...known, anchor, closed: "digest" })).level).toBeLessThanOrEqual(1);
});

describe("two windows", () => {
  test("one that has not seen the newest key signs no checkpoint of its segment with an older one", async () => {
    const secrets = memorySecrets();
    const a = await openKeyed(folder, secrets, { segments: TEN, ...QUIET });
    await a.log.append(choice);
    const b = await openKeyed(folder, secrets, { segments: TEN, ...QUIET });
    await appendMany(b.log, 14);
    expect(closedSegments(file)).toHaveLength(1);
    // Its keys are those of the first segment, and two of the second segment's lines are there to sign.
    await a.log.checkpointNow();
    await appendMany(b.log, 24);
    await a.log.checkpointNow();
    await b.log.close();
    await a.log.close();
    expect([...a.problems, ...b.problems]).toEqual([]);
    const { checkpoints } = parseCheckpointFile(fs.readFileSync(checkpointsFile(file), "utf8"));
    expect(Math.max(...checkpoints.map(({ checkpoint }) => checkpoint.segment))).toBeGreaterThan(2);
    expect(await verifyFile(file, { vkey: a.log.publicKey() ?? "" })).toMatchObject({ ok: true, level: 2 });
  });

  test("keys of the last look sign for nothing that came after it", async () => {
    const secrets = memorySecrets();
    const at = (segment: number): KeyedLog => ({ logId: "log_one", segment, write: () => [] });
    const ring = () =>
      createAuditKeyring({
        store: secrets.keys,
        isNamed: async () => true,
        isKeyed: async () => false,
        onProblem: () => undefined,
      });
    const [a, b] = [ring(), ring()];
    await a.prepare(at(1));
    await b.prepare(at(1));
    await b.prepare(at(2));
    const over = (segment: number) => ({ logId: "log_one", segment, size: 1, root: new Uint8Array(32) });
    expect([a.reaches(1), a.reaches(2), a.note(over(1)) !== undefined, a.note(over(2))]).toEqual([
      true,
      false,
      true,
      undefined,
    ]);
    await a.prepare(at(2));
    expect([a.reaches(2), a.note(over(2))]).toEqual([true, b.note(over(2))]);
    expect(a.note(over(2))).toBeDefined();
  });

  test("the anchor that is further on stays, however slow the store of one is", async () => {
    const texts = new Map<string, string>();
    const secrets = memorySecrets(texts);
    let slow = 0;
    const windowOf = (ms: number) => ({
      ...secrets,
      anchor: anchorStore({
        load: async () => texts.get("anchor"),
        async save(text: string) {
          slow += 1;
          await new Promise((resolve) => setTimeout(resolve, ms));
          texts.set("anchor", text);
        },
      }),
    });
    const a = await openKeyed(folder, windowOf(40), QUIET);
    const b = await openKeyed(folder, windowOf(0), QUIET);
    await a.log.append(choice);
    await a.log.checkpointNow();
    for (let round = 0; round < 8; round += 1) {
      await a.log.append(call(round));
      const first = a.log.checkpointNow();
      await appendMany(b.log, 3);
      await Promise.all([first, b.log.checkpointNow()]);
      const { checkpoints } = parseCheckpointFile(fs.readFileSync(checkpointsFile(file), "utf8"));
      const furthest = Math.max(...checkpoints.map(({ checkpoint }) => checkpoint.size));
      expect((await secrets.anchor.load())?.size).toBe(furthest);
    }
    await a.log.close();
    await b.log.close();
    expect(slow).toBeGreaterThan(8);
    expect([...a.problems, ...b.problems]).toEqual([]);
  });

  test("a store of secrets that hangs holds the log for a moment only, and it is said", async () => {
    const secrets = memorySecrets();
    const anchor = {
      load: () => secrets.anchor.load(),
      store: () => new Promise<void>(() => undefined),
    };
    const a = await openKeyed(folder, { ...secrets, anchor }, QUIET);
    await a.log.append(choice);
    await a.log.checkpointNow();
    expect(a.problems.join("\n")).toContain("the anchor of the audit log cannot be kept");
    expect(recordsOf(file).flat().at(-1)?.event).toBe("log.checkpoint");
    await a.log.close();
  });
});

test("where the key goes just as a file is closed, the log says nothing of itself unsigned", async () => {
  const secrets = memorySecrets();
  let saves = 0;
  const keys = {
    load: secrets.keys.load,
    async save(logId: string, text: string) {
      saves += 1;
      // The first file's key takes two.
      if (saves > 2) throw new Error("gone");
      await secrets.keys.save(logId, text);
    },
  };
  const { log, problems } = await openKeyed(folder, { ...secrets, keys }, { segments: TEN, ...QUIET });
  await log.append(call(0));
  const vkey = log.publicKey() ?? "";
  for (let i = 1; i < 8; i += 1) {
    await log.append(call(i));
    await log.checkpointNow();
  }
  await log.close();
  expect(problems.join("\n")).toContain("gone");
  const unsigned = recordsOf(file)
    .flat()
    .filter(({ event, sig }) => isOfTheLog(event) && sig === undefined);
  expect(unsigned).toEqual([]);
  expect(await verifyFile(file, { vkey })).toMatchObject({ damage: [] });
});

describe.skipIf(process.platform === "win32")("closing a file", () => {
  const modeOf = (name: string): number => fs.statSync(name).mode & 0o777;

  test.each<[string, "a log" | "no log", (victim: string, closed: string) => void]>([
    ["a link to another log", "a log", (victim, closed) => fs.symlinkSync(victim, closed)],
    ["a second name of another log", "a log", (victim, closed) => fs.linkSync(victim, closed)],
    ["no file of a log", "no log", (victim, closed) => fs.copyFileSync(victim, closed)],
  ])("%s in its place: no mode is changed", async (_name, what, put) => {
    const log = await open();
    await appendMany(log, 12);
    await log.close();
    const closed = closedFile(file, 1);
    expect(modeOf(closed)).toBe(0o400);
    const victim = path.join(folder, "victim");
    const text = what === "a log" ? fs.readFileSync(closed) : "PRIVATE\n";
    fs.writeFileSync(victim, text, { mode: 0o600 });
    fs.rmSync(closed);
    put(victim, closed);
    await (await open()).close();
    expect(modeOf(victim)).toBe(0o600);
    expect(modeOf(closed)).toBe(0o600);
  });
});

test("the first record of a file torn, no head elsewhere: the log goes on under its id", async () => {
  const log = await open();
  await appendMany(log, 12);
  await log.close();
  fs.truncateSync(file, 60);
  const again = await open();
  await again.append(call(99));
  await again.close();
  const [first = [], second = []] = recordsOf(file);
  expect(new Set([...first, ...second].map(({ log_id }) => log_id)).size).toBe(1);
  expect(second.map(({ event }) => event)).toEqual(["log.segment", "log.recovered", "call"]);
  expect(await verifyFile(file)).toMatchObject({ ok: true });
});

describe("a record that waits beside the log", () => {
  test.each<[string, (file: string) => void, boolean]>([
    ["left alone", () => undefined, true],
    ["emptied", (waiting) => fs.truncateSync(waiting, 0), false],
    ["exchanged", (waiting) => fs.writeFileSync(waiting, "{}"), false],
    [
      "replaced by a folder",
      (waiting) => {
        fs.rmSync(waiting);
        fs.mkdirSync(waiting);
      },
      false,
    ],
    ["removed", (waiting) => fs.rmSync(waiting), false],
  ])("%s", async (_name, attack, ok) => {
    const head = fileHeadStore(path.join(folder, "home"), file);
    const log = await open({ head, lockMs: 50 });
    await appendMany(log, 2);
    const { spool, lock: lockFile } = auditPlace(file);
    const lock = await openAuditLock(lockFile);
    expect(lock.tryAcquire()).toBe(true);
    await log.append(call(7));
    await log.append(call(8));
    const waiting = fs.readdirSync(spool).filter((name) => name.endsWith(".json"));
    expect(waiting).toHaveLength(2);
    attack(path.join(spool, waiting[0] ?? ""));
    const known = await head.load();
    const found = await verifyFile(file, known === undefined ? {} : { head: known });
    expect(found.ok).toBe(ok);
    expect(found.damage.map(({ kind }) => kind)).toEqual(ok ? [] : ["spool_lost"]);
    expect(found.warnings.join("\n")).toContain(`${ok ? 2 : 1} record(s) wait beside the log`);
    lock.release();
    lock.close();
    await log.close();
  });
});
