import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalText, type Json, toRecordable } from "../../../src/core/audit/canonical";
import type { DamageKind, Head } from "../../../src/core/audit/verifyReport";
import { headOf, linesOf, rehashed, sampleBodies, sha256, textOf, verifyBytes } from "./logs";

const LINES = linesOf(sampleBodies(12));
const HEAD = headOf(LINES);

function at(index: number): string {
  return LINES[index] ?? "";
}

function without(index: number): string[] {
  return LINES.toSpliced(index, 1);
}

function replaced(index: number, line: string): string[] {
  return LINES.with(index, line);
}

test("a sound log", () => {
  expect(verifyBytes(textOf(LINES))).toEqual({
    ok: true,
    firstBad: null,
    count: 12,
    level: 1,
    damage: [],
    warnings: [],
  });
  expect(verifyBytes(textOf(LINES), HEAD)).toMatchObject({ ok: true, level: 3, count: 12 });
});

test("an empty log", () => {
  expect(verifyBytes(Buffer.alloc(0))).toMatchObject({ ok: true, firstBad: null, count: 0 });
});

interface Row {
  readonly name: string;
  readonly lines: readonly string[] | Buffer;
  readonly head?: Head;
  readonly line: number;
  readonly kind: DamageKind;
  /** Lines blamed; default 1: what follows is sound and is not blamed. */
  readonly blamed?: number;
}

const rows: Row[] = [
  {
    name: "a field edited",
    lines: replaced(4, at(4).replace("SELECT 4", "SELECT 9")),
    line: 5,
    kind: "modified",
  },
  {
    name: "the first edited",
    lines: replaced(0, at(0).replace("SELECT 0", "SELECT 9")),
    line: 1,
    kind: "modified",
  },
  {
    name: "the last edited",
    lines: replaced(11, at(11).replace("SELECT 11", "SELECT 19")),
    line: 12,
    kind: "modified",
  },
  {
    name: "record_hash edited",
    lines: replaced(
      4,
      at(4).replace(/.(?="}$)/, (c) => (c === "0" ? "1" : "0")),
    ),
    line: 5,
    kind: "modified",
  },
  {
    name: "edited and its own hash made right",
    lines: replaced(
      4,
      rehashed(at(4), (r) => (r.decision = "allow!")),
    ),
    line: 6,
    kind: "rewritten",
  },
  { name: "deleted", lines: without(4), line: 5, kind: "deleted" },
  { name: "the first deleted", lines: without(0), line: 1, kind: "deleted" },
  { name: "three deleted", lines: LINES.toSpliced(4, 3), line: 5, kind: "deleted" },
  { name: "an old record again", lines: LINES.toSpliced(8, 0, at(2)), line: 9, kind: "inserted" },
  { name: "a record twice", lines: LINES.toSpliced(8, 0, at(7)), line: 9, kind: "inserted" },
  { name: "two swapped", lines: LINES.with(4, at(5)).with(5, at(4)), line: 5, kind: "reordered" },
  { name: "one moved to the end", lines: [...without(4), at(4)], line: 5, kind: "reordered" },
  { name: "one moved forward", lines: without(9).toSpliced(3, 0, at(9)), line: 4, kind: "reordered" },
  { name: "cut, as the head knows", lines: LINES.slice(0, 9), head: HEAD, line: 10, kind: "truncated" },
  { name: "emptied, as the head knows", lines: [], head: HEAD, line: 1, kind: "truncated" },
  {
    name: "the last replaced, as the head knows",
    lines: replaced(
      11,
      rehashed(at(11), (r) => (r.tool = "x")),
    ),
    head: HEAD,
    line: 12,
    kind: "rewritten",
  },
  {
    name: "chained anew from one on, as the head knows",
    lines: [...LINES.slice(0, 6), ...rechained(6)],
    head: HEAD,
    line: 12,
    kind: "rewritten",
  },
  {
    name: "another log in its place, as the head knows",
    lines: linesOf(sampleBodies(12), { logId: "log_two" }),
    head: HEAD,
    line: 1,
    kind: "rewritten",
  },
  {
    name: "a line of another log",
    lines: LINES.toSpliced(5, 0, linesOf(sampleBodies(6), { logId: "log_two" })[5] ?? ""),
    line: 6,
    kind: "foreign",
  },
  { name: "a line that is no record", lines: LINES.toSpliced(5, 0, '{"hello":1}'), line: 6, kind: "foreign" },
  { name: "a line that is no JSON", lines: LINES.toSpliced(5, 0, "garbage"), line: 6, kind: "foreign" },
  { name: "an empty line", lines: LINES.toSpliced(5, 0, ""), line: 6, kind: "foreign" },
  { name: "null as a line", lines: LINES.toSpliced(5, 0, "null"), line: 6, kind: "foreign" },
  { name: "no LF at the end", lines: textOf(LINES).subarray(0, -1), line: 12, kind: "torn" },
  { name: "half a record at the end", lines: textOf(LINES).subarray(0, -100), line: 12, kind: "torn" },
  {
    name: "NUL bytes at the end",
    lines: Buffer.concat([textOf(LINES), Buffer.alloc(4096)]),
    line: 13,
    kind: "torn",
  },
  {
    name: "a key twice",
    lines: replaced(4, at(4).replace('"decision":', '"decision":"denied","decision":')),
    line: 5,
    kind: "respelt",
  },
  {
    name: "a space put in",
    lines: replaced(4, at(4).replace('"decision":', '"decision": ')),
    line: 5,
    kind: "respelt",
  },
  {
    name: "a letter spelt as an escape",
    lines: replaced(4, at(4).replace('"call"', '"\\u0063all"')),
    line: 5,
    kind: "respelt",
  },
  { name: "CR before LF", lines: replaced(4, `${at(4)}\r`), line: 5, kind: "respelt" },
  {
    name: "restarted at null",
    lines: [...LINES.slice(0, 6), ...linesOf(sampleBodies(3))],
    line: 7,
    kind: "inserted",
    blamed: 3,
  },
  {
    name: "a genesis that names a record before",
    lines: linesOf(sampleBodies(3), { before: { seq: 0, hash: "a".repeat(64) } }),
    line: 1,
    kind: "rewritten",
  },
];

function rechained(from: number): string[] {
  const before: { seq: number; record_hash: string } = JSON.parse(at(from - 1));
  const bodies = sampleBodies(12)
    .slice(from)
    .map((body) => ({ ...body, decision: "allow" }));
  return linesOf(bodies, { before: { seq: before.seq, hash: before.record_hash } });
}

describe("tampering is named by line, offset and kind", () => {
  test.each(rows)("$name", ({ lines, head, line, kind, blamed }) => {
    const bytes = Buffer.isBuffer(lines) ? lines : textOf(lines as string[]);
    const report = verifyBytes(bytes, head);
    expect(report).toMatchObject({ ok: false, firstBad: line, level: 0 });
    expect(report.damage[0]).toMatchObject({ line, kind });
    expect(report.damage).toHaveLength(blamed ?? 1);
    const starts = [0, ...[...bytes.entries()].filter(([, b]) => b === 10).map(([i]) => i + 1)];
    expect(report.damage[0]?.offset).toBe(starts[line - 1]);
  });
});

test("a whole log in bytes that are no canonical form is reported, even with right hashes over those bytes", () => {
  let prev = "null";
  const lines = [1, 2].map((seq) => {
    const text = `{"event": "call","log_id":"log_one","prev_hash":${prev},"seq":${seq},"v":1}`;
    const hash = sha256(text);
    prev = `"${hash}"`;
    return `${text.slice(0, -1)},"record_hash":"${hash}"}`;
  });
  expect(verifyBytes(textOf(lines)).damage.map((d) => d.kind)).toEqual(["respelt", "respelt"]);
});

test("an ill-formed byte sequence with a right hash is reported", () => {
  const text = Buffer.from(
    '{"event":"call","log_id":"log_one","prev_hash":null,"reason":"X","seq":1,"v":1}',
    "latin1",
  );
  text[text.indexOf("X")] = 0xff;
  const line = Buffer.concat([text.subarray(0, -1), Buffer.from(`,"record_hash":"${sha256(text)}"}\n`)]);
  expect(verifyBytes(line).ok).toBe(false);
});

describe("decoys that the agent controls", () => {
  const decoys: Json[] = [
    '"prev_hash":"0000000000000000000000000000000000000000000000000000000000000000"',
    ',"record_hash":"0000000000000000000000000000000000000000000000000000000000000000"}',
    '\n{"event":"call"}\n',
    {
      prev_hash: "0".repeat(64),
      seq: 99,
      log_id: "log_two",
      record_hash: "0".repeat(64),
      event: "log.recovered",
    },
    [{ prev_hash: null }, { seq: 1 }],
    '\\","prev_hash":null,"seq":1,"x":"',
    "\u2028\u2029\u0000\u007f",
  ];
  test.each(decoys.map((decoy) => [JSON.stringify(decoy), decoy]))("%s", (_name, decoy) => {
    const bodies = sampleBodies(5).map((body, i) =>
      i === 2 ? { ...body, args: { decoy: decoy ?? null } } : body,
    );
    const lines = linesOf(bodies);
    expect(verifyBytes(textOf(lines))).toMatchObject({ ok: true, count: 5, warnings: [] });
    expect(verifyBytes(textOf(lines.toSpliced(2, 1)))).toMatchObject({ ok: false, firstBad: 3 });
  });
});

describe("logs of other writers", () => {
  function seedLog(spell: (record: Record<string, Json>) => string, digits: number): string[] {
    let prev: Json = null;
    return Array.from({ length: 5 }, (_, i) => {
      const record: Record<string, Json> = {
        ts: "2026-01-02T03:04:05+00:00",
        session_id: "s1",
        tool: "kb_add_file",
        args: { path: `/data/ü${i}` },
        decision: "allow",
        error: null,
        prev_hash: prev,
      };
      const hash = sha256(canonicalText(record)).slice(0, digits);
      prev = hash;
      return spell({ ...record, record_hash: hash });
    });
  }
  const spaced = (record: Record<string, Json>) => JSON.stringify(record, null, 1).replace(/\n */g, " ");

  test.each([
    ["sorted, 16 digits", seedLog(canonicalText, 16)],
    ["spaced, 16 digits", seedLog(spaced, 16)],
    ["unsorted, 64 digits", seedLog((r) => JSON.stringify(r), 64)],
    ["sorted, 64 digits", seedLog(canonicalText, 64)],
  ])("%s", (_name, lines) => {
    const report = verifyBytes(textOf(lines));
    expect(report).toMatchObject({ ok: true, count: 5, level: 0 });
    expect(report.warnings.join()).toMatch(/canonical bytes/);
    expect(verifyBytes(textOf(lines.toSpliced(2, 1)))).toMatchObject({ ok: false, firstBad: 3 });
    expect(verifyBytes(textOf(lines.with(2, lines[2]?.replace("allow", "denied") ?? "")))).toMatchObject({
      ok: false,
      firstBad: 3,
      damage: [{ line: 3, kind: "modified" }],
    });
  });
});

test("law: any single byte edit is detected, at or after its line", { timeout: 60_000 }, () => {
  const bytes = textOf(LINES);
  const lineOf = (offset: number) => bytes.subarray(0, offset).filter((b) => b === 10).length + 1;
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (offset, flip) => {
      const edited = Buffer.from(bytes);
      edited[offset] = (edited[offset] ?? 0) ^ flip;
      const report = verifyBytes(edited);
      expect(report.ok).toBe(false);
      expect(report.firstBad).toBe(lineOf(offset));
    }),
    { numRuns: 3000 },
  );
});

test("law: any record made of any values verifies, and loses that when a record goes", () => {
  const plain = fc.dictionary(fc.string(), fc.anything(), { maxKeys: 5 });
  fc.assert(
    fc.property(fc.array(plain, { minLength: 2, maxLength: 6 }), fc.nat(), (many, pick) => {
      const lines = linesOf(many.map((args) => ({ event: "call", args: toRecordable(args), error: null })));
      expect(verifyBytes(textOf(lines))).toMatchObject({ ok: true, count: many.length, warnings: [] });
      const index = pick % (lines.length - 1);
      expect(verifyBytes(textOf(lines.toSpliced(index, 1)))).toMatchObject({
        ok: false,
        firstBad: index + 1,
      });
    }),
    { numRuns: 200 },
  );
});
