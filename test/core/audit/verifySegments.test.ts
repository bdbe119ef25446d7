/** Logs of several files under changing keys: what a missing, changed or replaced file shows, and what a short pass may leave unread. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/audit/canonical";
import { type VerifyOptions, verifyLog } from "../../../src/node/auditVerify";
import { newFolder } from "../../node/auditProcess";
import { rehashed, sampleBodies, sha256 } from "./logs";
import {
  choiceBody,
  fileText,
  headAt,
  keyBody,
  noteOver,
  notesOver,
  openBody,
  segmentNamedBy,
  signedLines,
  type TestKey,
  testKey,
  writeLog,
} from "./signedLogs";

const folder = newFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const KEYS = [testKey(11), testKey(12), testKey(13)] as const;
const VKEY = KEYS[0].vkey("log_one");
const COUNT = 40;

function linkBody(segment: number, lines: readonly string[]): JsonObject {
  const { record_hash: head }: { record_hash: string } = JSON.parse(lines.at(-1) ?? "{}");
  const file = `audit-${String(segment - 1).padStart(6, "0")}.jsonl`;
  const previous = { file, count: lines.length, head, sha256: sha256(fileText(lines)) };
  return { event: "log.segment", data: { segment, previous }, error: null };
}

/** The next key, signed by the one before. */
function keyLine(key: TestKey, before: readonly string[], signer: TestKey): string {
  const last: { seq: number; record_hash: string } = JSON.parse(before.at(-1) ?? "{}");
  const body = keyBody(key, { by: signer, segment: segmentNamedBy(before) });
  return (
    signedLines([body], {
      segment: segmentNamedBy(before),
      before: { seq: last.seq, hash: last.record_hash },
      key: signer,
      clock: before.length,
    })[0] ?? ""
  );
}

function goOn(lines: readonly string[], key: TestKey, bodies: readonly JsonObject[]): string[] {
  const last: { seq: number; record_hash: string } = JSON.parse(lines.at(-1) ?? "{}");
  return [
    ...lines,
    ...signedLines(bodies, {
      segment: segmentNamedBy(lines),
      before: { seq: last.seq, hash: last.record_hash },
      key,
      clock: lines.length,
    }),
  ];
}

const BODIES = [...sampleBodies(COUNT / 2), choiceBody(1), ...sampleBodies(COUNT / 2)];
const ONE = goOn(signedLines([openBody(KEYS[0])], { key: KEYS[0] }), KEYS[0], BODIES);

function nextSegment(
  segment: number,
  before: readonly string[],
  keys: readonly [TestKey, TestKey],
): string[] {
  const first = signedLines([linkBody(segment, before)]);
  return goOn([...first, keyLine(keys[1], first, keys[0])], keys[1], BODIES);
}

const TWO = nextSegment(2, ONE, [KEYS[0], KEYS[1]]);
const THREE = nextSegment(3, TWO, [KEYS[1], KEYS[2]]);
const NOTES = [
  notesOver(ONE, [10, ONE.length], { key: KEYS[0] }),
  notesOver(TWO, [10, TWO.length], { key: KEYS[1], segment: 2 }),
  notesOver(THREE, [1, 10, 30], { key: KEYS[2], segment: 3 }),
].join("\n");
const HEAD = headAt(THREE, 3);

const CLEAN = {
  "audit-000001.jsonl": fileText(ONE),
  "audit-000002.jsonl": fileText(TWO),
  "audit.jsonl": fileText(THREE),
  "audit.checkpoints": NOTES,
};
type Files = Readonly<Record<string, string>>;
const without = (name: keyof typeof CLEAN): Files =>
  Object.fromEntries(Object.entries(CLEAN).filter(([key]) => key !== name));

async function verify(files: Files, options: VerifyOptions = {}) {
  const log = writeLog(path.join(folder, "log"), files);
  return (await verifyLog(log, options)).report;
}

const LATER_PINNED = { vkey: KEYS[1].vkey("log_one") };
const TOTAL = ONE.length + TWO.length + THREE.length;

describe("a clean log of three files", () => {
  test.each<[string, VerifyOptions, number]>([
    ["lines alone", {}, 1],
    ["a pinned key", { vkey: VKEY }, 2],
    ["a pinned key, digests alone", { vkey: VKEY, closed: "digest" }, 1],
    ["a pinned key and a head, digests alone", { vkey: VKEY, head: HEAD, closed: "digest" }, 1],
    ["the key of a later file pinned: what was signed before it proves nothing", LATER_PINNED, 1],
    ["the same, with a head", { ...LATER_PINNED, head: HEAD }, 1],
    ["a pinned key and a head", { vkey: VKEY, head: HEAD }, 3],
    ["a head that lags behind", { vkey: VKEY, head: headAt(TWO.slice(0, 20), 2) }, 3],
    ["the key that this machine knows", { knownKey: async (id) => (id === "log_one" ? VKEY : undefined) }, 2],
  ])("%s", async (_name, options, level) => {
    const report = await verify(CLEAN, options);
    expect(report).toMatchObject({ ok: true, level, count: TOTAL, damage: [] });
    expect(report.segments?.map(({ file, count }) => [file, count])).toEqual([
      ["audit-000001.jsonl", ONE.length],
      ["audit-000002.jsonl", TWO.length],
      ["audit.jsonl", THREE.length],
    ]);
    expect(report.checkpoints).toMatchObject({ vkey: VKEY, last: { segment: 3, size: 30 } });
  });

  test("the folder stands for the log, a closed file for itself", async () => {
    const log = writeLog(path.join(folder, "log"), CLEAN);
    const whole = await verifyLog(path.dirname(log), { vkey: VKEY });
    expect(whole.report).toMatchObject({ ok: true, level: 2, count: TOTAL });
    const second = await verifyLog(path.join(path.dirname(log), "audit-000002.jsonl"), { vkey: VKEY });
    expect(second.report).toMatchObject({ ok: true, level: 2, count: TWO.length });
  });

  test("an outside checkpoint of the first file is compared, and raises the level with a head", async () => {
    const anchor = path.join(folder, "outside.txt");
    fs.writeFileSync(anchor, noteOver(ONE, { size: 20, key: KEYS[0] }));
    expect(await verify(CLEAN, { anchor, head: HEAD, vkey: VKEY })).toMatchObject({ ok: true, level: 4 });
    expect(await verify(CLEAN, { anchor, vkey: VKEY })).toMatchObject({ ok: true, level: 2 });
    fs.writeFileSync(anchor, noteOver(ONE.with(3, "x"), { size: 20, key: KEYS[0] }));
    expect(await verify(CLEAN, { anchor, head: HEAD, vkey: VKEY })).toMatchObject({
      ok: false,
      damage: [{ file: "audit-000001.jsonl", line: 11, kind: "forked" }],
    });
  });

  test("a writer killed between two names of one file", async () => {
    const log = writeLog(path.join(folder, "log"), without("audit-000002.jsonl"));
    fs.rmSync(log);
    fs.writeFileSync(log, fileText(TWO));
    fs.linkSync(log, path.join(path.dirname(log), "audit-000002.jsonl"));
    fs.writeFileSync(
      path.join(path.dirname(log), "audit.checkpoints"),
      NOTES.slice(0, NOTES.indexOf("countersign/log_one/3")),
    );
    expect((await verifyLog(log, { vkey: VKEY })).report).toMatchObject({
      ok: true,
      level: 2,
      count: ONE.length + TWO.length,
    });
  });

  test("progress ends at the whole, and a signal stops it", async () => {
    const log = writeLog(path.join(folder, "log"), CLEAN);
    const seen: number[] = [];
    await verifyLog(log, { onProgress: ({ done, total }) => seen.push(done / total) });
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    await expect(verifyLog(log, { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

interface Row {
  readonly name: string;
  readonly files: Files;
  readonly damage: JsonObject;
  readonly options?: VerifyOptions;
}

const change = (lines: readonly string[], index: number): string[] =>
  lines.with(
    index,
    rehashed(lines[index] ?? "", (r) => (r.decision = "allow!")),
  );
const forged = (key?: TestKey): string =>
  fileText(
    goOn(THREE, key ?? KEYS[2], [choiceBody(9)]).map((line, i) =>
      key === undefined && i === THREE.length ? unsigned(line) : line,
    ),
  );
const unsigned = (line: string): string => rehashed(line, (r) => void delete r.sig);

const rows: Row[] = [
  {
    name: "the first file gone",
    files: without("audit-000001.jsonl"),
    damage: { file: "audit-000001.jsonl", kind: "missing_segment" },
  },
  {
    name: "the newest closed file gone",
    files: without("audit-000002.jsonl"),
    damage: { file: "audit.jsonl", line: 1, kind: "missing_segment" },
  },
  {
    name: "the first two gone",
    files: { "audit.jsonl": fileText(THREE) },
    damage: { line: 1, kind: "missing_segment" },
  },
  {
    name: "the newest file gone, as checkpoints know",
    files: without("audit.jsonl"),
    damage: { kind: "missing_segment" },
  },
  {
    name: "the newest file gone, as the head knows",
    files: { "audit-000001.jsonl": fileText(ONE), "audit-000002.jsonl": fileText(TWO) },
    options: { head: HEAD },
    damage: { kind: "truncated" },
  },
  {
    name: "the last record of a closed file replaced",
    files: { ...CLEAN, "audit-000001.jsonl": fileText(change(ONE, ONE.length - 1)) },
    damage: { file: "audit-000001.jsonl", kind: "rewritten" },
  },
  {
    name: "a closed file cut",
    files: { ...CLEAN, "audit-000002.jsonl": fileText(TWO.slice(0, 30)) },
    damage: { file: "audit-000002.jsonl", line: 31, kind: "truncated" },
  },
  {
    name: "a record added to a closed file",
    files: { ...CLEAN, "audit-000001.jsonl": fileText(goOn(ONE, KEYS[0], sampleBodies(1))) },
    damage: { file: "audit-000001.jsonl", kind: "inserted" },
  },
  {
    name: "a record of a closed file edited",
    files: { ...CLEAN, "audit-000001.jsonl": fileText(ONE).replace("SELECT 4", "SELECT 9") },
    damage: { file: "audit-000001.jsonl", line: 6, kind: "modified" },
  },
  {
    name: "two closed files swapped",
    files: { ...CLEAN, "audit-000001.jsonl": fileText(TWO), "audit-000002.jsonl": fileText(ONE) },
    damage: { file: "audit-000001.jsonl", kind: "missing_segment" },
  },
  {
    name: "the first record of a file is no link",
    files: { ...CLEAN, "audit.jsonl": fileText(signedLines(sampleBodies(30))) },
    damage: { file: "audit.jsonl", line: 1, kind: "rewritten" },
  },
  {
    name: "an approval that nobody signed",
    files: { ...CLEAN, "audit.jsonl": forged() },
    damage: { file: "audit.jsonl", line: THREE.length + 1, kind: "unattested" },
  },
  {
    name: "an approval that another key signed",
    files: { ...CLEAN, "audit.jsonl": forged(testKey(99)) },
    damage: { file: "audit.jsonl", line: THREE.length + 1, kind: "unattested" },
  },
  {
    name: "an approval signed by the key before",
    files: { ...CLEAN, "audit.jsonl": forged(KEYS[1]) },
    damage: { file: "audit.jsonl", line: THREE.length + 1, kind: "unattested" },
  },
  {
    name: "an approval forged in a closed file",
    files: { ...CLEAN, "audit-000001.jsonl": fileText(ONE.with(21, unsigned(ONE[21] ?? ""))) },
    damage: { file: "audit-000001.jsonl", kind: "unattested" },
  },
  {
    name: "a checkpoint signed by the key before",
    files: {
      ...CLEAN,
      "audit.checkpoints": `${NOTES}\n${noteOver(THREE, { size: 35, key: KEYS[1], segment: 3 })}`,
    },
    damage: { file: "audit.checkpoints", kind: "unattested" },
  },
  {
    name: "a second history under the same key",
    files: {
      ...CLEAN,
      "audit.checkpoints": `${NOTES}\n${noteOver(change(THREE, 15), { size: 20, key: KEYS[2], segment: 3 })}`,
    },
    damage: { file: "audit.jsonl", kind: "forked" },
  },
  {
    name: "another key named in the first record",
    files: {
      ...CLEAN,
      "audit-000001.jsonl": fileText(
        ONE.with(0, signedLines([openBody(testKey(99))], { key: testKey(99) })[0] ?? ""),
      ),
    },
    damage: { file: "audit-000001.jsonl", line: 2, kind: "rewritten" },
  },
];

describe("what is wrong with a log of several files is named", () => {
  test.each(rows)("$name", async ({ files, damage, options }) => {
    const found = await verify(files, options);
    expect(found).toMatchObject({ ok: false, level: 0 });
    expect(found.damage[0]).toMatchObject(damage);
    // A pinned key allows a short pass; it must not hide anything.
    expect((await verify(files, { vkey: VKEY, ...options })).ok).toBe(false);
  });
});

describe("going on from an earlier pass", () => {
  const older = {
    ...CLEAN,
    "audit.jsonl": fileText(THREE.slice(0, 20)),
    "audit.checkpoints": NOTES.slice(0, NOTES.lastIndexOf("\n\ncountersign/") + 1),
  };

  async function startFrom(files: Files, options: VerifyOptions) {
    return (await verifyLog(writeLog(path.join(folder, "log"), files), options)).position;
  }

  test.each<[string, VerifyOptions]>([
    ["with a pinned key", { vkey: VKEY }],
    ["without", {}],
  ])("only what is new is read, %s", async (_name, options) => {
    const from = await startFrom(older, options);
    expect(from).toMatchObject({ segment: 3, chain: { lines: 10 } });
    const report = await verify(CLEAN, { ...options, ...(from === undefined ? {} : { from }) });
    expect(report).toMatchObject({ ok: true, count: TOTAL });
    expect(report.segments?.at(-1)).toMatchObject({ count: THREE.length, unread: 10 });
    expect(report.warnings.join("\n")).toContain("audit.jsonl: 10 of");
  });

  test.each<[string, Files]>([
    [
      "a new record edited",
      { ...CLEAN, "audit.jsonl": fileText(THREE.with(35, (THREE[35] ?? "").replace("SELECT", "DELETE"))) },
    ],
    [
      "a new record replaced, below the newest checkpoint",
      { ...CLEAN, "audit.jsonl": fileText(change(THREE, 25)) },
    ],
    ["the last verified record replaced", { ...CLEAN, "audit.jsonl": fileText(change(THREE, 9)) }],
    ["cut before where it stopped", { ...CLEAN, "audit.jsonl": fileText(THREE.slice(0, 5)) }],
  ])("%s is found", async (_name, files) => {
    const from = await startFrom(older, { vkey: VKEY });
    const found = await verify(files, { vkey: VKEY, ...(from === undefined ? {} : { from }) });
    expect(found.ok).toBe(false);
  });

  test("a tree of another history is not believed", async () => {
    const from = await startFrom(older, { vkey: VKEY });
    const nodes = from?.tree?.nodes.map((node) => node.map((byte) => byte ^ 1)) ?? [];
    const lying = from === undefined ? undefined : { ...from, tree: { size: from.tree?.size ?? 0, nodes } };
    const report = await verify(CLEAN, { vkey: VKEY, ...(lying === undefined ? {} : { from: lying }) });
    // Everything was read instead.
    expect(report).toMatchObject({ ok: true, level: 2 });
    expect(report.warnings.join()).not.toContain("audit.jsonl: 10 of");
  });

  test("the file was closed since", async () => {
    const from = await startFrom(
      {
        "audit-000001.jsonl": fileText(ONE),
        "audit.jsonl": fileText(TWO.slice(0, 20)),
        "audit.checkpoints": notesOver(TWO, [10], { key: KEYS[1], segment: 2 }),
      },
      {},
    );
    expect(from).toMatchObject({ segment: 2, chain: { lines: 10 } });
    const report = await verify(CLEAN, from === undefined ? {} : { from });
    expect(report).toMatchObject({ ok: true, count: TOTAL });
    expect(report.segments?.map((one) => one.unread)).toEqual([ONE.length, 10, 0]);
  });
});
