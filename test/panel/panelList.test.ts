/** The panel's list over real files against a plain one: positions, counts and jumps agree for every choice, at once and after the log has grown. */
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RowFilter } from "../../src/core/audit/query";
import type { Listing } from "../../src/host/panelList";
import { fullList } from "../../src/host/panelListFull";
import { newestList } from "../../src/host/panelListNewest";
import { newestRows } from "../../src/node/auditNewest";
import { auditRows } from "../../src/node/auditRows";

let folder: string;
let n = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-list-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const KINDS = ["call", "denied", "heartbeat", "checkpoint", "junk"] as const;
type Kind = (typeof KINDS)[number];

function text(kind: Kind, line: number): string {
  if (kind === "junk") return "not json\n";
  const base = {
    seq: line,
    ts: new Date(1_790_000_000_000 + line * 1000).toISOString(),
    error: null,
    record_hash: "h",
  };
  const isCall = kind === "call" || kind === "denied";
  const fields = isCall
    ? { event: "call", call_id: `c${line}`, tool: "Bash", decision: kind === "denied" ? "denied" : "allow" }
    : { event: `log.${kind}`, data: { segment: 1 } };
  return `${JSON.stringify({ ...base, ...fields })}\n`;
}

const FILTERS: readonly RowFilter[] = [
  {},
  { decision: "denied" },
  { event: "log.heartbeat" },
  { text: "segment" },
  { text: "nowhere" },
  { since: new Date(1_790_000_005_000).toISOString() },
];

/** Rows (here: lines from 0) as a reader of the text would list them. */
function model(kinds: readonly Kind[], { filter, upkeep }: Listing, revealed: ReadonlySet<number>) {
  const matches = kinds.flatMap((kind, row) => {
    const event = kind === "junk" ? "damaged" : kind === "call" || kind === "denied" ? "call" : `log.${kind}`;
    const passes =
      (filter.decision === undefined || kind === filter.decision) &&
      (filter.event === undefined || event === filter.event) &&
      (filter.text === undefined || text(kind, row + 1).includes(filter.text)) &&
      (filter.since === undefined || (kind !== "junk" && row + 1 >= 5));
    return passes ? [row] : [];
  });
  const isQuiet = (row: number) =>
    ["heartbeat", "checkpoint"].includes(kinds[row] ?? "") &&
    !revealed.has(row) &&
    filter.event === undefined;
  return {
    listed: upkeep === "shown" ? matches : matches.filter((row) => !isQuiet(row)),
    quiet: matches.filter(isQuiet),
    matches,
  };
}

const kindsOf = fc.array(fc.constantFrom(...KINDS), { maxLength: 24 });
const signal = new AbortController().signal;

test("every choice lists what a plain look would", async () => {
  await fc.assert(
    fc.asyncProperty(
      kindsOf,
      kindsOf,
      fc.constantFrom(...FILTERS),
      fc.constantFrom("hidden", "shown"),
      fc.array(fc.nat(20), { maxLength: 2 }),
      async (before, gained, filter, upkeep, damaged) => {
        n += 1;
        const log = join(folder, `${n}.jsonl`);
        await writeFile(log, before.map((kind, at) => text(kind, at + 1)).join(""));
        const rows = auditRows(log);
        await rows.follow();
        const isUpkeepRow = (row: number) => [...rows.index.upkeep()].includes(row);
        const revealed = new Set(damaged.filter(isUpkeepRow));
        const listing: Listing = { filter, upkeep };
        const list = await fullList(rows, listing, { signal, revealed });
        if (list === null) throw new Error("no list");
        for (const kinds of [before, [...before, ...gained]]) {
          if (kinds !== before) {
            const more = gained.map((kind, at) => text(kind, before.length + at + 1)).join("");
            await appendFile(log, more);
            expect(await list.grow(await rows.follow())).toEqual({ changed: [] });
          }
          const expected = model(kinds, listing, revealed);
          const seen: number[] = [];
          list.each((row) => seen.push(row));
          expect(seen).toEqual(expected.listed);
          expect([list.total(), list.upkeep()]).toEqual([expected.listed.length, expected.quiet.length]);
          expect((await list.rows(0, 99)).map((row) => row.line - 1)).toEqual(expected.listed);
          for (const row of kinds.keys()) {
            const position = expected.listed.indexOf(row);
            const hidden = expected.matches.includes(row) ? "upkeep" : "filter";
            expect(await list.locate({ line: row + 1 })).toEqual(
              position < 0 ? hidden : { position, line: row + 1 },
            );
          }
          expect(await list.locate({ line: kinds.length + 1 })).toBeNull();
        }
        const early = newestList(await newestRows(log, 1 << 20), listing);
        const whole = model([...before, ...gained], listing, new Set());
        expect([early.total(), early.upkeep()]).toEqual([whole.listed.length, whole.quiet.length]);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
