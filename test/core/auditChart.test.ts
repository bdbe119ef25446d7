/** Counts over time, and the index's times, sessions, events and call ids. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RowFilter } from "../../src/core/audit/query";
import type { AuditRecord } from "../../src/core/audit/record";
import { type Bar, rowChart } from "../../src/core/audit/rowChart";
import { rowIndex } from "../../src/core/audit/rowIndex";

const T = Date.UTC(2026, 10, 30, 9);
const HOUR = 3_600_000;

function chart(rows: readonly (readonly [number, string])[], offsetMinutes = 0) {
  return rowChart({
    offsetMinutes,
    each: (take) => {
      for (const [time, decision] of rows) take(time, decision);
    },
  });
}

const all = (bars: readonly Bar[]) => bars.flat().reduce((sum, count) => sum + count, 0);

describe("the chart", () => {
  test("nothing with a time is no chart", () => {
    expect([chart([]), chart([[Number.NaN, "damaged"]])]).toEqual([null, null]);
  });

  test("each decision has its place", () => {
    const rows = ["allow", "log_only", "", "asks_user", "rewrite", "denied", "error", "damaged"];
    expect(chart(rows.map((decision) => [T, decision] as const))).toEqual({
      start: T,
      step: 1000,
      bars: [[3, 2, 3]],
    });
  });

  test("days begin at the reader's midnight", () => {
    const found = chart(
      [
        [T, "allow"],
        [T + 40 * 24 * HOUR, "allow"],
      ],
      8 * 60,
    );
    expect(found?.step).toBe(24 * HOUR);
    expect(new Date(found?.start ?? 0).toISOString()).toBe("2026-11-29T16:00:00.000Z");
  });

  test("every row with a time is counted once, in at most sixty bars", () => {
    const time = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(fc.array(time, { minLength: 1 }), fc.integer({ min: -840, max: 840 }), (times, offset) => {
        const found = chart(
          times.map((one) => [one, "allow"] as const),
          offset,
        );
        expect(all(found?.bars ?? [])).toBe(times.length);
        expect(found?.bars.length).toBeLessThanOrEqual(61);
      }),
    );
  });
});

function record(n: number, changes: Partial<AuditRecord> = {}): AuditRecord {
  return {
    v: 1,
    seq: n,
    ts: new Date(T + n * 1000).toISOString(),
    log_id: "log",
    event: "call",
    call_id: `c${n}`,
    session_id: "s",
    decision: "allow",
    error: null,
    writer: { pid: 1, version: "0", role: "editor" },
    prev_hash: null,
    record_hash: "h",
    ...changes,
  };
}

describe("an index", () => {
  const index = rowIndex();
  [
    record(0),
    record(1, { session_id: "t" }),
    null,
    record(3, { event: "switch", call_id: "x" }),
    record(4, { call_id: "c0", session_id: "t" }),
  ].forEach((one, at) => {
    index.add({ line: at + 1, record: one });
  });
  const at = (seconds: number) => new Date(T + seconds * 1000).toISOString();

  test.each<[RowFilter, number[]]>([
    [{ session: "t" }, [1, 4]],
    [{ event: "switch" }, [3]],
    [{ event: "damaged" }, [2]],
    [{ since: at(1) }, [1, 3, 4]],
    [{ until: at(1) }, [0]],
    [{ since: at(1), until: at(4) }, [1, 3]],
    [{ session: "t", since: at(2) }, [4]],
    [{ session: "nobody" }, []],
  ])("%j", (filter, rows) => {
    expect([0, 1, 2, 3, 4].filter(index.matcher(filter))).toEqual(rows);
  });

  test("knows the rows of a call", () => {
    expect([index.maybeOfCall("c0"), index.maybeOfCall("c1"), index.maybeOfCall("none")]).toEqual([
      [0, 4],
      [1],
      [],
    ]);
  });

  test("more names than it numbers do not run into each other", () => {
    const many = rowIndex();
    for (let n = 0; n < 66_000; n += 1) many.add({ line: n + 1, record: record(n, { tool: `tool ${n}` }) });
    const rows = Array.from({ length: 66_000 }, (_, row) => row);
    expect(rows.filter(many.matcher({ tool: "tool 300" }))).toEqual([300]);
    expect(rows.filter(many.matcher({ tool: "tool 65999" }))).toEqual([]);
  });
});
