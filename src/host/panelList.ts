/** The list a panel shows: the rows a filter lets through, oldest first, by position. Knows nothing of messages or VS Code. */
import type { AuditRow, RowFilter } from "../core/audit/query";
import type { AuditRows, ReadLine } from "../node/auditRows";

export interface PanelList {
  total(): number;
  rows(offset: number, limit: number): Promise<AuditRow[]>;
  /** Position of the row that holds this line; null when the filter hides it. */
  locate(line: number): number | null;
}

/** The newest rows of a log that is still being read. */
export function newestList(newest: { rows: AuditRow[]; lines: ReadLine[] }, filter: RowFilter): PanelList {
  const text = filter.text?.toLowerCase();
  const rawOf = new Map(newest.lines.map(({ line, raw }) => [line, raw.toLowerCase()]));
  const shown = newest.rows.filter(
    (row) =>
      (filter.decision === undefined || row.decision === filter.decision) &&
      (filter.agent === undefined || row.agent === filter.agent) &&
      (filter.tool === undefined || row.tool === filter.tool) &&
      (text === undefined || row.lines.some((line) => rawOf.get(line)?.includes(text) === true)),
  );
  return {
    total: () => shown.length,
    rows: async (offset, limit) => shown.slice(offset, offset + limit),
    locate(line) {
      const at = shown.findIndex((row) => row.lines.includes(line));
      return at < 0 ? null : at;
    },
  };
}

export interface FullList extends PanelList {
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
  if (!plain) {
    for (let row = 0; row < covered; row += 1) {
      if ((found === null || found[row] === 1) && rows.index.matches(row, filter)) positions.push(row);
    }
  }

  async function passes(row: number): Promise<boolean> {
    if (!rows.index.matches(row, filter)) return false;
    if (text === "") return true;
    const needle = JSON.stringify(text).slice(1, -1).toLowerCase();
    const lines = await rows.linesAt(rows.index.linesOf(row));
    return lines.some(({ raw }) => raw.toLowerCase().includes(needle));
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
    locate(line) {
      const row = rows.index.rowOf(line);
      if (row < 0 || row >= covered) return null;
      if (plain) return row;
      const at = placeOf(positions, row);
      return positions[at] === row ? at : null;
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
