/**
 * Recognises a line that differs from an earlier canonical one in its values alone: same text between the values, and each value
 * in its one spelling, is canonical too. Knows nothing of what fields mean. Most lines of a log have one of a few shapes.
 */
import { BACKSLASH, escapeLength, firstOdd, QUOTE, skipBare } from "./lineBytes";

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
      for (let tried = 0; tried < shapes.length; tried += 1) {
        const index = (latest + tried) % shapes.length;
        const shape = shapes[index];
        if (shape === undefined || !fits(shape, bytes, words, start, end, found)) continue;
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
      };
      next = (next + 1) % MAX_SHAPES;
      latest = index;
      return index;
    },
  };
}

function fits(
  shape: Shape,
  bytes: Uint8Array,
  words: DataView,
  start: number,
  end: number,
  found: ValuePlaces,
): boolean {
  const { count } = shape;
  found.high = false;
  let i = start;
  let between = 0;
  for (let k = 0; k < count; k += 1) {
    const length = (shape.start[k] ?? 0) - between;
    if (i + length >= end || !isSame(words, i, shape.words, between, length)) return false;
    i += length;
    found.start[k] = i;
    i = bytes[i] === QUOTE ? skipString(bytes, words, i, end, found) : skipBare(bytes, i, end);
    if (i === -1) return false;
    found.end[k] = i;
    between = shape.end[k] ?? 0;
  }
  found.count = count;
  return end - i === shape.size - between && isSame(words, i, shape.words, between, end - i);
}

function isSame(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  let i = 0;
  for (; i + 4 <= length; i += 4) if (a.getInt32(aStart + i) !== b.getInt32(bStart + i)) return false;
  for (; i < length; i += 1) if (a.getUint8(aStart + i) !== b.getUint8(bStart + i)) return false;
  return true;
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
