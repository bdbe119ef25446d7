/** Which rows of a long list are drawn: those in view and some beyond, in steps, so that a small move draws nothing anew. Knows nothing of the page. */

export interface RowWindow {
  readonly first: number;
  /** One past the last. */
  readonly end: number;
}

/** Drawn beyond each end of the view. */
const BEYOND = 6;
const STEP = 4;

/** `top` is the offset within the list, px; `row` and `view` are heights, px. */
export function rowWindow(of: { top: number; view: number; row: number; total: number }): RowWindow {
  const { top, view, row, total } = of;
  const inView = Math.floor(Math.max(0, top) / row);
  const size = Math.ceil(view / row) + 1 + 2 * BEYOND + STEP;
  const first = Math.min(Math.floor((inView - BEYOND) / STEP) * STEP, total - size + STEP);
  const from = Math.max(0, first);
  return { first: from, end: Math.max(from, Math.min(total, from + size)) };
}

/**
 * Names for the drawn rows, by which the page knows its elements again: a row that stays in view keeps its name, and after a
 * leap, when none stays, the new rows take over the names of the old, so that elements stay where they are and change their
 * words alone. (By a small move few rows are new; making these anew costs less than moving elements about.)
 */
export function rowNames() {
  let before: RowWindow = { first: 0, end: 0 };
  let shift = 0;
  return {
    /** Call once for each window that is drawn; gives the name of each of its indexes. */
    next(now: RowWindow): (index: number) => number {
      if (now.first >= before.end || now.end <= before.first) shift += before.first - now.first;
      before = now;
      const of = shift;
      return (index) => index + of;
    },
  };
}
