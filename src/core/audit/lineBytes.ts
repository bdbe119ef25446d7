/** Bytes of canonical JSON: numbers, literals, escapes, names, each in its one spelling. Knows nothing of records. Positions are bare numbers, for speed. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

export const TRUE = ascii("true");
export const FALSE = ascii("false");
export const NULL = ascii("null");
export const SEQ = ascii("seq");
export const FINDINGS = ascii("findings");
export const EVENT = ascii("event");
export const LOG_ID = ascii("log_id");
export const PREV_HASH = ascii("prev_hash");

export function keyIs(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start - 2 !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (bytes[start + 1 + i] !== name[i]) return false;
  return true;
}

export function skipWord(bytes: Uint8Array, from: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i += 1) if (bytes[from + i] !== word[i]) return -1;
  return from + word.length;
}

/** Minimal decimal integers up to 2^53-1; `-0` and leading zeros are not canonical. */
export function skipInteger(bytes: Uint8Array, from: number, limit: number): number {
  let i = bytes[from] === MINUS ? from + 1 : from;
  const digits = i;
  while (i < limit && (bytes[i] ?? 0) >= 0x30 && (bytes[i] ?? 0) <= 0x39) i += 1;
  if (i === digits || i - digits > 16) return -1;
  if (bytes[digits] === 0x30 && (i - digits > 1 || digits !== from)) return -1;
  if (i - digits === 16 && !Number.isSafeInteger(integerAt(bytes, digits, i))) return -1;
  return i;
}

export function integerAt(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i += 1) {
    const digit = (bytes[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Length of an escape in its one canonical spelling; 0 = another spelling. */
export function escapeLength(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2;
    case 0x75: // u00xx, lower case, only for controls without a short form
      break;
    default:
      return 0;
  }
  if (bytes[at + 2] !== 0x30 || bytes[at + 3] !== 0x30) return 0;
  const high = bytes[at + 4];
  if (high !== 0x30 && high !== 0x31) return 0;
  const low = bytes[at + 5] ?? 0;
  if (!((low >= 0x30 && low <= 0x39) || (low >= 0x61 && low <= 0x66))) return 0;
  const hasShortForm =
    high === 0x30 && (low === 0x38 || low === 0x39 || low === 0x61 || low === 0x63 || low === 0x64);
  return hasShortForm ? 0 : 6;
}

export function ascends(
  bytes: Uint8Array,
  aStart: number,
  aEnd: number,
  bStart: number,
  bEnd: number,
): boolean {
  const length = Math.min(aEnd - aStart, bEnd - bStart) - 2;
  for (let i = 1; i <= length; i += 1) {
    const a = bytes[aStart + i] ?? 0;
    const b = bytes[bStart + i] ?? 0;
    if (a === BACKSLASH || b === BACKSLASH)
      return decoded(bytes, aStart, aEnd) < decoded(bytes, bStart, bEnd);
    if (a !== b) return a < b;
  }
  return aEnd - aStart < bEnd - bStart;
}

function decoded(bytes: Uint8Array, start: number, end: number): string {
  return String(JSON.parse(new TextDecoder().decode(bytes.subarray(start, end))));
}

/**
 * Where the next character stands that needs a look of its own: a quote, a backslash, or one outside printable ASCII.
 * Four bytes at a time: one of the terms sets the top bit of such a byte; what a carry or borrow adds stands above the first of them.
 */
export function firstOdd(words: DataView, from: number, limit: number): number {
  const end = words.byteLength - 4;
  let i = from;
  for (; i <= end && i < limit; i += 4) {
    const word = words.getInt32(i, true);
    const odd =
      (word | (word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101)) &
      0x80808080;
    if (odd !== 0) return i + ((31 - Math.clz32(odd & -odd)) >> 3);
  }
  for (; i < limit; i += 1) {
    const c = words.getUint8(i);
    if (c === QUOTE || c === BACKSLASH || c < 0x20 || c >= 0x7f) return i;
  }
  return limit;
}

/**
 * How many of the first `limit` bytes are the same in both; no byte of `b` is 0. Eight at a time, as one number: where `b` is no
 * zero, two of them are equal only if all their bits are, and what is no number equals nothing, so that it is looked at again.
 */
export function sameBytes(a: DataView, aStart: number, b: DataView, bStart: number, limit: number): number {
  let i = 0;
  // Four in a row, since the test of the end takes longer than the comparison.
  while (
    i + 32 <= limit &&
    a.getFloat64(aStart + i, true) === b.getFloat64(bStart + i, true) &&
    a.getFloat64(aStart + i + 8, true) === b.getFloat64(bStart + i + 8, true) &&
    a.getFloat64(aStart + i + 16, true) === b.getFloat64(bStart + i + 16, true) &&
    a.getFloat64(aStart + i + 24, true) === b.getFloat64(bStart + i + 24, true)
  )
    i += 32;
  while (i + 8 <= limit && a.getFloat64(aStart + i, true) === b.getFloat64(bStart + i, true)) i += 8;
  for (; i + 4 <= limit; i += 4) {
    const differs = a.getInt32(aStart + i, true) ^ b.getInt32(bStart + i, true);
    if (differs !== 0) return i + ((31 - Math.clz32(differs & -differs)) >> 3);
  }
  while (i < limit && a.getUint8(aStart + i) === b.getUint8(bStart + i)) i += 1;
  return i;
}

/** A number or a literal. */
export function skipBare(bytes: Uint8Array, from: number, limit: number): number {
  const c = bytes[from] ?? 0;
  if (c === MINUS || (c >= 0x30 && c <= 0x39)) return skipInteger(bytes, from, limit);
  if (c === 0x74) return skipWord(bytes, from, TRUE);
  if (c === 0x66) return skipWord(bytes, from, FALSE);
  return c === 0x6e ? skipWord(bytes, from, NULL) : -1;
}
