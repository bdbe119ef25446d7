/** Three verifiers that share no code agree on random edits: the fast one, a slow one that parses and hashes again, and one in another language. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalText, type Json } from "../../../src/core/audit/canonical";
import { newFolder } from "../../node/auditProcess";
import { linesOf, rehashed, sampleBodies, sha256, textOf, verifyBytes } from "./logs";

/** `COUNTERSIGN_EDITS=10000` for the long run. */
const EDITS = Number(process.env.COUNTERSIGN_EDITS ?? 2000);
const RECORDS = 6;
const PYTHON = "test/verifier/verify.py";

let folder: string;
beforeAll(() => {
  folder = newFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }), 60_000 + 40 * EDITS);

const LINES = linesOf(
  sampleBodies(RECORDS).map((body, i) => ({
    ...body,
    args: { n: i, text: `é "quoted" \\ {"prev_hash":null} ${i}` },
  })),
);
const CLEAN = textOf(LINES);
const OTHER = linesOf(sampleBodies(RECORDS), { logId: "log_two" });

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Edit = (pick: (below: number) => number) => Buffer;

const pickLine = (pick: (below: number) => number): number => pick(RECORDS);
const line = (index: number): string => LINES[index] ?? "";
const spliceBytes = (at: number, remove: number, put: Buffer): Buffer =>
  Buffer.concat([CLEAN.subarray(0, at), put, CLEAN.subarray(at + remove)]);
const SNIPPETS = [
  '"',
  "\\",
  "{",
  "}",
  ",",
  ":",
  "\n",
  "\r\n",
  "\u0000",
  "\ufeff",
  "\\u0041",
  " ",
  "0",
  "-",
  "null",
  '"seq":1,',
  "é",
];

const edits: Readonly<Record<string, Edit>> = {
  "a byte changed": (pick) => spliceBytes(pick(CLEAN.length), 1, Buffer.from([pick(256)])),
  "a bit flipped": (pick) => {
    const at = pick(CLEAN.length);
    return spliceBytes(at, 1, Buffer.from([(CLEAN[at] ?? 0) ^ (1 << pick(8))]));
  },
  "bytes removed": (pick) => spliceBytes(pick(CLEAN.length), 1 + pick(40), Buffer.alloc(0)),
  "text put in": (pick) =>
    spliceBytes(pick(CLEAN.length + 1), 0, Buffer.from(SNIPPETS[pick(SNIPPETS.length)] ?? "")),
  "part repeated": (pick) => {
    const at = pick(CLEAN.length);
    return spliceBytes(at, 0, CLEAN.subarray(at, at + 1 + pick(600)));
  },
  cut: (pick) => CLEAN.subarray(0, pick(CLEAN.length)),
  "a line removed": (pick) => textOf(LINES.toSpliced(pickLine(pick), 1)),
  "a line repeated": (pick) => textOf(LINES.toSpliced(pickLine(pick), 0, line(pickLine(pick)))),
  "two lines swapped": (pick) => {
    const [a, b] = [pickLine(pick), pickLine(pick)];
    return textOf(LINES.with(a, line(b)).with(b, line(a)));
  },
  "a line of another log": (pick) =>
    textOf(LINES.toSpliced(pickLine(pick), pick(2), OTHER[pickLine(pick)] ?? "")),
  "changed and hashed anew": (pick) => {
    const index = pickLine(pick);
    const changes: ((r: Record<string, Json>) => void)[] = [
      (r) => void Object.assign(r, { decision: "x" }),
      (r) => void Object.assign(r, { seq: pick(9) - 1 }),
      (r) => void Object.assign(r, { log_id: "log_two" }),
      (r) => void Object.assign(r, { prev_hash: null }),
      (r) => void Object.assign(r, { prev_hash: true }),
      (r) => void delete r.seq,
      (r) => void delete r.prev_hash,
    ];
    const change = changes[pick(changes.length)] ?? (() => undefined);
    return textOf(LINES.with(index, rehashed(line(index), change)));
  },
  "right hash over other bytes": (pick) => {
    const index = pickLine(pick);
    const spellings = [
      (text: string) => text.replace(":", ": "),
      (text: string) => text.replace('"v":1', '"v":1.0'),
      (text: string) => text.replace('"v":1', '"v":-0'),
      (text: string) => text.replace('"v":1', '"v":9007199254740993'),
      (text: string) => text.replace('"tool"', '"\\u0074ool"'),
      (text: string) => text.replace('"error":null', '"error":null,"error":null'),
      (text: string) => text.replace('"v":1', '"v":[[[[]]]]'),
      (text: string) => text.replace('"v":1', `"v":${"[".repeat(70)}${"]".repeat(70)}`),
      (text: string) => text.replace('"v":1', '"v":"\\ud800"'),
      (text: string) => text.replace('"v":1', '"vé":1'),
      (text: string) => text.replace('"v":1', '"v":"\\/"'),
      (text: string) => text.replace('"v":1', '"v":"\u007f"'),
      (text: string) => text.replace('"v":1', '"v":NaN'),
    ];
    const spell = spellings[pick(spellings.length)] ?? ((text: string) => text);
    const text = spell(`${line(index).slice(0, -82)}}`);
    return textOf(LINES.with(index, `${text.slice(0, -1)},"record_hash":"${sha256(text)}"}`));
  },
};

/** Parses, writes anew, hashes anew. Line of the first damage, null when there is none. */
function parseAndRehash(bytes: Buffer): number | null {
  let prev: string | null = null;
  let logId: unknown;
  let start = 0;
  for (let n = 1; start < bytes.length; n += 1) {
    const end = bytes.indexOf(10, start);
    const record = end === -1 ? undefined : soundRecord(bytes.subarray(start, end));
    if (record === undefined) return n;
    logId ??= record.log_id;
    if (record.prev_hash !== prev || record.seq !== n || record.log_id !== logId) return n;
    prev = String(record.record_hash);
    start = end + 1;
  }
  return null;
}

function soundRecord(raw: Buffer): Record<string, Json> | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
    const { record_hash: stated, ...rest }: Record<string, Json> = JSON.parse(text);
    if (!isProfile(rest, 0)) return undefined;
    const body = canonicalText(rest);
    const whole = `${body.slice(0, -1)},"record_hash":"${String(stated)}"}`;
    return whole === text && sha256(body) === stated ? { ...rest, record_hash: stated } : undefined;
  } catch {
    return undefined;
  }
}

/** Integers that every reader holds exactly, ASCII names, 64 levels. */
function isProfile(value: Json, depth: number): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= 64) return false;
  if (!Array.isArray(value) && !Object.keys(value).every((key) => /^[\u0000-\u007e]*$/.test(key)))
    return false;
  return Object.values(value).every((inner: Json) => isProfile(inner, depth + 1));
}

interface Verdict {
  readonly ok: boolean;
  readonly firstBad: number | null;
}

function python(files: readonly string[]): Verdict[] {
  const run = spawnSync("python3", [PYTHON, ...files], { encoding: "utf8", maxBuffer: 1 << 28 });
  expect(run.stderr).toBe("");
  return run.stdout
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Verdict);
}

test(`${EDITS} random edits`, { timeout: 60_000 + 40 * EDITS }, () => {
  const pick = numbers(20_260_102);
  const kinds = Object.keys(edits);
  const cases = Array.from({ length: EDITS }, (_, n) => {
    const kind = kinds[n % kinds.length] ?? "";
    return { n, kind, bytes: edits[kind]?.(pick) ?? CLEAN };
  });
  const files = cases.map(({ n, bytes }) => {
    const file = path.join(folder, String(n), "audit.jsonl");
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, bytes);
    return file;
  });
  const theirs = python(files);
  const disagreeing = cases.filter(({ n, bytes }) => {
    const { firstBad } = verifyBytes(bytes);
    return firstBad !== parseAndRehash(bytes) || firstBad !== theirs[n]?.firstBad;
  });
  const shown = disagreeing.slice(0, 5).map(({ kind, bytes, n }) => ({
    kind,
    fast: verifyBytes(bytes).damage[0],
    slow: parseAndRehash(bytes),
    python: theirs[n],
    differs: firstDifference(bytes),
  }));
  expect(shown, `${disagreeing.length} disagree`).toEqual([]);
  const missed = cases.filter(({ bytes }) => !isPrefix(bytes) && verifyBytes(bytes).ok);
  // A last record that was replaced with all its hashes right: only a head or a checkpoint shows that.
  expect(missed.filter(({ bytes }) => !isOnlyLast(bytes)).map(({ kind }) => kind)).toEqual([]);
});

function firstDifference(bytes: Buffer): string {
  const at = bytes.findIndex((byte, i) => byte !== CLEAN[i]);
  return `${at}: ${bytes.toString("latin1", Math.max(0, at - 40), at + 40)}`;
}

/** Cut between two records: without a head nobody can tell. */
function isPrefix(bytes: Buffer): boolean {
  return CLEAN.subarray(0, bytes.length).equals(bytes) && (bytes.length === 0 || bytes.at(-1) === 10);
}

function isOnlyLast(bytes: Buffer): boolean {
  const kept = CLEAN.lastIndexOf(10, CLEAN.length - 2) + 1;
  return (
    bytes.subarray(0, kept).equals(CLEAN.subarray(0, kept)) && bytes.indexOf(10, kept) === bytes.length - 1
  );
}

test("a record that waited beside the log stands in it once", () => {
  const waited = (n: number, name: string) => ({
    ...sampleBodies(1)[0],
    call_id: `call_${n}`,
    findings: [
      { by: "audit_log", code: "spooled", message: "waited", severity: "warning", details: { id: name } },
      // What another hook says of an id counts for nothing.
      { by: "custom", code: "spooled", message: "x", severity: "info", details: { id: "b" } },
    ],
  });
  const rows: [readonly string[], number | null][] = [
    [["a", "b", "c"], null],
    [["a", "b", "a"], 3],
    [["a", "a", "b"], 2],
  ];
  for (const [names, firstBad] of rows) {
    const bytes = textOf(linesOf(names.map((name, n) => waited(n, name))));
    const file = path.join(folder, names.join(""), "audit.jsonl");
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, bytes);
    const report = verifyBytes(bytes);
    expect([report.firstBad, report.damage[0]?.kind]).toEqual([
      firstBad,
      firstBad === null ? undefined : "inserted",
    ]);
    expect(python([file])[0]?.firstBad).toBe(firstBad);
  }
});
