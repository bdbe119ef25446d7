/**
 * Recognises a line that differs from an earlier canonical one in its values alone: same text between the values, and each value
 * in its one spelling, is canonical too. Knows nothing of what fields mean. Most lines of a log have one of a few shapes.
 */
import { BACKSLASH, escapeLength, firstOdd, QUOTE, sameBytes, skipBare } from "./lineBytes";

/** Values of a line in their order, as byte positions from its start. */
export interface ValuePlaces {
  count: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Some byte is outside ASCII. */
  high: boolean;
}

export interface LineShapes {
  /** True when the line has a known shape; its values are then in `found`. */
  match(bytes: Uint8Array, words: DataView, start: number, end: number, found: ValuePlaces): number;
  /** Keeps the shape of a canonical line under a free number. */
  learn(bytes: Uint8Array, start: number, end: number, values: ValuePlaces): number;
}

interface Shape {
  readonly words: DataView;
  readonly size: number;
  readonly count: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** Which of its values hold a byte outside ASCII. */
  readonly high: readonly boolean[];
  /** The shape that the line after the last one like this had: calls and their results take turns. */
  successor: number;
}

export const MAX_VALUES = 256;
const MAX_SHAPES = 8;
const MAX_BYTES = 16 * 1024;

export function valuePlaces(): ValuePlaces {
  return { count: 0, start: new Int32Array(MAX_VALUES), end: new Int32Array(MAX_VALUES), high: false };
}

export function lineShapes(): LineShapes {
  const shapes: Shape[] = [];
  let latest = 0;
  let next = 0;
  return {
    match(bytes, words, start, end, found) {
      const before = shapes[latest];
      const likely = before?.successor ?? 0;
      for (let tried = 0; tried < shapes.length; tried += 1) {
        const index = (likely + tried) % shapes.length;
        const shape = shapes[index];
        if (shape === undefined || !fits(shape, bytes, words, start, end, found)) continue;
        if (before !== undefined) before.successor = index;
        latest = index;
        return index;
      }
      return -1;
    },
    learn(bytes, start, end, values) {
      if (values.count === 0 || values.count > MAX_VALUES || end - start > MAX_BYTES) return -1;
      // A true copy: the caller's bytes are lent, and a Buffer's own slice would be a view of them.
      const copy = Uint8Array.from(bytes.subarray(start, end));
      const index = next;
      shapes[index] = {
        words: new DataView(copy.buffer, copy.byteOffset, copy.byteLength),
        size: copy.length,
        count: values.count,
        start: values.start.slice(0, values.count),
        end: values.end.slice(0, values.count),
        high: values.high ? highValues(copy, values) : [],
        successor: index,
      };
      next = (next + 1) % MAX_SHAPES;
      latest = index;
      return index;
    },
  };
}

function highValues(bytes: Uint8Array, { count, start, end }: ValuePlaces): boolean[] {
  return Array.from({ length: count }, (_, k) =>
    bytes.subarray(start[k], end[k]).some((byte) => byte > 0x7f),
  );
}

/**
 * A value that stands in the line as it stands in the shape needs no look: only where the two differ one is read anew, from its
 * start. It counts as the same only once the byte after it is the same too, for `12` begins like `123`.
 */
function fits(
  shape: Shape,
  bytes: Uint8Array,
  words: DataView,
  start: number,
  end: number,
  found: ValuePlaces,
): boolean {
  const { count, size } = shape;
  found.high = false;
  found.count = count;
  let i = start;
  /** Where the same text stands in the shape. */
  let at = 0;
  for (let k = 0; ; k += 1) {
    const same = sameBytes(words, i, shape.words, at, Math.min(end - i, size - at));
    i += same;
    at += same;
    for (; k < count && (shape.end[k] ?? 0) < at; k += 1) {
      if (shape.high[k] === true) found.high = true;
      found.start[k] = (shape.start[k] ?? 0) + i - at;
      found.end[k] = (shape.end[k] ?? 0) + i - at;
    }
    if (at === size) return i === end;
    const begin = shape.start[k] ?? 0;
    if (k === count || begin > at) return false;
    const from = i - at + begin;
    i = bytes[from] === QUOTE ? skipString(bytes, words, from, end, found) : skipBare(bytes, from, end);
    if (i === -1) return false;
    found.start[k] = from;
    found.end[k] = i;
    at = shape.end[k] ?? 0;
  }
}

/** Index after the closing quote, or -1. */
export function skipString(
  bytes: Uint8Array,
  words: DataView,
  from: number,
  limit: number,
  seen: { high: boolean },
): number {
  let i = from + 1;
  for (;;) {
    i = firstOdd(words, i, limit);
    if (i >= limit) return -1;
    const c = bytes[i] ?? 0;
    if (c === QUOTE) return i + 1;
    if (c >= 0x7f) {
      if (c !== 0x7f) seen.high = true;
      i += 1;
    } else {
      const length = c === BACKSLASH ? escapeLength(bytes, i) : 0;
      if (length === 0) return -1;
      i += length;
    }
  }
}
