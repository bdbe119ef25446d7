/** Rows, filters and counts over the records of a log. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayCounter, type RowFilter, summaryOf, toRow } from "../../src/core/audit/query";
import { readLine } from "../../src/core/audit/readLine";
import type { AuditRecord } from "../../src/core/audit/record";
import { rowIndex } from "../../src/core/audit/rowIndex";

function record(changes: Partial<AuditRecord>): AuditRecord {
  return {
    v: 1,
    seq: 1,
    ts: "2026-11-30T09:00:00.000Z",
    log_id: "log",
    event: "call",
    error: null,
    writer: { pid: 1, version: "0", role: "editor" },
    prev_hash: null,
    record_hash: "h",
    ...changes,
  };
}

const call = (id: string, changes: Partial<AuditRecord> = {}) =>
  record({
    call_id: id,
    session_id: "s",
    agent: "vscode",
    tool: "Bash",
    decision: "allow",
    args: { command: id },
    ...changes,
  });

function indexed(records: readonly (AuditRecord | null)[]) {
  const index = rowIndex();
  const rows = records.map((one, at) => index.add({ line: at + 1, record: one }));
  return { index, rows };
}

describe("which lines make a row", () => {
  test.each<[string, (AuditRecord | null)[], number[]]>([
    ["call and result", [call("a"), call("a", { event: "result" })], [0, 0]],
    [
      "parallel calls",
      [call("a"), call("b"), call("b", { event: "result" }), call("a", { event: "result" })],
      [0, 1, 1, 0],
    ],
    [
      "question, choice, decision, result",
      [
        call("a", { decision: "asks_user" }),
        record({ event: "human_choice", call_id: "a", session_id: "s", data: { choice: "allow" } }),
        call("a"),
        call("a", { event: "result" }),
      ],
      [0, 0, 0, 0],
    ],
    [
      "the same id decided twice is two calls",
      [call("a"), call("a"), call("a", { event: "result" })],
      [0, 1, 1],
    ],
    [
      "the same id in two sessions",
      [call("a"), call("a", { session_id: "t" }), call("a", { event: "result" })],
      [0, 1, 0],
    ],
    ["an id used again after its result", [call("a"), call("a", { event: "result" }), call("a")], [0, 0, 1]],
    ["a result that no call announced", [call("a", { event: "result" })], [0]],
    [
      "events and damage stand alone",
      [record({ event: "log.segment" }), null, call("a"), null],
      [0, 1, 2, 3],
    ],
  ])("%s", (_name, records, rows) => {
    const found = indexed(records);
    expect(found.rows).toEqual(rows);
    const lines = Array.from({ length: found.index.rows() }, (_, row) => found.index.linesOf(row));
    expect(lines.flat().sort((a, b) => a - b)).toEqual(records.map((_, at) => at + 1));
    for (const [row, its] of lines.entries())
      for (const line of its) expect(found.index.rowOf(line)).toBe(row);
  });

  test("no line is lost or listed twice, whatever comes", () => {
    const any = fc.constantFrom<AuditRecord | null>(
      null,
      call("a"),
      call("b", { decision: "asks_user" }),
      call("a", { event: "result" }),
      call("b", { event: "result" }),
      record({ event: "human_choice", call_id: "b", session_id: "s", data: { choice: "deny" } }),
      record({ event: "log.segment" }),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), (records) => {
        const { index } = indexed(records);
        const lines = Array.from({ length: index.rows() }, (_, row) => index.linesOf(row));
        expect(lines.flat().sort((a, b) => a - b)).toEqual(records.map((_, at) => at + 1));
        for (const its of lines) expect(its).toEqual([...its].sort((a, b) => a - b));
      }),
    );
  });

  test("lines that are not there", () => {
    const { index } = indexed([call("a")]);
    expect([index.rowOf(0), index.rowOf(2), index.linesOf(-1), index.linesOf(1)]).toEqual([-1, -1, [], []]);
  });
});

test("filters follow the decision that stands", () => {
  const { index } = indexed([
    call("a", { decision: "asks_user", agent: "claude", tool: "Read" }),
    call("b"),
    call("a", { decision: "denied", agent: "claude", tool: "Read" }),
    null,
  ]);
  const matching = (filter: RowFilter) => [0, 1, 2].filter(index.matcher(filter));
  expect(matching({})).toEqual([0, 1, 2]);
  expect(matching({ decision: "denied" })).toEqual([0]);
  expect(matching({ decision: "asks_user" })).toEqual([]);
  expect(matching({ decision: "damaged" })).toEqual([2]);
  expect(matching({ agent: "vscode", tool: "Bash" })).toEqual([1]);
  expect(matching({ agent: "nobody" })).toEqual([]);
  expect([index.named("agent").sort(), index.named("tool").sort()]).toEqual([
    ["claude", "vscode"],
    ["Bash", "Read"],
  ]);
});

describe("a row", () => {
  test("says what became of the call", () => {
    const row = toRow([
      {
        line: 4,
        record: call("a", { decision: "asks_user", by: "destructive_sql", reason: "why", ask_id: "k" }),
      },
      { line: 6, record: record({ event: "human_choice", call_id: "a", data: { choice: "allow" } }) },
      { line: 7, record: call("a", { by: "destructive_sql", ask_id: "k", approver: "person" }) },
      {
        line: 9,
        record: call("a", { event: "result", decision: "error", error: "exit 1", duration_ms: 12 }),
      },
    ]);
    expect(row).toMatchObject({
      line: 4,
      lines: [4, 6, 7, 9],
      decision: "error",
      asked: true,
      choice: "allow",
      approver: "person",
      reason: "why",
      error: "exit 1",
      durationMs: 12,
      summary: "a",
    });
  });

  test("a damaged line has one too", () => {
    expect(toRow([{ line: 3, record: null }])).toMatchObject({
      line: 3,
      decision: "damaged",
      event: "damaged",
    });
  });

  test("a finding that is repeated counts once, and a mere note does not count", () => {
    const warn = { code: "c", message: "m", by: "b", severity: "warning" } as const;
    const note = { code: "n", message: "m", by: "b", severity: "info" } as const;
    const row = toRow([
      { line: 1, record: call("a", { findings: [warn, note] }) },
      { line: 2, record: call("a", { event: "result", findings: [warn] }) },
    ]);
    expect(row.alerts).toBe(1);
  });
});

test.each<[Record<string, unknown> | undefined, string]>([
  [undefined, ""],
  [{}, ""],
  [{ sql: "SELECT\n  1" }, "SELECT 1"],
  [{ note: "x", command: "ls" }, "ls"],
  [{ command: ["git", "status"] }, "git status"],
  [{ n: 1 }, '{"n":1}'],
  [{ command: "x".repeat(300) }, `${"x".repeat(239)}…`],
])("summary of %j", (args, summary) => {
  expect(summaryOf(args)).toBe(summary);
});

test("counts of a day start anew with the next", () => {
  const counter = dayCounter((ts) => ts.slice(0, 10));
  counter.add(call("a"));
  counter.add(call("a", { event: "result" }));
  counter.add(call("b", { decision: "denied" }));
  expect(counter.counts("2026-11-30")).toEqual({ allow: 1, denied: 1 });
  expect(counter.counts("2026-12-01")).toEqual({});
  counter.add(call("c", { ts: "2026-12-01T00:00:00.000Z" }));
  counter.add(call("d"));
  expect(counter.counts("2026-12-01")).toEqual({ allow: 1 });
});

describe("a line as a record", () => {
  const good = JSON.stringify(call("a"));
  test.each<[string, string, boolean]>([
    ["a record", good, true],
    ["no JSON", "{", false],
    ["nothing", "", false],
    ["null", "null", false],
    ["a list", "[1]", false],
    ["a number", "7", false],
    ["no event", JSON.stringify({ seq: 1, ts: "x", record_hash: "h" }), false],
    ["arguments that are a text", JSON.stringify({ ...call("a"), args: "x" }), false],
    ["findings that are no list", JSON.stringify({ ...call("a"), findings: { length: 1 } }), false],
    ["findings that are texts", JSON.stringify({ ...call("a"), findings: ["x"] }), false],
    ["a tool that is a list", JSON.stringify({ ...call("a"), tool: ["x"] }), false],
  ])("%s", (_name, raw, isRecord) => {
    expect(readLine(raw) !== null).toBe(isRecord);
  });

  test("whatever it is, it makes a row", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom("args", "data", "findings", "trail", "reason", "error"),
        (value, key) => {
          const raw = JSON.stringify({ ...call("a"), [key]: value });
          expect(() => toRow([{ line: 1, record: readLine(raw) }])).not.toThrow();
        },
      ),
    );
  });
});
