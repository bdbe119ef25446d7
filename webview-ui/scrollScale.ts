/**
 * Lets a list be taller than a browser's tallest element: past that height the scroll bar moves through it in larger steps.
 * Knows nothing of rows.
 */

/** Chromium gives up at 33,554,428 px. */
export const TALLEST = 30_000_000;

export interface ScrollScale {
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
  return { height, toList: (scrollTop) => scrollTop * ratio, toScroll: (offset) => offset / ratio };
}
