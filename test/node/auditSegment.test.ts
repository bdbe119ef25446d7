import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/core/audit/record";
import { fileHeadStore } from "../../src/node/auditHead";
import type { AuditLog, AuditWriterOptions } from "../../src/node/auditOptions";
import { closedFile, closedSegments } from "../../src/node/auditSegment";
import { verifyFile } from "../../src/node/auditVerify";
import { openAuditLog } from "../../src/node/auditWriter";
import { recordsOf } from "./auditKeyed";
import { acknowledged, newFolder, startChild } from "./auditProcess";

let folder: string;
beforeAll(() => {
  folder = newFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newLog(): string {
  count += 1;
  return path.join(folder, `log${count}`, "audit.jsonl");
}

const TEN = { bytes: 1 << 30, records: 10 };

function open(file: string, options: Partial<AuditWriterOptions> = {}): Promise<AuditLog> {
  return openAuditLog({ path: file, role: "library", version: "0.0.0", segments: TEN, ...options });
}

async function appendMany(log: AuditLog, n: number, name = "c"): Promise<void> {
  for (let i = 0; i < n; i += 1) await log.append({ event: "call", call_id: `${name}-${i}`, error: null });
}

const callIds = (file: string): string[] =>
  recordsOf(file)
    .flat()
    .map((record) => record.call_id)
    .filter((id) => id !== undefined);

/** Every promise of the format, looked at without the verifier. */
function expectSegments(file: string): AuditRecord[][] {
  const segments = recordsOf(file);
  const closed = closedSegments(file);
  expect(closed.map(({ segment }) => segment)).toEqual(closed.map((_one, i) => i + 1));
  for (const [index, records] of segments.entries()) {
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_record, i) => i + 1));
    expect(records.map((r) => r.prev_hash)).toEqual([
      null,
      ...records.slice(0, -1).map((r) => r.record_hash),
    ]);
    expect(new Set(records.map((r) => r.log_id))).toEqual(new Set([segments[0]?.[0]?.log_id]));
    const before = closed[index - 1];
    if (before === undefined) continue;
    const whole = segments[index - 1] ?? [];
    expect(records[0]).toMatchObject({ event: "log.segment" });
    expect(records[0]?.data).toEqual({
      segment: index + 1,
      previous: {
        file: path.basename(before.file),
        count: whole.length,
        head: whole.at(-1)?.record_hash,
        sha256: createHash("sha256").update(fs.readFileSync(before.file)).digest("hex"),
      },
    });
    if (process.platform !== "win32") expect(fs.statSync(before.file).mode & 0o777).toBe(0o400);
  }
  return segments;
}

describe("a log that grows", () => {
  test.each([
    { what: "by records", segments: TEN, files: 3 },
    { what: "by bytes", segments: { bytes: 3000, records: 1e9 }, files: 4 },
    { what: "not yet", segments: { bytes: 1 << 30, records: 1000 }, files: 1 },
  ])("$what", async ({ segments, files }) => {
    const file = newLog();
    const log = await open(file, { segments });
    await appendMany(log, 28);
    await log.close();
    const all = expectSegments(file);
    expect(all.length).toBeGreaterThanOrEqual(files);
    if (files === 1) expect(all.length).toBe(1);
    expect(callIds(file)).toEqual(Array.from({ length: 28 }, (_, i) => `c-${i}`));
    expect(await verifyFile(path.dirname(file))).toMatchObject({ ok: true });
  });

  test("another writer that stood in the old segment goes on in the new one", async () => {
    const file = newLog();
    const [a, b] = [await open(file), await open(file)];
    for (let i = 0; i < 40; i += 1) {
      // Long runs of one, so that the other wakes up several segments later.
      const log = i % 25 < 24 ? a : b;
      await log.append({ event: "call", call_id: `c-${i}`, error: null });
    }
    await Promise.all([a.close(), b.close()]);
    expectSegments(file);
    expect(callIds(file)).toEqual(Array.from({ length: 40 }, (_, i) => `c-${i}`));
  });

  test("the head kept elsewhere goes on over segments, and never back", async () => {
    const file = newLog();
    const store = fileHeadStore(path.join(folder, `heads${count}`), file);
    const log = await open(file, { head: store, durability: "always" });
    const places: string[] = [];
    for (let i = 0; i < 25; i += 1) {
      await appendMany(log, 1);
      const head = await store.load();
      places.push(`${head?.segment ?? 1}/${head?.seq}`);
    }
    await log.close();
    expect(places.slice(8, 12)).toEqual(["1/9", "1/10", "2/2", "2/3"]);
    const known = await store.load();
    if (known === undefined) throw new Error("no head");
    await store.store({ ...known, segment: 1, seq: 1000, count: 1000 });
    await store.store({ ...known, seq: 1, count: 1 });
    expect(await store.load()).toEqual(known);
    expect(await verifyFile(file, { head: known })).toMatchObject({ ok: true });
  });
});

test("a large segment is hashed while records go on, and closes a little over its limit", async () => {
  const file = newLog();
  const log = await open(file, { segments: { bytes: 6 * 1024 * 1024, records: 1e9 } });
  const text = "lorem ipsum ".repeat(4500);
  for (let i = 0; closedSegments(file).length === 0; i += 1) {
    await log.append({ event: "call", call_id: `c-${i}`, args: { text }, error: null });
    if (i > 200) throw new Error("the segment never closed");
  }
  await log.close();
  expectSegments(file);
  const { size } = fs.statSync(closedFile(file, 1));
  expect(size).toBeGreaterThanOrEqual(6 * 1024 * 1024);
  expect(size).toBeLessThan(8 * 1024 * 1024);
});

/** A log of 15 records in two segments, closed. */
async function twoSegments(file: string, options: Partial<AuditWriterOptions> = {}): Promise<void> {
  const log = await open(file, options);
  await appendMany(log, 15);
  await log.close();
}

/** What a kill leaves: each state as it stands on the disk between two steps of closing a segment. */
const KILLED: readonly { readonly at: string; readonly leave: (file: string) => void }[] = [
  {
    at: "before the draft is whole",
    leave: (file) => fs.writeFileSync(`${file}.next`, '{"data":{"segm', { mode: 0o600 }),
  },
  {
    at: "after the draft, before the closed name",
    leave: (file) => fs.copyFileSync(file, `${file}.next`),
  },
  {
    at: "between the closed name and the new file",
    leave: (file) => fs.linkSync(file, closedFile(file, 2)),
  },
  {
    at: "the same, the closed name already read-only",
    leave: (file) => {
      fs.linkSync(file, closedFile(file, 2));
      fs.chmodSync(file, 0o444);
    },
  },
  {
    at: "without links: between taking the name away and the new file",
    leave: (file) => fs.renameSync(file, closedFile(file, 2)),
  },
  {
    at: "without links, the new file empty",
    leave: (file) => {
      fs.renameSync(file, closedFile(file, 2));
      fs.writeFileSync(file, "", { mode: 0o600 });
    },
  },
  {
    at: "before the closed file was made read-only",
    leave: (file) => fs.chmodSync(closedFile(file, 1), 0o600),
  },
];

describe.each([
  { head: "with a head elsewhere", kept: "yes" },
  { head: "without", kept: "no" },
] as const)("killed while it closed a segment, $head", ({ kept }) => {
  test.each(KILLED)("$at", async ({ leave }) => {
    const file = newLog();
    const head = fileHeadStore(path.join(folder, `heads${count}`), file);
    const options = kept === "yes" ? { head } : {};
    await twoSegments(file, options);
    leave(file);
    const log = await open(file, options);
    await log.append({ event: "call", call_id: "after", error: null });
    await log.close();
    const segments = expectSegments(file);
    expect(callIds(file)).toEqual([...Array.from({ length: 15 }, (_, i) => `c-${i}`), "after"]);
    expect(segments.flat().filter((r) => r.event === "log.recovered")).toEqual([]);
    expect(await verifyFile(path.dirname(file))).toMatchObject({ ok: true, warnings: [] });
  });
});

test("a strange file under the closed name is kept under another, and the segment closes", async () => {
  const file = newLog();
  const log = await open(file);
  await appendMany(log, 5);
  fs.writeFileSync(closedFile(file, 1), "not ours\n");
  await appendMany(log, 10, "d");
  await log.close();
  expectSegments(file);
  const strange = fs.readdirSync(path.dirname(file)).filter((name) => name.includes(".foreign-"));
  expect(strange).toHaveLength(1);
  expect(callIds(file)).toHaveLength(15);
});

test("a segment that cannot be closed grows on, no record is lost, and it is said", async () => {
  const file = newLog();
  const problems: string[] = [];
  const log = await open(file, { onProblem: (message) => problems.push(message) });
  // A folder that is not empty can neither be linked over nor removed as a draft.
  fs.mkdirSync(path.join(`${file}.next`, "x"), { recursive: true });
  await appendMany(log, 25);
  await log.close();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("cannot be closed");
  expect(callIds(file)).toHaveLength(25);
  expect(closedSegments(file)).toEqual([]);
});

/** Changes that a head kept elsewhere must find. */
const LOSSES: readonly { readonly what: string; readonly lose: (file: string) => void }[] = [
  { what: "the active file is gone", lose: (file) => fs.rmSync(file) },
  {
    what: "the older part stands in its place",
    lose: (file) => {
      fs.rmSync(file);
      fs.renameSync(closedFile(file, 1), file);
    },
  },
  {
    what: "an emptied active file",
    lose: (file) => fs.truncateSync(file, 0),
  },
  { what: "everything is gone", lose: (file) => fs.rmSync(path.dirname(file), { recursive: true }) },
];

test.each(LOSSES)("$what: refused; once a person said so, a new log says what was lost", async ({ lose }) => {
  const file = newLog();
  const head = fileHeadStore(path.join(folder, `heads${count}`), file);
  await twoSegments(file, { head });
  const lost = recordsOf(file)[0]?.[0]?.log_id;
  lose(file);
  await expect(open(file, { head })).rejects.toMatchObject({ code: "audit.unreadable" });
  const log = await open(file, { head, onMissing: "recover" });
  await appendMany(log, 12, "new");
  await log.close();
  const segments = expectSegments(file);
  expect(segments.length).toBe(2);
  expect(segments[0]?.[0]).toMatchObject({
    event: "log.recovered",
    data: { what: "lost", lost: { log_id: lost } },
  });
});

test.each([
  { how: "in the middle of its first line", size: () => 100 },
  { how: "at the end of a line", size: (text: string) => text.indexOf("\n", 1000) + 1 },
])("a closed part that is cut $how is missed by a writer that knew it", async ({ size }) => {
  const file = newLog();
  const head = fileHeadStore(path.join(folder, `heads${count}`), file);
  const sleeper = await open(file);
  await appendMany(sleeper, 9);
  const other = await open(file, { head });
  await appendMany(other, 9);
  const closed = closedFile(file, 1);
  fs.chmodSync(closed, 0o600);
  fs.truncateSync(closed, size(fs.readFileSync(closed, "utf8")));
  await expect(appendMany(sleeper, 1)).rejects.toMatchObject({ code: "audit.unreadable" });
  await Promise.all([sleeper.close(), other.close()]);
});

describe("processes", () => {
  let bundle: string;
  beforeAll(async () => {
    bundle = path.join(folder, "auditSegmentChild.mjs");
    await esbuild.build({
      entryPoints: [fileURLToPath(new URL("./auditSegmentChild.ts", import.meta.url))],
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node22",
      outfile: bundle,
      logLevel: "silent",
    });
  });

  test("6 processes close segments under each other: none lost, none twice", async () => {
    const file = newLog();
    const children = Array.from({ length: 6 }, (_, i) => startChild(bundle, [file, "150", `p${i}`, "17"]));
    const ends = await Promise.all(children.map((child) => child.ended));
    expect(ends.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual(children.map(() => "0 "));
    const segments = expectSegments(file);
    expect(segments.length).toBeGreaterThan(50);
    const said = children.flatMap((child) => acknowledged(child.lines));
    expect(callIds(file).sort()).toEqual(said.sort());
    expect(said).toHaveLength(900);
    expect(await verifyFile(path.dirname(file))).toMatchObject({ ok: true, warnings: [] });
  }, 120_000);

  test("killed at random points with segments of 3: no acknowledged record is lost", async () => {
    const file = newLog();
    const said: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      const pair = [0, 1].map((n) => startChild(bundle, [file, "100000", `k${round}-${n}`, "3"]));
      await Promise.all(pair.map((child) => child.said("ack ")));
      for (const child of pair) {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        child.process.kill("SIGKILL");
      }
      await Promise.all(pair.map((child) => child.ended));
      said.push(...pair.flatMap((child) => acknowledged(child.lines)));
    }
    const log = await open(file);
    await log.append({ event: "call", call_id: "after", error: null });
    await log.close();
    const ids = new Set(callIds(file));
    expect(said.length).toBeGreaterThan(24);
    expect(said.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.has("after")).toBe(true);
    expectSegments(file);
    expect(await verifyFile(path.dirname(file))).toMatchObject({ ok: true });
  }, 120_000);
});
