/** Rows of log files on a real disk: read, followed, searched. */
import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LONGEST_LINE } from "../../src/node/auditLines";
import { newestRows } from "../../src/node/auditNewest";
import { auditRows } from "../../src/node/auditRows";

let folder: string;
let path: string;
let n = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-rows-"));
});
beforeEach(() => {
  n += 1;
  path = join(folder, `log${n}.jsonl`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function line(id: number, changes: Record<string, unknown> = {}): string {
  const fields = {
    seq: id,
    ts: "2026-11-30T09:00:00.000Z",
    event: "call",
    call_id: `c${id}`,
    session_id: "s",
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
const summaries = async (rows: ReturnType<typeof auditRows>, which: number[]) =>
  (await rows.rowsAt(which)).map((row) => row.summary);

describe("following", () => {
  test("a file that is not there yet", async () => {
    const rows = auditRows(path);
    expect(await rows.follow()).toEqual({ added: 0, changed: [], reset: false });
    await writeFile(path, line(1));
    expect(await rows.follow()).toEqual({ added: 1, changed: [], reset: false });
    expect(await summaries(rows, [0])).toEqual(["echo 1"]);
  });

  test("what is added, and older rows that it changes", async () => {
    await writeFile(path, lines(1, 3));
    const rows = auditRows(path);
    await rows.follow();
    await appendFile(path, `${line(2, { event: "result", duration_ms: 7 })}${line(4)}`);
    expect(await rows.follow()).toEqual({ added: 1, changed: [1], reset: false });
    expect((await rows.rowsAt([1]))[0]).toMatchObject({ lines: [2, 4], durationMs: 7 });
    expect(await rows.follow()).toEqual({ added: 0, changed: [], reset: false });
  });

  test("a line that is half written waits for its end", async () => {
    await writeFile(path, line(1) + line(2).slice(0, 40));
    const rows = auditRows(path);
    expect((await rows.follow()).added).toBe(1);
    await appendFile(path, line(2).slice(40));
    expect((await rows.follow()).added).toBe(1);
    expect(await summaries(rows, [0, 1])).toEqual(["echo 1", "echo 2"]);
  });

  test.each<[string, () => Promise<void>]>([
    ["cut short", () => truncate(path, line(1).length)],
    [
      "another file in its place",
      async () => {
        await writeFile(`${path}.new`, lines(7, 20));
        await rename(`${path}.new`, path);
      },
    ],
    ["written anew in place", () => writeFile(path, lines(7, 20))],
  ])("%s: read from the start", async (_name, change) => {
    await writeFile(path, lines(1, 5));
    const rows = auditRows(path);
    await rows.follow();
    await change();
    const growth = await rows.follow();
    expect(growth.reset).toBe(true);
    expect(rows.index.rows()).toBe(growth.added);
  });

  test("two at once read it once", async () => {
    await writeFile(path, lines(1, 50));
    const rows = auditRows(path);
    const both = await Promise.all([rows.follow(), rows.follow()]);
    expect(both.map((growth) => growth.added)).toEqual([50, 0]);
  });
});

describe("reading", () => {
  test("rows far apart, in the order asked for, over many blocks", async () => {
    const pad = "x".repeat(900);
    const many = Array.from({ length: 5000 }, (_, i) =>
      line(i + 1, { args: { command: `echo ${i + 1}`, pad } }),
    ).join("");
    await writeFile(path, many);
    const rows = auditRows(path);
    expect((await rows.follow()).added).toBe(5000);
    expect(await summaries(rows, [4999, 0, 2500, 1])).toEqual(["echo 5000", "echo 1", "echo 2501", "echo 2"]);
  });

  test("damage is a row, and what follows keeps its line number", async () => {
    await writeFile(path, `${line(1)}not json\n\n\xff\xfe\n${line(5)}`, "latin1");
    const rows = auditRows(path);
    await rows.follow();
    const found = await rows.rowsAt([0, 1, 2, 3, 4]);
    expect(found.map((row) => [row.line, row.decision])).toEqual([
      [1, "allow"],
      [2, "damaged"],
      [3, "damaged"],
      [4, "damaged"],
      [5, "allow"],
    ]);
    expect((await rows.linesAt([2]))[0]).toMatchObject({ raw: "not json", record: null });
  });

  test.each([LONGEST_LINE - 10, LONGEST_LINE + 1, 3 * LONGEST_LINE + 17])(
    "a line of %i bytes is damage, not the end",
    async (size) => {
      await writeFile(path, `${line(1)}${"y".repeat(size)}\n${lines(3, 4)}`);
      const rows = auditRows(path);
      await rows.follow();
      expect(await summaries(rows, [0, 2, 3])).toEqual(["echo 1", "echo 3", "echo 4"]);
      expect((await rows.rowsAt([1]))[0]).toMatchObject({ line: 2, decision: "damaged" });
    },
  );

  test("the newest rows of a log, before it is read through", async () => {
    await writeFile(path, lines(1, 2000) + line(2000, { event: "result", duration_ms: 3 }));
    const newest = await newestRows(path, 4096);
    const last = newest.rows.at(-1);
    expect(last).toMatchObject({ summary: "echo 2000", lines: [-2, -1], durationMs: 3 });
    expect(newest.lines.length).toBeLessThan(40);
  });
});

describe("searching", () => {
  test.each<[string, number[]]>([
    ["echo 3", [2]],
    ["ECHO 3", [2]],
    ["nowhere", []],
    ['say "hi"', [4]],
    ["ünï", [5]],
    ["late words", [0]],
    ["echo", [0, 1, 2, 3]],
  ])("%s", async (text, expected) => {
    const special = [line(5, { args: { command: 'say "hi"' } }), line(6, { args: { command: "ÜNÏ" } })].join(
      "",
    );
    await writeFile(
      path,
      `${lines(1, 4)}${special}${line(1, { event: "result", args: undefined, error: "late words" })}`,
    );
    const rows = auditRows(path);
    await rows.follow();
    const found = await rows.search(text, { signal: new AbortController().signal });
    expect([...(found ?? [])].flatMap((hit, row) => (hit === 1 ? [row] : []))).toEqual(expected);
  });

  test("can be ended", async () => {
    await writeFile(path, lines(1, 10));
    const rows = auditRows(path);
    await rows.follow();
    const ended = new AbortController();
    ended.abort();
    expect(await rows.search("echo", { signal: ended.signal })).toBeNull();
  });
});
