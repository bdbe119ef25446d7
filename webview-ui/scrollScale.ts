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
