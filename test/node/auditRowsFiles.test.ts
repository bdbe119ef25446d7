/** Rows of a log of several files, and the index that is kept between openings. */
import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newestRows } from "../../src/node/auditNewest";
import { auditRows } from "../../src/node/auditRows";

let root: string;
let folder: string;
let log: string;
let indexFile: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "countersign-files-"));
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, "log-"));
  log = join(folder, "audit.jsonl");
  indexFile = join(folder, "kept", "log.index");
});
afterAll(() => rm(root, { recursive: true, force: true }));

function line(id: number, changes: Record<string, unknown> = {}): string {
  const fields = {
    seq: id,
    ts: new Date(Date.UTC(2026, 10, 30) + id * 1000).toISOString(),
    event: "call",
    call_id: `c${id}`,
    session_id: id % 2 === 0 ? "even" : "odd",
    tool: "Bash",
    agent: "vscode",
    decision: "allow",
    args: { command: `echo ${id}` },
    error: null,
    ...changes,
  };
  return `${JSON.stringify({ ...fields, record_hash: `h${id}` })}\n`;
}
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join("");
const closed = (n: number) => join(folder, `audit-00000${n}.jsonl`);
const summaries = async (rows: ReturnType<typeof auditRows>) =>
  (await rows.rowsAt(Array.from({ length: rows.index.rows() }, (_, at) => at))).map((row) => row.summary);
const echoes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `echo ${from + i}`);

test("closed files come first, and lines are counted through all of them", async () => {
  await writeFile(closed(1), lines(1, 3));
  await writeFile(closed(2), lines(4, 5));
  await writeFile(log, lines(6, 7) + line(2, { event: "result", duration_ms: 5 }));
  const rows = auditRows(log);
  expect((await rows.follow()).added).toBe(7);
  expect(await summaries(rows)).toEqual(echoes(1, 7));
  expect((await rows.rowsAt([1]))[0]).toMatchObject({ lines: [2, 8], durationMs: 5 });
  expect(rows.files()).toEqual([
    { file: "audit-000001.jsonl", linesBefore: 0 },
    { file: "audit-000002.jsonl", linesBefore: 3 },
    { file: "audit.jsonl", linesBefore: 5 },
  ]);
  const hits = await rows.search("echo 5", { signal: new AbortController().signal });
  expect([...(hits ?? [])]).toEqual([0, 0, 0, 0, 1, 0, 0]);
  const read: string[] = [];
  for await (const raw of rows.each((n) => n === 3 || n === 6, new AbortController().signal)) read.push(raw);
  expect(read.map((raw) => JSON.parse(raw).seq)).toEqual([3, 6]);
});

test("a file that is closed while it is followed is not read anew", async () => {
  await writeFile(log, lines(1, 3));
  const rows = auditRows(log);
  await rows.follow();
  await appendFile(log, line(4));
  await rename(log, closed(1));
  await writeFile(log, lines(5, 6));
  expect(await rows.follow()).toEqual({ added: 3, changed: [], reset: false });
  expect(await summaries(rows)).toEqual(echoes(1, 6));
});

test("the newest rows reach back into the closed file, and their place is found again", async () => {
  await writeFile(closed(1), lines(1, 50));
  await writeFile(log, lines(51, 52));
  const newest = await newestRows(log, 2000);
  expect(newest.rows.length).toBeGreaterThan(5);
  expect(newest.rows.at(-1)).toMatchObject({ summary: "echo 52", line: -1 });
  await appendFile(log, line(53));
  const rows = auditRows(log);
  expect(rows.linesUntil(newest.end)).toBeUndefined();
  await rows.follow();
  expect(rows.linesUntil(newest.end)).toBe(52);
});

const MANY = 20_500;

async function kept(): Promise<void> {
  await writeFile(closed(1), lines(1, 300));
  await writeFile(log, lines(301, MANY));
  await auditRows(log, { indexFile }).follow();
  expect(await readdir(join(folder, "kept"))).toEqual(["log.index"]);
}

test("what was kept is taken up, and only what is new is read", async () => {
  await kept();
  await appendFile(log, line(MANY + 1) + line(MANY, { event: "result", duration_ms: 9 }));
  const rows = auditRows(log, { indexFile });
  let least = Number.POSITIVE_INFINITY;
  const growth = await rows.follow((done) => {
    least = Math.min(least, done);
  });
  expect(growth).toEqual({ added: 1, changed: [MANY - 1], reset: false });
  expect(least).toBeGreaterThan((await readFile(log)).length);
  const plain = auditRows(log);
  await plain.follow();
  expect(rows.index.kept().names).toEqual(plain.index.kept().names);
  expect(rows.index.kept().columns).toEqual(plain.index.kept().columns);
  const some = [0, 299, 300, MANY - 1, MANY];
  expect(await rows.rowsAt(some)).toEqual(await plain.rowsAt(some));
});

test.each<[string, () => Promise<void>]>([
  [
    "its own bytes changed",
    async () => {
      const bytes = await readFile(indexFile);
      bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1;
      await writeFile(indexFile, bytes);
    },
  ],
  ["it was cut short", async () => writeFile(indexFile, (await readFile(indexFile)).subarray(0, 5000))],
  ["it is empty", () => writeFile(indexFile, "")],
  ["the log was written anew in place", () => writeFile(log, lines(401, MANY + 200))],
  [
    "the log was written anew behind its first lines",
    () => writeFile(log, lines(301, 9000) + lines(9100, MANY + 300)),
  ],
  [
    "the log is another file",
    async () => {
      await writeFile(`${log}.new`, lines(301, MANY - 1) + line(MANY, { tool: "Read" }));
      await rename(`${log}.new`, log);
    },
  ],
  ["the log was cut short", () => writeFile(log, lines(301, 9000))],
  ["a closed file is gone", () => rm(closed(1))],
])("what was kept is not believed: %s", async (_name, change) => {
  await kept();
  await change();
  const rows = auditRows(log, { indexFile });
  await rows.follow();
  const plain = auditRows(log);
  await plain.follow();
  expect(rows.index.kept()).toEqual(plain.index.kept());
  expect(rows.files()).toEqual(plain.files());
  const last = [rows.index.rows() - 1];
  expect(await rows.rowsAt(last)).toEqual(await plain.rowsAt(last));
});
