/** Which rows a list holds, by position: all of a log but some, or those that were found. Knows nothing of filters. */
import { countBelow, type RowGaps } from "../core/audit/rowGaps";

export interface ListedRows {
  length(): number;
  rowAt(position: number): number;
  /** Null where the row is not listed. */
  positionOf(row: number): number | null;
  each(visit: (row: number) => void): void;
}

/** The first `covered()` rows of the log but those left out; holds no number per row. */
export function rowsBut(gaps: RowGaps, covered: () => number): ListedRows {
  return {
    length: () => gaps.length(covered()),
    rowAt: gaps.rowAt,
    positionOf: (row) => (row < 0 || row >= covered() || gaps.isOut(row) ? null : gaps.positionOf(row)),
    each: (visit) => gaps.each(covered(), visit),
  };
}

/** Rows in the order in which they are added, which must ascend. */
export function rowsFound(): ListedRows & { add(row: number): void } {
  const found: number[] = [];
  return {
    length: () => found.length,
    rowAt: (position) => found[position] ?? -1,
    positionOf(row) {
      const at = countBelow(found, row);
      return found[at] === row ? at : null;
    },
    each: (visit) => found.forEach((row) => void visit(row)),
    add: (row) => void found.push(row),
  };
}
