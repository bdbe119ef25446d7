/**
 * Lets a list be taller than a browser's tallest element: past that height the scroll bar moves through it in larger steps.
 * Knows nothing of rows.
 */

/** Chromium places what is drawn with 24 bits of precision: past 16,777,216 px rows no longer meet their neighbours. */
export const TALLEST = 15_000_000;

export interface ScrollScale {
  /** How many px of the list one px of the scroll bar moves. */
  readonly ratio: number;
  /** Height of the element that is scrolled, px. */
  readonly height: number;
  /** Offset within the list for a scroll position, and back. */
  toList(scrollTop: number): number;
  toScroll(offset: number): number;
}

export function scrollScale(listHeight: number, viewHeight: number, tallest = TALLEST): ScrollScale {
  const height = Math.min(listHeight, tallest);
  const far = Math.max(1, height - viewHeight);
  const ratio = listHeight <= tallest ? 1 : (listHeight - viewHeight) / far;
  return { ratio, height, toList: (scrollTop) => scrollTop * ratio, toScroll: (offset) => offset / ratio };
}

/** The scroll position that shows a row, in the middle or just so; unchanged when `nearest` and it is in view. */
export function scrollFor(
  scale: ScrollScale,
  row: { start: number; size: number; scrollTop: number; view: number; where: "center" | "nearest" },
): number {
  const { start, size, scrollTop, view, where } = row;
  const top = scale.toList(scrollTop);
  const above = start < top;
  if (where === "nearest" && !above && start + size <= top + view) return scrollTop;
  const to = where === "center" ? start - (view - size) / 2 : above ? start : start + size - view;
  const wanted = Math.max(0, scale.toScroll(to));
  // A scroll bar stops at whole px: the row must be in view whole, not nearly so.
  return above ? Math.floor(wanted) : Math.ceil(wanted);
}
