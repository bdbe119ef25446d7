/** What each level of evidence finds: twenty attacks, by who can write what, and a clean log that no level blames. */
import * as fs from "node:fs";
import * as path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { canonicalText, type JsonObject } from "../../../src/core/audit/canonical";
import type { Head } from "../../../src/core/audit/verifyReport";
import { verifyLog } from "../../../src/node/auditVerify";
import { newFolder } from "../../node/auditProcess";
import { linesOf, rehashed, sampleBodies, sha256 } from "./logs";
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
} from "./signedLogs";

const folder = newFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const KEY = testKey(1);
const THIEF = testKey(2);
const VKEY = KEY.vkey("log_one");
const COUNT = 220;
const SIZES = [50, 100, 150, 200];

function bodies(decision?: string): JsonObject[] {
  const calls = sampleBodies(COUNT - 1).map((body, i) => (i % 40 === 7 ? choiceBody(i) : body));
  return [openBody(KEY), ...calls].map((body, i) =>
    decision === undefined || body.event !== "call" || i === 0 ? body : { ...body, decision },
  );
}

const LINES = signedLines(bodies(), { key: KEY });
const at = (index: number): string => LINES[index] ?? "";

/** What an attacker may have changed. */
interface World {
  readonly lines: readonly string[];
  /** The file of checkpoints; undefined = removed. */
  readonly notes: string | undefined;
  readonly head: Head;
}

const CLEAN: World = { lines: LINES, notes: notesOver(LINES, SIZES, { key: KEY }), head: headAt(LINES) };
/** Kept on another machine, where no attacker comes. */
const OUTSIDE = noteOver(LINES, { size: 200, key: KEY });

/** The log made anew from a record on, other decisions in it. `key` signs where the attacker has one. */
function rechained(from: number, key = THIEF, upTo = COUNT): string[] {
  const before: { seq: number; record_hash: string } = JSON.parse(at(from - 1));
  const anew = bodies("allow").slice(from, upTo);
  // Only calls: an attacker does not write approvals that nobody signed where calls will do.
  const plain = anew.map((body) => (body.event === "call" ? body : { ...sampleBodies(1)[0], call_id: "x" }));
  return [
    ...LINES.slice(0, from),
    ...signedLines(plain, { before: { seq: before.seq, hash: before.record_hash }, key, clock: from }),
  ];
}

const resigned = (lines: readonly string[], key = KEY): string => notesOver(lines, SIZES, { key });
const last = (lines: readonly string[]): string[] =>
  lines.with(
    -1,
    rehashed(lines.at(-1) ?? "", (r) => (r.decision = "allow!")),
  );

interface Attack {
  readonly name: string;
  readonly world: World;
  /** The first level that finds it; 5 = none. */
  readonly foundAt: 0 | 1 | 2 | 3 | 4 | 5;
}

const attacks: Attack[] = [
  {
    name: "a field edited",
    foundAt: 0,
    world: { ...CLEAN, lines: LINES.with(60, at(60).replace("SELECT", "DELETE")) },
  },
  {
    name: "edited, its own hash made right",
    foundAt: 0,
    world: {
      ...CLEAN,
      lines: LINES.with(
        60,
        rehashed(at(60), (r) => (r.decision = "allow!")),
      ),
    },
  },
  { name: "a record deleted", foundAt: 0, world: { ...CLEAN, lines: LINES.toSpliced(60, 1) } },
  {
    name: "two records swapped",
    foundAt: 0,
    world: { ...CLEAN, lines: LINES.with(60, at(61)).with(61, at(60)) },
  },
  { name: "an old record again", foundAt: 0, world: { ...CLEAN, lines: LINES.toSpliced(60, 0, at(30)) } },
  {
    name: "a key twice",
    foundAt: 1,
    world: {
      ...CLEAN,
      lines: LINES.with(60, at(60).replace('"decision":', '"decision":"denied","decision":')),
    },
  },
  {
    name: "bytes respelt",
    foundAt: 1,
    world: { ...CLEAN, lines: LINES.with(60, at(60).replace('"decision":', '"decision": ')) },
  },
  {
    name: "another log spliced in",
    foundAt: 1,
    world: { ...CLEAN, lines: [...LINES.slice(0, 60), ...spliced(60)] },
  },
  { name: "cut below a checkpoint", foundAt: 2, world: { ...CLEAN, lines: LINES.slice(0, 180) } },
  { name: "chained anew, checkpoints left", foundAt: 2, world: { ...CLEAN, lines: rechained(120) } },
  {
    name: "chained anew, checkpoints removed",
    foundAt: 2,
    world: { ...CLEAN, lines: rechained(120), notes: undefined },
  },
  {
    name: "chained anew, signed with another key",
    foundAt: 2,
    world: { ...CLEAN, lines: rechained(120), notes: resigned(rechained(120), THIEF) },
  },
  { name: "an empty file in its place", foundAt: 2, world: { ...CLEAN, lines: [] } },
  { name: "the last record replaced", foundAt: 3, world: { ...CLEAN, lines: last(LINES) } },
  { name: "cut after the last checkpoint", foundAt: 3, world: { ...CLEAN, lines: LINES.slice(0, 210) } },
  { name: "chained anew after the last checkpoint", foundAt: 3, world: { ...CLEAN, lines: rechained(210) } },
  {
    name: "log and checkpoints put back to an old copy",
    foundAt: 3,
    world: { ...CLEAN, lines: LINES.slice(0, 130), notes: notesOver(LINES, [50, 100], { key: KEY }) },
  },
  {
    name: "stolen key: chained and signed anew",
    foundAt: 3,
    world: { ...CLEAN, lines: rechained(120, KEY), notes: resigned(rechained(120, KEY)) },
  },
  {
    name: "stolen key, and the head replaced",
    foundAt: 4,
    world: {
      lines: rechained(120, KEY),
      notes: resigned(rechained(120, KEY)),
      head: headAt(rechained(120, KEY)),
    },
  },
  {
    name: "stolen key, and the head replaced, newer than the last note outside",
    foundAt: 5,
    world: {
      lines: rechained(210, KEY),
      notes: resigned(rechained(210, KEY)),
      head: headAt(rechained(210, KEY)),
    },
  },
];

/** Records of another log whose first one names ours: links and hashes are right. */
function spliced(from: number): string[] {
  const before: { seq: number; record_hash: string } = JSON.parse(at(from - 1));
  return linesOf(sampleBodies(COUNT - from), {
    logId: "log_two",
    before: { seq: before.seq, hash: before.record_hash },
  });
}

/** What a plain verifier does: parse, hash again, compare links. */
function parseAndRehash(lines: readonly string[]): boolean {
  let prev: unknown = null;
  for (const line of lines) {
    const { record_hash: stated, ...rest }: JsonObject = JSON.parse(line);
    if (rest.prev_hash !== prev || sha256(canonicalText(rest)) !== stated) return false;
    prev = stated;
  }
  return true;
}

async function okAt(level: number, world: World): Promise<{ ok: boolean; level: number }> {
  if (level === 0) return { ok: parseAndRehash(world.lines), level: 0 };
  const notes = level < 2 || world.notes === undefined ? {} : { "audit.checkpoints": world.notes };
  const file = writeLog(path.join(folder, "log"), { "audit.jsonl": fileText(world.lines), ...notes });
  const anchor = path.join(folder, "outside.txt");
  fs.writeFileSync(anchor, OUTSIDE);
  const { report } = await verifyLog(file, {
    ...(level < 2 ? {} : { vkey: VKEY }),
    ...(level < 3 ? {} : { head: world.head }),
    ...(level < 4 ? {} : { anchor }),
  });
  return report;
}

const LEVELS = [0, 1, 2, 3, 4] as const;

test.each(LEVELS)("a clean log reaches level %i and is not blamed", async (level) => {
  expect(await okAt(level, CLEAN)).toMatchObject({ ok: true, level });
});

describe.each(attacks)("$name", ({ world, foundAt }) => {
  test.each(LEVELS)(`level %i (found from ${foundAt} on)`, async (level) => {
    const found = await okAt(level, world);
    expect(found.ok).toBe(level < foundAt);
    if (found.ok) expect(found.level).toBe(level);
  });
});

test("found of twenty, level by level", () => {
  expect(attacks).toHaveLength(20);
  expect(LEVELS.map((level) => attacks.filter(({ foundAt }) => foundAt <= level).length)).toEqual([
    5, 8, 13, 18, 19,
  ]);
});
