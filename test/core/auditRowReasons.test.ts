import { expect, test } from "vitest";
import { toRow } from "../../src/core/audit/query";
import type { AuditRecord, RecordBody } from "../../src/core/audit/record";

const line = (body: Partial<RecordBody>, n: number) => ({
  line: n,
  record: { event: "call", error: null, seq: n, ts: "2026-01-01T00:00:00.000Z", ...body } as AuditRecord,
});
const asked = { decision: "asks_user", by: "destructive_sql", reason: "removes ALL ROWS" } as const;
const answered = (choice: string) => ({ event: "human_choice", data: { choice } }) as const;

test.each<[string, Partial<RecordBody>[], { by: string; reason: string }]>([
  [
    "a person refused: why it was asked, not what the agent was told",
    [asked, answered("deny"), { decision: "denied", by: "person", reason: "Do not continue" }],
    { by: "destructive_sql", reason: "removes ALL ROWS" },
  ],
  [
    "nobody answered",
    [asked, answered("expired"), { decision: "denied", by: "person", reason: "no answer" }],
    { by: "destructive_sql", reason: "removes ALL ROWS" },
  ],
  [
    "a guard denied after the person's click",
    [asked, answered("allow"), { decision: "denied", by: "path_allowlist", reason: "outside" }],
    { by: "path_allowlist", reason: "outside" },
  ],
])("%s", (_name, bodies, expected) => {
  expect(toRow(bodies.map((body, n) => line(body, n + 1)))).toMatchObject(expected);
});

test("an event's plain data is told in words, not as JSON", () => {
  const { summary } = toRow([line({ event: "switch", data: { what: "chain", to: "off" } }, 1)]);
  expect(summary).toBe("what: chain, to: off");
});
