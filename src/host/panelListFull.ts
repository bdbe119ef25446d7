/** The list of all rows of a log that has been read; where nothing is filtered it holds no number per row. Knows nothing of messages or VS Code. */
import type { RowFilter } from "../core/audit/query";
import { type RowGaps, rowGaps } from "../core/audit/rowGaps";
import { isUpkeepEvent } from "../core/audit/upkeep";
import type { AuditRows } from "../node/auditRows";
import type { JumpTarget } from "../panel/messages";
import type { FullList, Listing, Located } from "./panelList";
import { type ListedRows, rowsBut, rowsFound } from "./panelListRows";

/** More new rows than this are searched through the file rather than one by one. */
const GROW_ROWS = 5000;

export interface ListBuild {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Upkeep that is listed in any case: a verification found damage there. */
  readonly revealed: ReadonlySet<number>;
}

/** The upkeep that the choice governs; none where it was asked for by name. */
function governedBy(rows: AuditRows, filter: RowFilter, revealed: ReadonlySet<number>): RowGaps {
  if (filter.event !== undefined && isUpkeepEvent(filter.event)) return rowGaps(() => []);
  let seen = -1;
  let left: ArrayLike<number> = [];
  return rowGaps(() => {
    const all = rows.index.upkeep();
    if (revealed.size === 0) return all;
    if (all.length !== seen) left = all.filter((row) => !revealed.has(row));
    seen = all.length;
    return left;
  });
}

/** Whether a row has the text that is looked for. */
async function hasText(rows: AuditRows, row: number, text: string): Promise<boolean> {
  const needle = JSON.stringify(text).slice(1, -1).toLowerCase();
  const lines = await rows.linesAt(rows.index.linesOf(row));
  return lines.some(({ raw }) => raw.toLowerCase().includes(needle));
}

/** All rows of a log that a listing lets through; null when `signal` ended the search. */
export function fullList(rows: AuditRows, listing: Listing, build: ListBuild): Promise<FullList | null> {
  const { text, ...others } = listing.filter;
  const isPlain = (text ?? "") === "" && Object.keys(others).length === 0;
  return isPlain ? Promise.resolve(wholeList(rows, listing, build)) : filteredList(rows, listing, build);
}

function wholeList(rows: AuditRows, listing: Listing, { revealed }: ListBuild): FullList {
  const { filter, upkeep } = listing;
  const governed = governedBy(rows, filter, revealed);
  let covered = rows.index.rows();
  const shown = rowsBut(upkeep === "shown" ? rowGaps(() => []) : governed, () => covered);
  return {
    ...answers(rows, shown),
    listing,
    upkeep: () => covered - governed.length(covered),
    locate: (target) => locate(rows, shown, { target, passes: async () => true }),
    async grow({ changed }) {
      const moved = changed.flatMap((row) => shown.positionOf(row) ?? []);
      covered = rows.index.rows();
      return { changed: moved };
    },
  };
}

async function filteredList(
  rows: AuditRows,
  listing: Listing,
  { revealed, ...searching }: ListBuild,
): Promise<FullList | null> {
  const { filter, upkeep } = listing;
  const text = filter.text ?? "";
  const found = text === "" ? null : await rows.search(text, searching);
  if (searching.signal.aborted) return null;
  const governed = governedBy(rows, filter, revealed);
  const isListed = (row: number): boolean => upkeep === "shown" || !governed.isOut(row);
  const matches = rows.index.matcher(filter);
  const passes = async (row: number) => matches(row) && (text === "" || (await hasText(rows, row, text)));
  const shown = rowsFound();
  let quiet = 0;
  function take(row: number): void {
    if (governed.isOut(row)) quiet += 1;
    if (isListed(row)) shown.add(row);
  }
  let covered = Math.min(found?.length ?? Number.POSITIVE_INFINITY, rows.index.rows());
  for (let row = 0; row < covered; row += 1) {
    if ((found === null || found[row] === 1) && matches(row)) take(row);
  }
  return {
    ...answers(rows, shown),
    listing,
    upkeep: () => quiet,
    locate: (target) => locate(rows, shown, { target, passes }),
    async grow({ changed }) {
      const now = rows.index.rows();
      if (text !== "" && now - covered > GROW_ROWS) return null;
      const moved: number[] = [];
      for (const row of changed.filter((one) => one < covered)) {
        const position = shown.positionOf(row);
        if ((position !== null) !== (isListed(row) && (await passes(row)))) return null;
        if (position !== null) moved.push(position);
      }
      for (let row = covered; row < now; row += 1) if (await passes(row)) take(row);
      covered = now;
      return { changed: moved };
    },
  };
}

function answers(rows: AuditRows, shown: ListedRows): Pick<FullList, "total" | "rows" | "each"> {
  return {
    total: shown.length,
    rows(offset, limit) {
      const length = Math.max(0, Math.min(limit, shown.length() - offset));
      return rows.rowsAt(Array.from({ length }, (_, i) => shown.rowAt(offset + i)));
    },
    each: shown.each,
  };
}

async function locate(
  rows: AuditRows,
  shown: ListedRows,
  { target, passes }: { target: JumpTarget; passes: (row: number) => Promise<boolean> },
): Promise<Located> {
  const row = await rowFor(rows, target, shown.each);
  if (row === undefined || row < 0) return null;
  const position = shown.positionOf(row);
  if (position === null) return (await passes(row)) ? "upkeep" : "filter";
  return { position, line: "line" in target ? target.line : (rows.index.linesOf(row)[0] ?? 0) };
}

/** The row a jump means; for a time the first one of the list, else of the whole log. */
async function rowFor(
  { index, linesAt }: AuditRows,
  target: JumpTarget,
  each: ListedRows["each"],
): Promise<number | undefined> {
  if ("line" in target) return index.rowOf(target.line);
  if ("callId" in target) {
    for (const row of index.maybeOfCall(target.callId).toReversed()) {
      const read = await linesAt(index.linesOf(row).slice(0, 1));
      if (read[0]?.record?.call_id === target.callId) return row;
    }
    return undefined;
  }
  const time = Date.parse(target.time);
  let first: number | undefined;
  const see = (row: number) => {
    if (first === undefined && index.timeOf(row) >= time) first = row;
  };
  each(see);
  for (let row = 0; first === undefined && row < index.rows(); row += 1) see(row);
  return first;
}
