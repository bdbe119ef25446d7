import { expect, test } from "vitest";
import { jsonBefore, jsonBegin, jsonEnd } from "../../../src/core/audit/exportJson";
import { createRedactor } from "../../../src/core/audit/redact";

const redactor = createRedactor();
const at = "2026-01-31T12:00:00.000Z";

test.each([[[]], [['{"seq":1}']], [['{"seq":1}', '{"seq":2}']]])("%j is one JSON object", (lines) => {
  const begin = jsonBegin({ at, filter: { tool: "Bash" }, upkeepLeftOut: 3 }, redactor);
  const body = lines.map((line, index) => jsonBefore(index) + line).join("");
  expect(JSON.parse(begin + body + jsonEnd({ records: lines.length, damagedLines: 1 }))).toEqual({
    export: { v: 1, at, filter: { tool: "Bash" }, left_out: { checkpoints_and_heartbeats: 3 } },
    records: lines.map((line) => JSON.parse(line)),
    counts: { records: lines.length, damaged_lines: 1 },
  });
});

test("a secret that somebody looked for is not written", () => {
  const filter = { text: "curl -u me:hunter2x https://h.example" };
  expect(jsonBegin({ at, filter, upkeepLeftOut: 0 }, redactor)).not.toContain("hunter2x");
});
