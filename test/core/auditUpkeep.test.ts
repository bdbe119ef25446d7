/** The log's own upkeep: which records it is, and lists that leave rows out without holding them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuditRecord } from "../../src/core/audit/record";
import { countBelow, rowGaps } from "../../src/core/audit/rowGaps";
import { rowIndex } from "../../src/core/audit/rowIndex";
import { isUpkeep } from "../../src/core/audit/upkeep";

const BASE: AuditRecord = {
  v: 1,
  seq: 1,
  ts: "2026-11-30T09:00:00.000Z",
  log_id: "log_a",
  writer: { pid: 1, version: "0.1.0", role: "editor" },
  prev_hash: null,
  record_hash: "h",
  event: "log.heartbeat",
  data: { segment: 1 },
  error: null,
};
const finding = { code: "x", message: "x", by: "x", severity: "info" } as const;

test.each<[string, Partial<AuditRecord>, boolean]>([
  ["a heartbeat", {}, true],
  ["a checkpoint", { event: "log.checkpoint", data: { segment: 1, size: 9, root: "r" } }, true],
  ["a signed one", { sig: "AA==" } as Partial<AuditRecord>, true],
  ["another event of the log", { event: "log.segment" }, false],
  ["a call", { event: "call", call_id: "c" }, false],
  ["one with an error", { error: "disk full" }, false],
  ["one with a finding", { findings: [finding] }, false],
  ["one that names a call", { call_id: "c" }, false],
  ["one that names a tool", { tool: "Bash" }, false],
  ["one that names an agent", { agent: "claude" }, false],
  ["one with arguments", { args: { command: "rm -rf /" } }, false],
  ["one with a decision", { decision: "allow" }, false],
  ["one with a reason", { reason: "because" }, false],
  ["one of a session", { session_id: "s" }, false],
  ["one asked for", { data: { asked: "countersign audit checkpoint" } }, true],
  ["one with a call in its data", { data: { tool: "Bash", command: "rm -rf /" } }, false],
  ["one with words in its data", { data: { segment: "rm -rf /" } as never }, false],
  ["one with words for a root", { data: { root: "rm -rf / everywhere" } }, false],
  ["one that was asked for otherwise", { data: { asked: "rm -rf /" } }, false],
  ["one whose data are a list", { data: ["rm"] as never }, false],
  ["one with a trail", { trail: [{ by: "x", stage: "chain", decision: "deny", ms: 0 }] }, false],
  ["one with a result", { result: { hash: "a", size: 1 } }, false],
  ["one with an approver", { approver: "me", ask_id: "1" }, false],
  ["one with a prompt", { prompt: "p" } as never, false],
  ["one of a subagent", { subagent: "s" }, false],
  ["one with a trace", { trace_id: "t" }, false],
  ["one with a policy", { policy_digest: "x" }, false],
  ["one with redactions", { redactions: [{ path: "args.x", type: "s", len: 3 }] }, false],
  ["one that took time", { duration_ms: 5 }, false],
  ["one with a key of tomorrow", { more: 1 } as never, false],
  ["one with an empty error", { error: "" }, false],
])("%s", (_name, changes, expected) => {
  const record = { ...BASE, ...changes };
  expect(isUpkeep(record)).toBe(expected);
  const index = rowIndex();
  index.add({ line: 1, record: null });
  index.add({ line: 2, record });
  expect([...index.upkeep()]).toEqual(expected ? [1] : []);
  expect([...rowIndex(index.kept()).upkeep()]).toEqual(expected ? [1] : []);
});

describe("rows but some", () => {
  const rows = fc.uniqueArray(fc.nat(60)).map((out) => out.sort((a, b) => a - b));
  test("are those that a plain filter leaves", () => {
    fc.assert(
      fc.property(rows, fc.nat(70), (out, count) => {
        const left = Array.from({ length: count }, (_, row) => row).filter((row) => !out.includes(row));
        const gaps = rowGaps(() => out);
        const seen: number[] = [];
        gaps.each(count, (row) => seen.push(row));
        expect(seen).toEqual(left);
        expect(gaps.length(count)).toBe(left.length);
        expect(left.map((_, position) => gaps.rowAt(position))).toEqual(left);
        expect(left.map((row) => gaps.positionOf(row))).toEqual(left.map((_, position) => position));
        expect(out.every((row) => gaps.isOut(row))).toBe(true);
        expect(left.some((row) => gaps.isOut(row))).toBe(false);
        expect(countBelow(out, count)).toBe(out.filter((row) => row < count).length);
      }),
    );
  });
});

test("a filter finds a name that comes into the log after it was made", () => {
  const index = rowIndex();
  const matches = index.matcher({ event: "log.heartbeat" });
  index.add({ line: 1, record: { ...BASE, event: "log.segment" } });
  index.add({ line: 2, record: BASE });
  expect([matches(0), matches(1)]).toEqual([false, true]);
});
