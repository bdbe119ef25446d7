/** A log that threads read ahead gets the very report that it gets line by line, whatever was done to it and whatever becomes of the threads. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/core/audit/canonical";
import { type VerifyOptions, type VerifyProgress, verifyLog } from "../../src/node/auditVerify";
import { type Crew, type CrewOptions, startCrew } from "../../src/node/auditVerifyCrew";
import { linesOf, rehashed, sampleBodies, sha256 } from "../core/audit/logs";
import {
  choiceBody,
  fileText,
  headAt,
  noteOver,
  notesOver,
  openBody,
  signedLines,
  testKey,
  writeLog,
} from "../core/audit/signedLogs";
import { newFolder } from "./auditProcess";

/** `COUNTERSIGN_EDITS=10000` for the long run. */
const EDITS = Number(process.env.COUNTERSIGN_EDITS ?? 520);

/** From parts in which hardly one line has room to parts that hold a whole file. */
const CREWS: readonly (readonly [threads: number, partBytes: number])[] = [
  [0, 3000],
  [1, 700],
  [2, 1500],
  [3, 40_000],
];

let folder: string;
let crews: Crew[];
beforeAll(() => {
  folder = newFolder();
  crews = CREWS.map(([threads, partBytes]) => startCrew(threads, { partBytes }));
});
afterAll(async () => {
  await Promise.all(crews.map((crew) => crew.close()));
  fs.rmSync(folder, { recursive: true, force: true });
});

const KEY = testKey(21);
const VKEY = KEY.vkey("log_one");
const waited = (id: string): JsonObject => ({
  by: "audit_log",
  code: "spooled",
  message: "waited",
  severity: "warning",
  details: { id },
});
const found: JsonObject = { by: "x", code: "c", message: 'says "code":"spooled', severity: "info" };

function bodies(count: number, tag = "one"): JsonObject[] {
  return sampleBodies(count).map((body, i) => {
    if (i % 13 === 5) return choiceBody(i);
    if (i % 11 === 3) return { event: "result", call_id: `call_${i}`, error: null, duration_ms: i };
    if (i % 17 === 8) return { ...body, findings: [found, waited(`${tag}${i}`)] };
    if (i % 29 === 20) return { event: "log.recovered", data: { what: "torn" }, error: null };
    return i % 5 === 2 ? { ...body, findings: [found] } : body;
  });
}

const ONE = signedLines([openBody(KEY), ...bodies(30)], { key: KEY });
const LINK: JsonObject = {
  event: "log.segment",
  data: {
    segment: 2,
    previous: {
      file: "audit-000001.jsonl",
      count: ONE.length,
      head: headAt(ONE).head,
      sha256: sha256(fileText(ONE)),
    },
  },
  error: null,
};
const TWO = signedLines([LINK, ...bodies(45, "two")], { key: KEY });
const NOTES = [
  notesOver(ONE, [3, 17, ONE.length], { key: KEY }),
  notesOver(TWO, [1, 20, 21, 40], { key: KEY, segment: 2 }),
].join("\n");
const PLAIN = linesOf(bodies(40).filter(({ event }) => event !== "human_choice"));
const OTHER = linesOf(bodies(20), { logId: "log_two" });

type Files = Readonly<Record<string, string | Buffer>>;
interface World {
  readonly files: Files;
  readonly options: VerifyOptions;
}

const SEGMENTS: Files = {
  "audit-000001.jsonl": fileText(ONE),
  "audit.jsonl": fileText(TWO),
  "audit.checkpoints": NOTES,
};

let resume: NonNullable<VerifyOptions["from"]>;
let worlds: World[];
beforeAll(async () => {
  const outside = path.join(folder, "outside");
  fs.writeFileSync(outside, noteOver(TWO, { size: 30, key: KEY, segment: 2 }));
  const early = writeLog(path.join(folder, "early"), {
    ...(SEGMENTS as Record<string, string>),
    "audit.jsonl": fileText(TWO.slice(0, 21)),
    "audit.checkpoints": notesOver(ONE, [3, 17], { key: KEY }),
  });
  resume = (await verifyLog(early)).position ?? expect.fail("the early log is whole");
  const plain: Files = { "audit.jsonl": fileText(PLAIN) };
  worlds = [
    { files: plain, options: {} },
    { files: plain, options: { head: headAt(PLAIN.slice(0, 25)) } },
    { files: plain, options: { vkey: VKEY } },
    { files: SEGMENTS, options: {} },
    { files: SEGMENTS, options: { vkey: VKEY, head: headAt(TWO, 2) } },
    { files: SEGMENTS, options: { anchor: outside, head: headAt(ONE.slice(0, 9)) } },
    { files: SEGMENTS, options: { vkey: VKEY, closed: "digest" } },
    { files: SEGMENTS, options: { from: resume } },
    { files: { "audit.jsonl": fileText(ONE), "audit.checkpoints": NOTES }, options: { vkey: VKEY } },
  ];
});

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Pick = (below: number) => number;
type Edit = (text: string, pick: Pick) => string | Buffer;

const SNIPPETS = [
  '"',
  "\\",
  "{",
  "\n",
  "\r\n",
  "\u0000",
  " ",
  "0",
  '"seq":1,',
  "é",
  "\n".repeat(60),
  "x\n".repeat(30),
];
const linesIn = (text: string): string[] => text.split("\n").slice(0, -1);
const withLine = (text: string, pick: Pick, change: (line: string, lines: string[]) => string[]): string => {
  const lines = linesIn(text);
  const at = pick(lines.length);
  return fileText(lines.toSpliced(at, 1, ...change(lines[at] ?? "", lines)));
};
const changes: readonly ((record: Record<string, Json>, pick: Pick) => void)[] = [
  (r) => void Object.assign(r, { decision: "x" }),
  (r, pick) => void Object.assign(r, { seq: pick(60) - 1 }),
  (r) => void Object.assign(r, { log_id: "log_two" }),
  (r) => void Object.assign(r, { prev_hash: null }),
  (r) => void delete r.seq,
  (r) => void delete r.log_id,
  (r) => void Object.assign(r, { event: "grant" }),
  (r) => void Object.assign(r, { event: "log.recovered", data: { what: "head_differs" } }),
  (r) => void Object.assign(r, { findings: [waited("one8")] }),
  (r) => void Object.assign(r, { args: { text: "long ".repeat(9000) } }),
];

/** The chain from a changed record on made anew: every line is sound and follows, whatever it says. */
function rechained(text: string, pick: Pick): string {
  const from = pick(linesIn(text).length);
  const change = changes[pick(changes.length)] ?? (() => undefined);
  let prev: Json = null;
  return fileText(
    linesIn(text).map((line, i) => {
      const anew: string =
        i < from
          ? line
          : rehashed(line, (record) => {
              if (i === from) change(record, pick);
              if (i > 0) record.prev_hash = prev;
            });
      prev = JSON.parse(anew).record_hash;
      return anew;
    }),
  );
}

const edits: Readonly<Record<string, Edit>> = {
  none: (text) => text,
  "a byte changed": (text, pick) => {
    const bytes = Buffer.from(text);
    bytes[pick(bytes.length)] = pick(256);
    return bytes;
  },
  "text put in": (text, pick) => {
    const at = pick(text.length + 1);
    return text.slice(0, at) + (SNIPPETS[pick(SNIPPETS.length)] ?? "") + text.slice(at);
  },
  "part removed": (text, pick) => {
    const at = pick(text.length);
    return text.slice(0, at) + text.slice(at + 1 + pick(900));
  },
  "part repeated": (text, pick) => {
    const at = pick(text.length);
    return text.slice(0, at) + text.slice(at, at + pick(2000)) + text.slice(at);
  },
  cut: (text, pick) => text.slice(0, pick(text.length)),
  "a line removed": (text, pick) => withLine(text, pick, () => []),
  "a line repeated": (text, pick) => withLine(text, pick, (line) => [line, line]),
  "a line moved": (text, pick) =>
    withLine(text, pick, (line, lines) => [lines[pick(lines.length)] ?? "", line]),
  "a foreign line": (text, pick) => withLine(text, pick, (line) => [OTHER[pick(OTHER.length)] ?? "", line]),
  "a line too long for a part": (text, pick) =>
    withLine(text, pick, (line) => ["y".repeat(500 + pick(90_000)), line]),
  "the line end of another system": (text, pick) => withLine(text, pick, (line) => [`${line}\r`]),
  "all line ends of another system": (text) => text.replaceAll("\n", "\r\n"),
  "changed and hashed anew": (text, pick) =>
    withLine(text, pick, (line) => [
      rehashed(line, (record) => changes[pick(changes.length)]?.(record, pick)),
    ]),
  "changed and chained anew": rechained,
  "another spelling, hashed anew": (text, pick) =>
    withLine(text, pick, (line) => {
      const body = `${line.slice(0, -82)}}`.replace('"v":1', ['"v": 1', '"v":1.0', '"v":[]'][pick(3)] ?? "");
      return [`${body.slice(0, -1)},"record_hash":"${sha256(body)}"}`];
    }),
};

async function told(world: World, crew: CrewOptions, name: string): Promise<string> {
  const log = path.join(folder, name, "audit.jsonl");
  const steps: VerifyProgress[] = [];
  const { report, position } = await verifyLog(log, {
    ...world.options,
    crew,
    onProgress: (step) => steps.push(step),
  });
  let last = 0;
  for (const { done, total } of steps) {
    // Where a short pass gives way to a whole one, it begins again.
    if (done < last && world.options.from === undefined && world.options.closed === undefined)
      expect.fail(`progress goes back from ${last} to ${done}`);
    expect(done).toBeLessThanOrEqual(total);
    last = done;
  }
  return JSON.stringify({ report, position });
}

async function agree(world: World, name: string, running: readonly Crew[] = crews): Promise<string> {
  writeLog(path.join(folder, name), world.files as Record<string, string>);
  const expected = await told(world, { threads: 0 }, name);
  for (const [n, crew] of running.entries())
    expect(await told(world, { running: crew }, name), `crew ${n}`).toBe(expected);
  return expected;
}

test(`${EDITS} random edits`, { timeout: 60_000 + 200 * EDITS }, async () => {
  const pick = numbers(20_260_103);
  const kinds = Object.keys(edits);
  const seen = new Set<string>();
  for (let n = 0; n < EDITS; n += 1) {
    const kind = kinds[n % kinds.length] ?? "";
    const { files, options } = worlds[pick(worlds.length)] ?? expect.fail("no world");
    const names = Object.keys(files).filter((name) => name.endsWith(".jsonl"));
    const name = names[pick(names.length)] ?? "";
    const edited = edits[kind]?.(String(files[name]), pick) ?? "";
    const json = await agree({ files: { ...files, [name]: edited }, options }, "edited");
    const { report } = JSON.parse(json);
    seen.add(report.ok ? "ok" : report.damage[0].kind);
  }
  // The edits reach what a log can suffer.
  for (const kind of [
    "ok",
    "modified",
    "deleted",
    "inserted",
    "rewritten",
    "respelt",
    "foreign",
    "torn",
    "unattested",
  ])
    expect(seen).toContain(kind);
});

/** So many records that not each of them is looked into. */
const LONG = signedLines([openBody(KEY), ...bodies(1400)], { key: KEY });

test("long logs under a key, with checkpoints between their lines", { timeout: 120_000 }, async () => {
  const clean = LONG;
  const notes = notesOver(clean, [900, 1100, 1101, 1350], { key: KEY });
  const options = { vkey: VKEY, head: headAt(clean.slice(0, 1203)) };
  // Whether a first checkpoint is overdue is told by the newest record's time.
  for (let lines = 58; lines < 68; lines += 1)
    await agree(
      { files: { "audit.jsonl": fileText(LONG.slice(0, lines)) }, options: { vkey: VKEY } },
      "young",
    );
  const rows: [string, readonly string[], boolean][] = [
    ["clean", clean, true],
    ["a line removed", clean.toSpliced(1250, 1), false],
    ["other bytes", clean.with(1251, (clean[1251] ?? "").replace('"v":1', '"v":2')), false],
    ["chained anew", relinked(clean.with(1010, (clean[1010] ?? "").replace('"v":1', '"v":2'))), false],
  ];
  for (const [what, lines, ok] of rows) {
    const files = { "audit.jsonl": fileText(lines), "audit.checkpoints": notes };
    const { report } = JSON.parse(await agree({ files, options }, "long"));
    expect(report.ok, what).toBe(ok);
    expect(report.count).toBe(lines.length);
  }
});

/** The same lines with their hashes and signatures right again. */
function relinked(lines: readonly string[]): string[] {
  return signedLines(
    lines.map((line) => {
      const { v, seq, ts, log_id, writer, sig, prev_hash, record_hash, ...body } = JSON.parse(line);
      return v === 2 ? { ...body, decision: "x" } : body;
    }),
    { key: KEY },
  );
}

describe("a thread that fails", () => {
  const program = (text: string) => {
    const file = path.join(folder, `program-${sha256(text).slice(0, 8)}.cjs`);
    fs.writeFileSync(file, `const { parentPort } = require("node:worker_threads");\n${text}`);
    return { path: file, execArgv: [] };
  };
  const rows: [string, string | undefined][] = [
    ["is not there", undefined],
    ["ends at once", "process.exit(0)"],
    ["throws over its first part", 'parentPort.on("message", () => { throw new Error("no") })'],
    [
      "throws over its third part, said nothing of the others",
      'let n = 0; parentPort.on("message", () => { n += 1; if (n === 3) throw new Error("no"); parentPort.postMessage(0); })',
    ],
    ["answers with something else", 'parentPort.on("message", () => parentPort.postMessage({ lines: 3 }))'],
    [
      "runs out of memory",
      'parentPort.on("message", () => { const all = []; for (;;) all.push(new Array(4e6).fill(1.5)); })',
    ],
  ];
  test.each(rows)("%s: the log is read all the same", { timeout: 60_000 }, async (_name, text) => {
    const dead = text === undefined ? { path: path.join(folder, "nowhere.js"), execArgv: [] } : program(text);
    for (const n of [0, 4]) {
      const world = worlds[n] ?? expect.fail("no world");
      const torn = { ...world.files, "audit.jsonl": `${String(world.files["audit.jsonl"]).slice(0, -9)}` };
      for (const files of [world.files, torn]) {
        const crew = startCrew(2, { partBytes: 1000, program: dead });
        await agree({ ...world, files }, "failing", [crew]);
        await crew.close();
      }
    }
  });
});

test("what is aborted ends with the signal's reason", async () => {
  const controller = new AbortController();
  writeLog(path.join(folder, "aborted"), SEGMENTS as Record<string, string>);
  const reading = verifyLog(path.join(folder, "aborted", "audit.jsonl"), {
    signal: controller.signal,
    crew: { threads: 1, partBytes: 600, fromBytes: 0 },
    onProgress: () => controller.abort(new Error("enough")),
  });
  await expect(reading).rejects.toThrow("enough");
});

test("short logs start no thread, long ones do", async () => {
  const log = writeLog(path.join(folder, "short"), SEGMENTS as Record<string, string>);
  const mark = path.join(folder, "started");
  const file = path.join(folder, "marks.cjs");
  fs.writeFileSync(file, `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`);
  const program = { path: file, execArgv: [] };
  const quick = await verifyLog(log, { crew: { threads: 2, program } });
  expect(fs.existsSync(mark)).toBe(false);
  expect(await verifyLog(log, { crew: { threads: 2, fromBytes: 0, program } })).toEqual(quick);
  expect(fs.existsSync(mark)).toBe(true);
});
