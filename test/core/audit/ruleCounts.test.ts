/** How often rules spoke: a call counts once, other days and other stages do not. */
import { expect, test } from "vitest";
import type { AuditRecord } from "../../../src/core/audit/record";
import { callsSeen, countRules, toolsSeen } from "../../../src/core/audit/ruleCounts";

let seq = 0;
const record = (more: Partial<AuditRecord>): AuditRecord => {
  seq += 1;
  return {
    v: 1,
    seq,
    ts: "2026-03-04T10:00:00.000Z",
    log_id: "l",
    writer: { pid: 1, version: "1", role: "t" },
    prev_hash: null,
    record_hash: `h${seq}`,
    event: "call",
    error: null,
    ...more,
  };
};
const spoke = (by: string, stage: "rules" | "chain" = "rules") =>
  ({ by, stage, decision: "deny", ms: 0 }) as const;
const counted = (...records: AuditRecord[]) =>
  Object.fromEntries(countRules(records, { day: "2026-03-04", dayOf: (ts) => ts.slice(0, 10) }));

test.each<[string, AuditRecord[], Record<string, { matched: number; denied: number }>]>([
  ["nothing", [], {}],
  [
    "a rule that denied",
    [record({ call_id: "a", trail: [spoke("r")], decision: "denied", by: "r" })],
    { r: { matched: 1, denied: 1 } },
  ],
  [
    "a rule that let another deny",
    [record({ call_id: "a", trail: [spoke("r"), spoke("s")], decision: "denied", by: "s" })],
    { r: { matched: 1, denied: 0 }, s: { matched: 1, denied: 1 } },
  ],
  [
    "two records of one call",
    [
      record({ call_id: "a", trail: [spoke("r")] }),
      record({ call_id: "a", event: "result", trail: [spoke("r")] }),
    ],
    { r: { matched: 1, denied: 0 } },
  ],
  [
    "two calls",
    [record({ call_id: "a", trail: [spoke("r")] }), record({ call_id: "b", trail: [spoke("r")] })],
    { r: { matched: 2, denied: 0 } },
  ],
  ["another day", [record({ call_id: "a", ts: "2026-03-03T23:59:59.999Z", trail: [spoke("r")] })], {}],
  [
    "a guard",
    [record({ call_id: "a", trail: [spoke("quota", "chain")], decision: "denied", by: "quota" })],
    {},
  ],
  [
    "code that did not run",
    [record({ call_id: "a", findings: [{ code: "rule_inert", message: "", by: "r" }] })],
    { r: { matched: 1, denied: 0 } },
  ],
])("%s", (_, records, counts) => {
  expect(counted(...records)).toEqual(counts);
});

test("tools and calls, the latest first, each once", () => {
  const records = [
    record({ tool: "a", args: { x: 1 } }),
    record({ tool: "b", args: {} }),
    record({ tool: "b", args: {}, event: "result" }),
    record({ tool: "a", args: { x: 2 } }),
    record({ tool: "a", args: { x: 1 } }),
    record({ event: "trust" }),
  ];
  expect(toolsSeen(records)).toEqual(["a", "b"]);
  expect(callsSeen(records, 10).map(({ tool, args }) => [tool, args])).toEqual([
    ["a", { x: 1 }],
    ["a", { x: 2 }],
    ["b", {}],
  ]);
  expect(callsSeen(records, 1)).toHaveLength(1);
});
