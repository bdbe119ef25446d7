/** Logs as somebody without the key can leave them, who knows all that is public: what verification says of each, and that it is not held up. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/audit/canonical";
import { parseNote, parseVerifierKey } from "../../../src/core/audit/signedNote";
import { createNoteSigns } from "../../../src/core/audit/verifyNoteSigns";
import { hashBytes, verifyEd25519 } from "../../../src/node/auditKeysEd25519";
import { type VerifyOptions, verifyLog } from "../../../src/node/auditVerify";
import { newFolder } from "../../node/auditProcess";
import { linesOf, rehashed, sampleBodies, sha256 } from "./logs";
import {
  type Chaining,
  choiceBody,
  fileText,
  headAt,
  keyBody,
  noteOver,
  openBody,
  signedLines,
  type TestKey,
  testKey,
  writeLog,
} from "./signedLogs";

const folder = newFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const KEY = testKey(1);
const NEXT = testKey(2);
const THIEF = testKey(3);
const VKEY = KEY.vkey("log_one");
type Files = Readonly<Record<string, string>>;

async function verify(files: Files, options: VerifyOptions = {}) {
  return (await verifyLog(writeLog(path.join(folder, "log"), files), options)).report;
}

/** What the verifier in another language says of the log that was written last. */
function python(): { ok: boolean; firstBad: number | null } {
  const run = spawnSync("python3", ["test/verifier/verify.py", path.join(folder, "log")], {
    encoding: "utf8",
  });
  expect(run.stderr).toBe("");
  return JSON.parse(run.stdout);
}

function goOn(lines: readonly string[], bodies: readonly JsonObject[], how: Chaining): string[] {
  const last: { seq: number; record_hash: string } = JSON.parse(lines.at(-1) ?? "{}");
  const before = { seq: last.seq, hash: last.record_hash };
  return [...lines, ...signedLines(bodies, { before, clock: lines.length, ...how })];
}

const grant: JsonObject = { event: "grant", data: { scope: "always" }, error: null };
const linkTo = (before: readonly string[]): JsonObject => {
  const { record_hash: head }: { record_hash: string } = JSON.parse(before.at(-1) ?? "{}");
  const previous = {
    file: "audit-000001.jsonl",
    count: before.length,
    head,
    sha256: sha256(fileText(before)),
  };
  return { event: "log.segment", data: { segment: 2, previous }, error: null };
};

/** Two files: what is said of the first one is true of whatever stands in it, as its writer's digest is. */
function twoFiles(first: readonly string[], keys: readonly [TestKey, TestKey] = [KEY, NEXT]): Files {
  const [key, next] = keys;
  const link = signedLines([linkTo(first)], { clock: 20 });
  const handed = goOn(link, [keyBody(next, { by: key, segment: 2 })], { key, segment: 2, clock: 21 });
  const active = goOn(handed, sampleBodies(3), { key: next, segment: 2, clock: 22 });
  return {
    "audit-000001.jsonl": fileText(first),
    "audit.jsonl": fileText(active),
    "audit.checkpoints": `${noteOver(first, { size: first.length, key })}\n${noteOver(active, { size: 5, key: next, segment: 2 })}`,
  };
}

const FIRST = signedLines([openBody(KEY), ...sampleBodies(4), choiceBody(1)], { key: KEY });
const CLEAN = twoFiles(FIRST);
const EDITED = FIRST.with(2, (FIRST[2] ?? "").replace("SELECT 1", "SELECT 9"));
const APPROVED = goOn(FIRST, [choiceBody(9), grant], {});

describe("a file that was changed before it was closed", () => {
  test.each<[string, Files, string, number]>([
    ["a record edited", twoFiles(EDITED), "modified", 3],
    ["approvals that nobody signed", twoFiles(APPROVED), "unattested", 7],
  ])("%s", async (_name, files, kind, line) => {
    const found = await verify(files, { vkey: VKEY });
    expect(found.damage[0]).toMatchObject({ file: "audit-000001.jsonl", kind, line });
    expect(python()).toMatchObject({ ok: false, firstBad: line });
    // Who asks for digests alone is not told more than they show.
    const quick = await verify(files, { vkey: VKEY, closed: "digest" });
    expect(quick.level).toBeLessThanOrEqual(1);
    expect(quick.warnings.join("\n")).toContain("digests alone");
  });

  test("a pass over digests is none that another may go on from", async () => {
    const log = writeLog(path.join(folder, "log"), CLEAN);
    expect(await verifyLog(log, { vkey: VKEY, closed: "digest" })).toMatchObject({
      report: { ok: true, level: 1 },
      position: undefined,
    });
    expect(await verifyLog(log, { vkey: VKEY })).toMatchObject({ report: { ok: true, level: 2 } });
    expect(python()).toMatchObject({ ok: true });
  });
});

/** A log of the thief's, that ends with a `log.key` naming the victim's key. */
function handedOver(key: JsonObject): Files {
  const own = signedLines([openBody(THIEF), choiceBody(1), ...sampleBodies(3)], { key: THIEF });
  const lines = goOn(goOn(own, [key], { key: THIEF }), sampleBodies(1), {});
  return { "audit.jsonl": fileText(lines), "audit.checkpoints": noteOver(lines, { size: 5, key: THIEF }) };
}

describe("a key whose public half everybody knows", () => {
  const proofOf = (by: TestKey, at: { key: TestKey; segment: number }): string => {
    const { data } = keyBody(at.key, { by, segment: at.segment });
    return typeof data === "object" && data !== null && "proof" in data ? String(data.proof) : "";
  };
  test.each<[string, JsonObject]>([
    ["no word of its own", { event: "log.key", data: { vkey: VKEY }, error: null }],
    [
      "the thief's signature in its place",
      keyBody(KEY, { by: THIEF, segment: 1, proof: proofOf(THIEF, { key: THIEF, segment: 1 }) }),
    ],
    [
      "its word for another handover",
      keyBody(KEY, { by: THIEF, segment: 1, proof: proofOf(NEXT, { key: KEY, segment: 1 }) }),
    ],
    [
      "its word for another file",
      keyBody(KEY, { by: THIEF, segment: 1, proof: proofOf(THIEF, { key: KEY, segment: 2 }) }),
    ],
  ])("%s", async (_name, body) => {
    const found = await verify(handedOver(body), { vkey: VKEY });
    expect(found).toMatchObject({ ok: false, level: 0, checkpoints: { pinned: false } });
    expect(found.damage.map(({ line, kind }) => [line, kind])).toContainEqual([6, "unattested"]);
  });

  test("trust begins at the key that was named: what others signed before it is not relied on", async () => {
    const found = await verify(CLEAN, { vkey: NEXT.vkey("log_one"), head: headAt(FIRST) });
    expect(found).toMatchObject({ ok: true, level: 1, checkpoints: { pinned: true, valid: 1 } });
    expect(found.warnings.join("\n")).toContain("from before the one that was named");
    // An earlier pass without that key does not make it so.
    const log = writeLog(path.join(folder, "log"), CLEAN);
    const { position } = await verifyLog(log);
    expect(position?.segment).toBe(2);
    const options = { vkey: NEXT.vkey("log_one"), ...(position && { from: position }) };
    expect((await verifyLog(log, options)).report).toMatchObject({ ok: true, level: 1 });
    const alone = await verifyLog(path.join(path.dirname(log), "audit-000001.jsonl"), { vkey: VKEY });
    expect(alone.report).toMatchObject({ ok: true, level: 2 });
  });
});

describe("approvals where no key is known", () => {
  const plain = linesOf([...sampleBodies(2), choiceBody(1), grant, ...sampleBodies(1)]);
  const early = goOn(plain, [openBody(KEY), choiceBody(2)], { key: KEY });
  test.each<[string, readonly string[], VerifyOptions, number[]]>([
    ["in a log without any key", plain, {}, [3, 4]],
    ["before the key is named", early, { vkey: VKEY, head: headAt(early) }, [3, 4]],
    [
      "the log's own kinds",
      linesOf([...sampleBodies(1), { event: "log.checkpoint", data: {}, error: null }]),
      {},
      [2],
    ],
    [
      "a key without one before it",
      signedLines([keyBody(KEY, { by: NEXT, segment: 1 })], { key: KEY }),
      {},
      [1],
    ],
    ["none of them: calls alone", linesOf(sampleBodies(4)), {}, []],
  ])("%s", async (_name, lines, options, bad) => {
    const found = await verify({ "audit.jsonl": fileText(lines) }, options);
    expect(found.damage).toEqual(bad.map((line) => expect.objectContaining({ kind: "unattested", line })));
    expect(python().firstBad).toBe(bad[0] ?? null);
  });
});

describe("checkpoints that are gone", () => {
  const bodies = (count: number): JsonObject[] => [openBody(KEY), ...sampleBodies(count)];
  const noted = (count: number): string[] => {
    const lines = signedLines(bodies(count), { key: KEY });
    const data = { segment: 1, size: lines.length, root: "" };
    return goOn(lines, [{ event: "log.checkpoint", data, error: null }], { key: KEY });
  };
  const young = signedLines(bodies(20), { key: KEY });
  const old = signedLines(bodies(90), { key: KEY });
  test.each<[string, readonly string[], string | undefined, boolean]>([
    ["all, and the log is old", old, undefined, false],
    ["all, and the log itself tells of one", noted(20), undefined, false],
    [
      "the newest, that the log itself tells of",
      noted(20),
      noteOver(noted(20), { size: 5, key: KEY }),
      false,
    ],
    ["none", noted(20), noteOver(noted(20), { size: 21, key: KEY }), true],
  ])("%s", async (_name, lines, notes, ok) => {
    const files = {
      "audit.jsonl": fileText(lines),
      ...(notes === undefined ? {} : { "audit.checkpoints": notes }),
    };
    const found = await verify(files, { vkey: VKEY });
    expect(found).toMatchObject({ ok, damage: ok ? [] : [{ kind: "unattested" }] });
  });

  test("a log younger than its first checkpoint is not blamed, and it is said", async () => {
    const found = await verify({ "audit.jsonl": fileText(young) }, { vkey: VKEY });
    expect(found).toMatchObject({ ok: true, level: 1 });
    expect(found.warnings.join("\n")).toContain("younger than its first one is due");
  });
});

describe("a file of checkpoints that anybody wrote into", () => {
  const lines = signedLines([openBody(KEY), ...sampleBodies(20)], { key: KEY });
  const note = noteOver(lines, { size: 15, key: KEY });
  const bad = note.replace(/(\u2014 \S+ \S{10})./u, "$1A");
  const counted = () => {
    const key = parseVerifierKey(VKEY, hashBytes);
    if (key === undefined) throw new Error("no key");
    let asked = 0;
    const signs = createNoteSigns((signed) => {
      asked += 1;
      return verifyEd25519(signed);
    });
    return {
      isSigned: (text: string) => signs.isSigned(parseNote(text) ?? { text, signatures: [] }, key),
      asked: () => asked,
    };
  };

  test("copies of a note are asked for once, wrong signatures a bounded number of times", () => {
    const { isSigned, asked } = counted();
    const junk = (n: number): string => `${note}\u2014 evil${n} ${Buffer.alloc(68, n).toString("base64")}\n`;
    for (let n = 0; n < 500; n += 1) expect(isSigned(junk(n))).toBe(true);
    expect(asked()).toBe(1);
    for (let n = 0; n < 500; n += 1) expect(isSigned(bad.replace("\n15\n", `\n${n}\n`))).toBe(false);
    expect(asked()).toBeLessThanOrEqual(201);
    expect(isSigned(note)).toBe(true);
  });

  test.each<[string, string, boolean]>([
    ["9 MB of one line", `${note}\n${"a".repeat(9e6)}`, true],
    ["9 MB of one line, a note after it", `${"a".repeat(9e6)}\n\n${note}`, true],
    ["many short lines", `${note}\n${"a\n".repeat(1e5)}`, true],
    ["junk right behind a note", `${note}junk\n`, true],
    ["many copies", `${note}\n`.repeat(3000), true],
    ["many wrong ones", `${bad}\n`.repeat(3000), false],
    ["what is no UTF-8", `${note}\n\ud800\n`, true],
  ])("%s: the log is judged all the same", async (_name, text, ok) => {
    const found = await verify({ "audit.jsonl": fileText(lines), "audit.checkpoints": text }, { vkey: VKEY });
    expect(found.ok).toBe(ok);
    if (ok) expect(found).toMatchObject({ level: 2, checkpoints: { last: { size: 15 } } });
    else expect(found.damage).toMatchObject([{ file: "audit.checkpoints", kind: "unattested" }]);
  });
});

describe("lines that are no records hold nobody up", () => {
  const SUFFIX = `,"record_hash":"${"0".repeat(64)}"}\n`;
  const nested = (depth: number): string => `{"a":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}${SUFFIX}`;
  const sound = fileText(linesOf(sampleBodies(20_000)));
  async function timed(text: string) {
    const began = performance.now();
    const report = await verify({ "audit.jsonl": text });
    return { report, ms: performance.now() - began };
  }

  test("a deep line costs no more than sound lines of the same size, short lines no more than as many", async () => {
    const clean = await timed(sound);
    expect(clean.report.ok).toBe(true);
    const deep = await timed(nested(Math.round(sound.length / 6)));
    expect(deep.report.damage).toMatchObject([{ line: 1, kind: "modified" }]);
    expect(deep.ms).toBeLessThan(5 * clean.ms + 100);
    const short = await timed(fileText(linesOf(sampleBodies(1))) + "x\n".repeat(20_000));
    expect(short.report.damage[0]).toMatchObject({ line: 2, kind: "foreign" });
    expect(short.ms).toBeLessThan(5 * clean.ms + 100);
  });

  test.each<[string, string]>([
    ["a hash alone", `{"record_hash":"${"0".repeat(16)}"}`],
    ["spaces around it", ` {"a":1,"record_hash":"${"0".repeat(16)}"}\t`],
  ])("a record of another writer is still read: %s", async (_name, line) => {
    expect((await verify({ "audit.jsonl": `${line}\n` })).damage).toMatchObject([
      { line: 1, kind: "modified" },
    ]);
    const right = rehashed(linesOf(sampleBodies(1))[0] ?? "", (r) => void delete r.seq).replace(
      /"log_id":"[^"]*",/,
      "",
    );
    expect((await verify({ "audit.jsonl": `${right} \n` })).damage[0]?.kind).not.toBe("foreign");
  });
});

test.each<[string, string, number]>([
  ["a file number far ahead", "audit-999999999.jsonl", 1],
  ["a closed file before the first", "audit-000002.jsonl", 1],
])("%s: both verifiers miss what is between", async (_name, name, firstBad) => {
  const lines = fileText(linesOf(sampleBodies(3)));
  const found = await verify({ "audit.jsonl": lines, [name]: lines });
  expect(found.firstBad).toBe(firstBad);
  expect(python().firstBad).toBe(firstBad);
});
