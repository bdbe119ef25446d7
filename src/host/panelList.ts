/** The list a panel shows: the rows a filter lets through, oldest first, by position. Knows nothing of messages or VS Code. */
import type { AuditRow, RowFilter } from "../core/audit/query";
import type { AuditRows, ReadLine } from "../node/auditRows";
import type { JumpTarget } from "../panel/protocol";

export interface Place {
  readonly position: number;
  readonly line: number;
}

export interface PanelList {
  total(): number;
  rows(offset: number, limit: number): Promise<AuditRow[]>;
  /** The row that was meant; null when the filter hides it, or when there is none. */
  locate(target: JumpTarget): Promise<Place | null>;
}

/** The newest rows of a log that is still being read. */
export function newestList(newest: { rows: AuditRow[]; lines: ReadLine[] }, filter: RowFilter): PanelList {
  const text = filter.text?.toLowerCase();
  const rawOf = new Map(newest.lines.map(({ line, raw }) => [line, raw.toLowerCase()]));
  const recordOf = new Map(newest.lines.map(({ line, record }) => [line, record]));
  const firstOf = (row: AuditRow) => recordOf.get(row.line);
  const sessionOf = (row: AuditRow) => firstOf(row)?.session_id;
  const shown = newest.rows.filter(
    (row) =>
      (filter.decision === undefined || row.decision === filter.decision) &&
      (filter.agent === undefined || row.agent === filter.agent) &&
      (filter.tool === undefined || row.tool === filter.tool) &&
      (filter.event === undefined || row.event === filter.event) &&
      (filter.since === undefined || Date.parse(row.ts) >= Date.parse(filter.since)) &&
      (filter.until === undefined || Date.parse(row.ts) < Date.parse(filter.until)) &&
      (filter.session === undefined || sessionOf(row) === filter.session) &&
      (text === undefined || row.lines.some((line) => rawOf.get(line)?.includes(text) === true)),
  );
  return {
    total: () => shown.length,
    rows: async (offset, limit) => shown.slice(offset, offset + limit),
    async locate(target) {
      const at =
        "line" in target
          ? shown.findIndex((row) => row.lines.includes(target.line))
          : "time" in target
            ? shown.findIndex((row) => Date.parse(row.ts) >= Date.parse(target.time))
            : shown.findLastIndex((row) => firstOf(row)?.call_id === target.callId);
      const line = "line" in target ? target.line : shown[at]?.line;
      return at < 0 || line === undefined ? null : { position: at, line };
    },
  };
}

export interface FullList extends PanelList {
  /** Calls `take` with each row of the list, oldest first. */
  each(take: (row: number) => void): void;
  /**
   * Takes in what the log has gained. Rows already listed that changed are given by position;
   * null when a row came into or fell out of the middle of the list, so that it must be built anew.
   */
  grow(growth: {
    readonly added: number;
    readonly changed: readonly number[];
  }): Promise<{ changed: number[] } | null>;
}

/** More new rows than this are searched through the file rather than one by one. */
const GROW_ROWS = 5000;

/** All rows of a log that a filter lets through; null when `signal` ended the search. */
export async function fullList(
  rows: AuditRows,
  filter: RowFilter,
  options: { signal: AbortSignal; onProgress?: (done: number, total: number) => void },
): Promise<FullList | null> {
  const text = filter.text ?? "";
  const plain = text === "" && Object.keys(filter).every((key) => key === "text");
  const found = text === "" ? null : await rows.search(text, options);
  if (options.signal.aborted) return null;
  let covered = found === null ? rows.index.rows() : Math.min(found.length, rows.index.rows());
  const positions: number[] = [];
  const matches = rows.index.matcher(filter);
  if (!plain) {
    for (let row = 0; row < covered; row += 1) {
      if ((found === null || found[row] === 1) && matches(row)) positions.push(row);
    }
  }

  async function passes(row: number): Promise<boolean> {
    if (!matches(row)) return false;
    if (text === "") return true;
    const needle = JSON.stringify(text).slice(1, -1).toLowerCase();
    const lines = await rows.linesAt(rows.index.linesOf(row));
    return lines.some(({ raw }) => raw.toLowerCase().includes(needle));
  }

  function each(take: (row: number) => void): void {
    if (plain) for (let row = 0; row < covered; row += 1) take(row);
    else for (const row of positions) take(row);
  }

  function positionOf(row: number): number | null {
    if (row < 0 || row >= covered) return null;
    if (plain) return row;
    const at = placeOf(positions, row);
    return positions[at] === row ? at : null;
  }

  async function rowFor(target: JumpTarget): Promise<number | undefined> {
    const { index } = rows;
    if ("line" in target) return index.rowOf(target.line);
    if ("callId" in target) {
      for (const row of index.maybeOfCall(target.callId).toReversed()) {
        const read = await rows.linesAt(index.linesOf(row).slice(0, 1));
        if (read[0]?.record?.call_id === target.callId) return row;
      }
      return undefined;
    }
    const time = Date.parse(target.time);
    let first: number | undefined;
    each((row) => {
      if (first === undefined && index.timeOf(row) >= time) first = row;
    });
    return first;
  }

  return {
    total: () => (plain ? covered : positions.length),
    rows(offset, limit) {
      const end = Math.min(offset + limit, plain ? covered : positions.length);
      const wanted = plain
        ? Array.from({ length: Math.max(0, end - offset) }, (_, i) => offset + i)
        : positions.slice(offset, end);
      return rows.rowsAt(wanted);
    },
    each,
    async locate(target) {
      const row = await rowFor(target);
      const position = row === undefined ? null : positionOf(row);
      if (row === undefined || position === null) return null;
      return { position, line: "line" in target ? target.line : (rows.index.linesOf(row)[0] ?? 0) };
    },
    async grow({ changed }) {
      const now = rows.index.rows();
      if (text !== "" && now - covered > GROW_ROWS) return null;
      const moved: number[] = [];
      for (const row of changed.filter((one) => one < covered)) {
        if (plain) moved.push(row);
        else {
          const at = placeOf(positions, row);
          const listed = positions[at] === row;
          if (listed !== (await passes(row))) return null;
          if (listed) moved.push(at);
        }
      }
      if (!plain) for (let row = covered; row < now; row += 1) if (await passes(row)) positions.push(row);
      covered = now;
      return { changed: moved };
    },
  };
}

/** Where `row` stands, or would stand, in the ascending list. */
function placeOf(positions: readonly number[], row: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
