/** Positions in a list that leaves some rows out, found without holding the list: as many numbers as rows are left out. Knows nothing of records. */

type Ascending = ArrayLike<number>;

export interface RowGaps {
  /** How many of the rows below `count` are left. */
  length(count: number): number;
  /** The row at a position of what is left. */
  rowAt(position: number): number;
  /** How many rows below this one are left: the position of a row that is left. */
  positionOf(row: number): number;
  isOut(row: number): boolean;
  /** Visits what is left of the rows below `count`, ascending. */
  each(count: number, visit: (row: number) => void): void;
}

/** How many of the numbers come before the first for which `holds` fails; past that it must fail for all. */
function countWhile(rows: Ascending, holds: (row: number, at: number) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(rows[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the ascending numbers are below `row`: where it stands, or would stand, among them. */
export function countBelow(rows: Ascending, row: number): number {
  return countWhile(rows, (one) => one < row);
}

/** `out` gives the rows left out, ascending, each once; asked anew at each question, so that they may grow at their end. */
export function rowGaps(out: () => Ascending): RowGaps {
  return {
    length: (count) => count - countBelow(out(), count),
    // Before the row left out as number `at` there are `row - at` rows that are left.
    rowAt: (position) => position + countWhile(out(), (row, at) => row - at <= position),
    positionOf: (row) => row - countBelow(out(), row),
    isOut(row) {
      const rows = out();
      return rows[countBelow(rows, row)] === row;
    },
    each(count, visit) {
      const rows = out();
      let at = 0;
      for (let row = 0; row < count; row += 1) {
        if (rows[at] === row) at += 1;
        else visit(row);
      }
    },
  };
}
