import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/audit/canonical";
import * as chain from "../../src/core/audit/chain";
import { type FiledCheckpoint, keyNameOf, parseCheckpointFile } from "../../src/core/audit/checkpoint";
import { createMerkleTree } from "../../src/core/audit/merkle";
import type { AuditRecord, RecordBody } from "../../src/core/audit/record";
import { isRecordSignedBy, isSigned } from "../../src/core/audit/recordSignature";
import { isSignedBy, parseVerifierKey, type VerifierKey } from "../../src/core/audit/signedNote";
import { formatPlace, openCursor } from "../../src/node/auditCheckpointCursor";
import { anchorStore } from "../../src/node/auditCheckpointFile";
import { fileKeyStore, loadPublicKey, savePublicKey } from "../../src/node/auditKeys";
import { hashBytes, verifyEd25519 } from "../../src/node/auditKeysEd25519";
import { checkpointsFile } from "../../src/node/auditPlace";
import { closedFile } from "../../src/node/auditSegment";
import { verifyFile } from "../../src/node/auditVerify";
import { openAuditLog } from "../../src/node/auditWriter";
import { sha256 as hash, nodeClock } from "../../src/node/ports";
import { memorySecrets, openKeyed, recordsOf, type Secrets } from "./auditKeyed";
import { newFolder } from "./auditProcess";

let base: string;
let folder: string;
let secrets: Secrets;
let file: string;
beforeAll(() => {
  base = newFolder();
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(base, "log-"));
  file = path.join(folder, "ws", "audit.jsonl");
  secrets = memorySecrets();
});

const call = (n: number | string, more: Partial<RecordBody> = {}): RecordBody => ({
  event: "call",
  call_id: `c-${n}`,
  error: null,
  ...more,
});
const choice: RecordBody = { event: "human_choice", data: { choice: "allow", scope: "once" }, error: null };
const TEN = { bytes: 1 << 30, records: 10 };

const asObject = (record: AuditRecord): JsonObject => record as unknown as JsonObject;

function keyOf(vkey: unknown): VerifierKey {
  const key = parseVerifierKey(String(vkey), hashBytes);
  if (key === undefined) throw new Error(`no verifier key: ${String(vkey)}`);
  return key;
}

const filed = (): readonly FiledCheckpoint[] => {
  const { checkpoints, strange, torn } = parseCheckpointFile(fs.readFileSync(checkpointsFile(file), "utf8"));
  expect({ strange, torn }).toEqual({ strange: [], torn: false });
  return checkpoints;
};

/** The keys that the log names, by segment, each checked under the one before. */
function keysBySegment(segments: readonly (readonly AuditRecord[])[]): VerifierKey[] {
  let key: VerifierKey | undefined;
  return segments.map((records, index) => {
    for (const record of records) {
      if (record.event !== "log.open" && record.event !== "log.key") continue;
      const named = keyOf(record.data?.vkey);
      const by = { key: key ?? named, verify: verifyEd25519, segment: index + 1 };
      expect(isRecordSignedBy(asObject(record), by)).toBe(true);
      key = named;
    }
    if (key === undefined) throw new Error("no key");
    return key;
  });
}

/** Every note holds: signed by the key of its segment, and its root is that of the lines that stand there. */
function expectCheckpoints(): readonly FiledCheckpoint[] {
  const segments = recordsOf(file);
  const keys = keysBySegment(segments);
  const all = filed();
  for (const { note, checkpoint } of all) {
    const { segment, size, root, logId } = checkpoint;
    expect(logId).toBe(segments[0]?.[0]?.log_id);
    const key = keys[segment - 1];
    expect(key !== undefined && isSignedBy(note, key, verifyEd25519)).toBe(true);
    const tree = createMerkleTree(hashBytes);
    const name = segment === segments.length ? file : closedFile(file, segment);
    const lines = fs.readFileSync(name, "utf8").split("\n").slice(0, size);
    for (const line of lines) tree.add(Buffer.from(line));
    expect({ segment, root: Buffer.from(tree.root()).toString("hex") }).toEqual({
      segment,
      root: Buffer.from(root).toString("hex"),
    });
  }
  return all;
}

describe("signatures in the write path", () => {
  test("log.open comes first, the named kinds are signed and no other, each signature holds", async () => {
    const { log, problems } = await openKeyed(folder, secrets);
    const kinds = ["call", "result", "human_choice", "grant", "trust", "config_accepted", "switch"] as const;
    for (const event of kinds) await log.append({ event, error: null });
    await log.close();
    expect(problems).toEqual([]);
    const [records = []] = recordsOf(file);
    expect(records[0]).toMatchObject({ event: "log.open", seq: 1, prev_hash: null });
    const key = keyOf(log.publicKey());
    expect(key.name).toBe(keyNameOf(log.logId));
    expect(records[0]?.data).toEqual({ vkey: log.publicKey() });
    for (const record of records) {
      expect([record.event, record.sig !== undefined]).toEqual([record.event, isSigned(record.event)]);
      const by = { key, verify: verifyEd25519, segment: 1 };
      expect(isRecordSignedBy(asObject(record), by)).toBe(isSigned(record.event));
    }
    // One comes right after the key, while the others are written.
    const others = records.map((r) => r.event).filter((event) => event !== "log.checkpoint");
    expect(others).toEqual(["log.open", ...kinds]);
    expect(records.at(-1)?.event).toBe("log.checkpoint");
  });

  test("a body cannot bring its own signature", async () => {
    const { log } = await openKeyed(folder, secrets);
    await log.append({ ...call(1), sig: "AAAA" } as RecordBody);
    await log.close();
    expect(recordsOf(file)[0]?.[1]?.sig).toBeUndefined();
  });

  test("a writer without a key writes none of it", async () => {
    const log = await openAuditLog({ path: file, role: "library", version: "1" });
    await log.append(choice);
    await log.append(call(1, { decision: "denied" }));
    await log.close();
    expect(recordsOf(file)[0]?.map((r) => [r.event, r.sig])).toEqual([
      ["human_choice", undefined],
      ["call", undefined],
    ]);
    expect(fs.existsSync(checkpointsFile(file))).toBe(false);
  });

  test("an approval that another process appends is found, ours are not", async () => {
    const { log } = await openKeyed(folder, secrets);
    await log.append(choice);
    const forger = await openAuditLog({ path: file, role: "extension", version: "1.2.3" });
    await forger.append(call(1));
    expect(await verifyFile(file, { vkey: log.publicKey() ?? "" })).toMatchObject({ ok: true });
    const { seq } = await forger.append(choice);
    await forger.close();
    await log.append(call(2, { decision: "denied" }));
    await log.close();
    const report = await verifyFile(file, { vkey: log.publicKey() ?? "" });
    expect(report.damage.map(({ kind, line }) => [kind, line])).toEqual([["unattested", seq]]);
  });
});

describe("when a checkpoint is signed", () => {
  const QUIET = { everyMs: 1 << 30, everyRecords: 1 << 30, heartbeatMs: 1 << 30 };

  async function settled(size: number): Promise<void> {
    for (let i = 0; i < 400; i += 1) {
      if (fs.existsSync(checkpointsFile(file)) && filed().some((c) => c.checkpoint.size >= size)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`no checkpoint of ${size} records`);
  }

  test.each([
    { what: "after a denial", options: QUIET, decision: "denied" as const },
    { what: "after so many records", options: { ...QUIET, everyRecords: 3 }, decision: "allow" as const },
    { what: "after some time", options: { ...QUIET, everyMs: 20 }, decision: "allow" as const },
  ])("$what, and only then", async ({ options, decision }) => {
    const { log } = await openKeyed(folder, secrets, options);
    // The first one comes with the key.
    await log.append(call(1));
    await settled(1);
    const sizes = (): number[] => filed().map((c) => c.checkpoint.size);
    const before = sizes();
    await log.append(call(2));
    await new Promise((resolve) => setTimeout(resolve, 30));
    if (options.everyMs > 20) expect(sizes()).toEqual(before);
    const { seq } = await log.append(call(3, { decision }));
    if (options.everyRecords === 3) await log.append(call(4));
    await settled(seq);
    await log.close();
    expectCheckpoints();
  });

  test("at the end", async () => {
    const { log } = await openKeyed(folder, secrets, QUIET);
    await log.append(call(1));
    await log.close();
    expect(expectCheckpoints().map((c) => c.checkpoint.size)).toEqual([2]);
    const last = recordsOf(file)[0]?.at(-1);
    expect(last).toMatchObject({ event: "log.checkpoint", data: { segment: 1, size: 2 } });
    const [only] = filed();
    expect(last?.data?.root).toBe(Buffer.from(only?.checkpoint.root ?? []).toString("base64"));
  });

  test("what other processes write is covered too", async () => {
    const { log } = await openKeyed(folder, secrets, { ...QUIET, everyMs: 20 });
    await log.append(call(1));
    await settled(2);
    const other = await openAuditLog({ path: file, role: "mcp", version: "1" });
    await other.append(call(2));
    await other.close();
    await settled(4);
    await log.close();
    expectCheckpoints();
  });

  test("a window that writes nothing itself covers what others wrote, and leaves a log that it has no key for alone", async () => {
    const first = await openKeyed(folder, secrets);
    await first.log.append(call(1));
    await first.log.close();
    const other = await openAuditLog({ path: file, role: "mcp", version: "1" });
    await other.append(call(2));
    await other.close();
    const stranger = await openKeyed(folder, memorySecrets(), { everyMs: 10 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stranger.log.close();
    expect(recordsOf(file)[0]?.at(-1)).toMatchObject({ call_id: "c-2" });
    const idle = await openKeyed(folder, secrets, { ...QUIET, everyMs: 20 });
    await settled(4);
    await idle.log.close();
    expect(idle.problems).toEqual([]);
    expectCheckpoints();
    expect(await verifyFile(file, { vkey: first.log.publicKey() ?? "" })).toMatchObject({
      ok: true,
      level: 2,
    });
  });

  test("a quiet log is left alone but for its sign of life", async () => {
    let now = nodeClock.now();
    const clock = { ...nodeClock, now: () => now };
    const { log } = await openKeyed(folder, secrets, { everyMs: 10, heartbeatMs: 60_000, clock });
    await log.append(call(1));
    await settled(2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = recordsOf(file)[0]?.map((r) => r.event);
    expect(before).toEqual(["log.open", "call", "log.checkpoint"]);
    now += 61_000;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await log.close();
    const events = recordsOf(file)[0]?.map((r) => r.event) ?? [];
    expect(events.filter((event) => event === "log.heartbeat")).toHaveLength(1);
    expectCheckpoints();
  });

  test("many denials at once share checkpoints", async () => {
    const { log } = await openKeyed(folder, secrets, QUIET);
    await Promise.all(Array.from({ length: 300 }, (_, i) => log.append(call(i, { decision: "denied" }))));
    await log.close();
    const all = expectCheckpoints();
    expect(all.length).toBeLessThan(30);
    expect(all.at(-1)?.checkpoint.size).toBeGreaterThanOrEqual(301);
  });
});

describe("segments and keys", () => {
  test("each segment has its key, signed for by the one before; old private keys are gone", async () => {
    const { log, problems } = await openKeyed(folder, secrets, { segments: TEN });
    for (let i = 0; i < 35; i += 1) {
      await log.append(i % 5 === 0 ? choice : call(i));
      if (i % 9 === 0) await log.checkpointNow();
    }
    await log.close();
    expect(problems).toEqual([]);
    const segments = recordsOf(file);
    expect(segments.length).toBeGreaterThan(3);
    for (const records of segments.slice(1)) {
      expect(records.slice(0, 2).map((r) => r.event)).toEqual(["log.segment", "log.key"]);
    }
    const all = expectCheckpoints();
    // Each closed segment ends with a checkpoint over all of it.
    for (const [index, records] of segments.slice(0, -1).entries()) {
      const own = all.filter(({ checkpoint }) => checkpoint.segment === index + 1);
      expect(own.at(-1)?.checkpoint.size).toBe(records.length);
    }
    const kept = JSON.parse(secrets.texts.get(`key ${log.logId}`) ?? "{}");
    expect(kept.keys.map((key: { from: number }) => key.from)).toEqual([segments.length]);
    const vkey = log.publicKey() ?? "";
    expect(await verifyFile(file, { vkey })).toMatchObject({ ok: true, level: 2 });
    expect(await verifyFile(file, { vkey, closed: "digest" })).toMatchObject({ ok: true, level: 1 });
  });

  test("a segment that others filled while no key was near still gets its last checkpoint", async () => {
    const first = await openKeyed(folder, secrets, { segments: TEN });
    await first.log.append(call("a"));
    await first.log.close();
    const other = await openAuditLog({ path: file, role: "library", version: "1", segments: TEN });
    for (let i = 0; i < 25; i += 1) await other.append(call(i));
    await other.close();
    const second = await openKeyed(folder, secrets, { segments: { bytes: 1 << 30, records: 1000 } });
    await second.log.append(choice);
    await second.log.close();
    expect(second.problems).toEqual([]);
    const sizes = expectCheckpoints().map(({ checkpoint }) => `${checkpoint.segment}/${checkpoint.size}`);
    expect(sizes).toEqual(expect.arrayContaining(["1/10", "2/10", "3/10"].slice(0, 2)));
    expect(await verifyFile(file, { vkey: first.log.publicKey() ?? "", closed: "lines" })).toMatchObject({
      ok: true,
      level: 2,
    });
  });

  test("two windows on one log: one names the new key, the other signs with it", async () => {
    const a = await openKeyed(folder, secrets, { segments: TEN });
    const b = await openKeyed(folder, secrets, { segments: TEN });
    for (let i = 0; i < 60; i += 1) await (i % 3 === 0 ? a : b).log.append(i % 2 === 0 ? choice : call(i));
    await a.log.close();
    await b.log.close();
    expect([...a.problems, ...b.problems]).toEqual([]);
    expectCheckpoints();
    // Neither took the newest key away with its own, older, view of them.
    const third = await openKeyed(folder, secrets, { segments: TEN });
    await third.log.append(choice);
    await third.log.close();
    expect(third.problems).toEqual([]);
    const vkey = a.log.publicKey() ?? "";
    expect(await verifyFile(file, { vkey, closed: "lines" })).toMatchObject({ ok: true, damage: [] });
  });

  test.each([
    { at: "before the log named the new key", named: "no" },
    { at: "after the log named it, before that was noted", named: "yes" },
  ] as const)("killed while a key was made, $at", async ({ named }) => {
    const texts = new Map<string, string>();
    const dying = memorySecrets(texts);
    let saves = 0;
    const saveUntil = named === "no" ? 1 : 2;
    const keys = {
      load: dying.keys.load,
      async save(logId: string, text: string) {
        saves += 1;
        // The first segment takes two saves: made, noted.
        if (saves > 2 + saveUntil - 1) throw new Error("killed");
        await dying.keys.save(logId, text);
      },
    };
    const first = await openKeyed(folder, { ...dying, keys }, { segments: TEN, everyMs: 1 << 30 });
    for (let i = 0; i < 12; i += 1) await first.log.append(call(i));
    await first.log.close();
    const second = await openKeyed(folder, memorySecrets(texts), { segments: TEN });
    await second.log.append(choice);
    await second.log.close();
    expect(second.problems).toEqual([]);
    const named2 = recordsOf(file)[1]?.filter((r) => r.event === "log.key");
    expect(named2).toHaveLength(1);
    const vkey = second.log.publicKey() ?? "";
    expect(await verifyFile(file, { vkey, closed: "lines" })).toMatchObject({ ok: true, damage: [] });
  });

  test.each([
    { what: "fails", load: () => Promise.reject(new Error("the keyring is locked")) },
    { what: "never answers", load: () => new Promise<undefined>(() => undefined) },
    { what: "holds nonsense", load: () => Promise.resolve("{") },
  ])("a secret store that $what: records are written unsigned, and it is said once", async ({ load }) => {
    const keys = { load, save: secrets.keys.save };
    const { log, problems } = await openKeyed(folder, { ...secrets, keys }, { everyMs: 1 << 30 });
    await log.append(choice);
    await log.append(call(1));
    await log.close();
    expect(recordsOf(file)[0]?.map((r) => [r.event, r.sig])).toEqual([
      ["human_choice", undefined],
      ["call", undefined],
    ]);
    expect(problems.filter((text) => text.includes("not signed"))).toHaveLength(1);
  });

  test("a log with somebody else's key gets no second one", async () => {
    const theirs = await openKeyed(folder, secrets);
    await theirs.log.append(choice);
    await theirs.log.close();
    const { log, problems } = await openKeyed(folder, memorySecrets());
    await log.append(call(1));
    await log.close();
    expect(problems.some((text) => text.includes("not held here"))).toBe(true);
    expect(recordsOf(file)[0]?.filter((r) => r.event === "log.open")).toHaveLength(1);
    expect(await verifyFile(file, { vkey: theirs.log.publicKey() ?? "" })).toMatchObject({ ok: true });
  });
});

describe("after a restart", () => {
  async function session(n: number, more: Parameters<typeof openKeyed>[2] = {}) {
    const opened = await openKeyed(folder, secrets, more);
    for (let i = 0; i < n; i += 1) await opened.log.append(call(`${n}-${i}`));
    await opened.log.close();
    return opened;
  }

  test.each([
    { what: "from the remembered place", forget: () => undefined },
    { what: "without it", forget: () => fs.rmSync(path.join(folder, "home", "place")) },
    {
      what: "with nonsense in it",
      forget: () => fs.writeFileSync(path.join(folder, "home", "place"), '{"size":3}'),
    },
    {
      what: "with another tree in it",
      forget: () => {
        const file = path.join(folder, "home", "place");
        const place = JSON.parse(fs.readFileSync(file, "utf8"));
        const nodes = place.nodes.map(() => Buffer.alloc(32, 7).toString("base64"));
        fs.writeFileSync(file, JSON.stringify({ ...place, nodes }));
      },
    },
  ])("goes on $what", async ({ forget }) => {
    await session(5);
    forget();
    const { problems } = await session(4);
    expect(problems).toEqual([]);
    const sizes = expectCheckpoints().map((c) => c.checkpoint.size);
    // One comes with the key, over whatever stands there by then: mostly the key alone, sometimes all.
    expect([[7, 12], [11]]).toContainEqual(sizes.slice(1));
  });

  /** Re-chained by somebody who can write all files, and removes what else would tell. */
  function rewrite(change: (records: AuditRecord[]) => AuditRecord[]): void {
    const { makeLine } = chain;
    const [records = []] = recordsOf(file);
    let before: { seq: number; hash: string | null } = { seq: 0, hash: null };
    const lines = change(records).map((record) => {
      const { seq: _s, prev_hash: _p, record_hash: _h, ts, log_id: logId, writer, ...fields } = record;
      const made = makeLine(fields as unknown as JsonObject, { before, stamp: { ts, logId, writer }, hash });
      before = made.head;
      return `${made.line}\n`;
    });
    fs.writeFileSync(file, lines.join(""));
    fs.rmSync(path.join(folder, "home", "heads"), { recursive: true, force: true });
  }

  test.each([
    { what: "a record changed", change: (r: AuditRecord[]) => r.map((x) => ({ ...x, tool: "other" })) },
    { what: "a record left out", change: (r: AuditRecord[]) => r.filter((_x, i) => i !== 2) },
    { what: "the end cut off", change: (r: AuditRecord[]) => r.slice(0, 3) },
    {
      what: "another log",
      change: (r: AuditRecord[]) => r.map((x) => ({ ...x, log_id: "log_other" })),
    },
  ])("$what: nothing more is signed, and it is said; put back, it goes on", async ({ change }) => {
    await session(5);
    const good = fs.readFileSync(file);
    const notes = fs.readFileSync(checkpointsFile(file), "utf8");
    rewrite(change);
    // A place that fits the new history does not help.
    const cursor = await openCursor(file);
    await cursor?.readToEnd();
    if (cursor !== undefined)
      fs.writeFileSync(path.join(folder, "home", "place"), formatPlace(cursor.place()));
    await cursor?.close();
    const { log, problems } = await openKeyed(folder, secrets, { everyMs: 1 << 30 });
    await log.append(call("x", { decision: "denied" }));
    await log.checkpointNow();
    expect(log.checkpoints().problem).toContain("does not go on from its last checkpoint");
    expect(problems.filter((text) => text.includes("does not go on"))).toHaveLength(1);
    await log.close();
    expect(fs.readFileSync(checkpointsFile(file), "utf8")).toBe(notes);
    fs.writeFileSync(file, good);
    fs.rmSync(path.join(folder, "home", "heads"), { recursive: true, force: true });
    const back = await session(2);
    expect(back.problems).toEqual([]);
    expect(back.log.checkpoints().problem).toBeUndefined();
    expectCheckpoints();
  });

  test("once a person let a new log take the place of a lost one, that is signed", async () => {
    await session(5);
    fs.rmSync(file);
    const { log, problems } = await openKeyed(folder, secrets, { onMissing: "recover" });
    await log.append(choice);
    await log.close();
    expect(problems).toEqual([]);
    const anchor = await secrets.anchor.load();
    expect(anchor?.log_id).toBe(log.logId);
    expect(await verifyFile(file, { vkey: log.publicKey() ?? "" })).toMatchObject({ ok: true, level: 2 });
  });
});

describe("the anchor", () => {
  const at = (log_id: string, segment: number, size: number) => ({
    log_id,
    segment,
    size,
    root: Buffer.alloc(32).toString("base64"),
    head: "h",
    ts: "t",
  });
  test.each([
    { next: at("a", 2, 6), kept: at("a", 2, 6) },
    { next: at("a", 3, 1), kept: at("a", 3, 1) },
    { next: at("a", 2, 5), kept: at("a", 2, 5) },
    { next: at("a", 2, 4), kept: at("a", 2, 5) },
    { next: at("a", 1, 9), kept: at("a", 2, 5) },
    { next: at("b", 9, 9), kept: at("a", 2, 5) },
    { next: at("b", 1, 1), replaces: "c", kept: at("a", 2, 5) },
    { next: at("b", 1, 1), replaces: "a", kept: at("b", 1, 1) },
  ])("moves forward only: %#", async ({ next, replaces, kept }) => {
    let text: string | undefined;
    const store = anchorStore({
      load: async () => text,
      save: async (value) => {
        text = value;
      },
    });
    await store.store(at("a", 2, 5));
    await store.store(next, { replaces });
    expect(await store.load()).toEqual(kept);
  });
});

describe("keys in files", () => {
  test("private, for one log each; the public key beside them", async () => {
    const keys = path.join(folder, "home", "keys");
    const store = fileKeyStore(keys);
    const publish = (logId: string, vkey: string) => savePublicKey(logId, vkey, keys);
    fs.mkdirSync(path.join(folder, "home"), { mode: 0o700 });
    const { log, problems } = await openKeyed(folder, { ...secrets, keys: store }, { publish });
    await log.append(choice);
    await log.close();
    expect(problems).toEqual([]);
    expect(await loadPublicKey(log.logId, keys)).toBe(log.publicKey());
    expect(await loadPublicKey("another", keys)).toBeUndefined();
    const names = fs.readdirSync(keys).sort();
    expect(names).toEqual([`${log.logId}.json`, `${log.logId}.vkey`]);
    if (process.platform === "win32") return;
    for (const name of names) expect(fs.statSync(path.join(keys, name)).mode & 0o777).toBe(0o600);
    fs.chmodSync(path.join(keys, `${log.logId}.json`), 0o644);
    await expect(store.load(log.logId)).rejects.toMatchObject({ code: "folder.unsafe" });
  });
});
