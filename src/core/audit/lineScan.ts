/**
 * Reads one record of the log as bytes, without its `record_hash`: is it exactly the canonical form, and where do its own top-level fields stand?
 * Knows nothing of hashes or of the line before. Positions are passed as bare numbers: objects would cost a third of the time.
 */

import {
  ascends,
  BACKSLASH,
  CLOSE,
  CLOSE_LIST,
  COLON,
  COMMA,
  EVENT,
  escapeLength,
  FALSE,
  integerAt,
  keyIs,
  LOG_ID,
  MINUS,
  NULL,
  OPEN,
  OPEN_LIST,
  PREV_HASH,
  QUOTE,
  SEQ,
  skipInteger,
  skipWord,
  TRUE,
} from "./lineBytes";

export interface LineScan {
  /** What was scanned is canonical JSON of the profile. */
  canonical: boolean;
  /** Some byte is outside ASCII: the caller checks the encoding. */
  high: boolean;
  /** -1 = absent or not an integer. */
  seq: number;
  /** Byte positions of the value, quotes included; start -1 = absent. Only fields of the record itself, never ones inside `args`. */
  readonly prevHash: Place;
  readonly logId: Place;
  readonly event: Place;
}

export interface Place {
  start: number;
  end: number;
}

export type ScanLine = (bytes: Uint8Array, start: number, end: number) => LineScan;

const MAX_DEPTH = 64;
const OBJECT = 1;
const ARRAY = 2;

/** What is known while a line is read. */
interface Walk extends LineScan {
  /** Kind of the container at each depth, and where its latest key stands. */
  readonly kind: Uint8Array;
  readonly keyStart: Int32Array;
  readonly keyEnd: Int32Array;
}

/** The scan it returns is reused: read it before the next call. */
export function createLineScanner(): ScanLine {
  const walk: Walk = {
    canonical: false,
    high: false,
    seq: -1,
    prevHash: { start: -1, end: -1 },
    logId: { start: -1, end: -1 },
    event: { start: -1, end: -1 },
    kind: new Uint8Array(MAX_DEPTH + 2),
    keyStart: new Int32Array(MAX_DEPTH + 2),
    keyEnd: new Int32Array(MAX_DEPTH + 2),
  };
  return (bytes, start, end) => {
    walk.high = false;
    walk.seq = -1;
    place(walk.prevHash, -1, -1);
    place(walk.logId, -1, -1);
    place(walk.event, -1, -1);
    walk.canonical = bytes[start] === OPEN && skipDocument(bytes, start, end, walk) === end;
    return walk;
  };
}

/** The whole line; -1 where it is not canonical. */
function skipDocument(bytes: Uint8Array, from: number, limit: number, walk: Walk): number {
  const { kind, keyStart } = walk;
  let depth = 0;
  let i = from;
  for (;;) {
    const c = bytes[i] ?? 0;
    let isEmpty = false;
    if (c === OPEN || c === OPEN_LIST) {
      depth += 1;
      if (depth > MAX_DEPTH) return -1;
      kind[depth] = c === OPEN ? OBJECT : ARRAY;
      keyStart[depth] = -1;
      i += 1;
      isEmpty = bytes[i] === (c === OPEN ? CLOSE : CLOSE_LIST);
      if (!isEmpty) {
        if (c === OPEN) i = skipKey(bytes, i, limit, depth, walk);
        if (i === -1) return -1;
        continue;
      }
    } else {
      const end = c === QUOTE ? skipString(bytes, i, limit, walk) : skipBare(bytes, i, limit);
      if (end === -1) return -1;
      if (depth === 1) noteField(bytes, i, end, walk);
      i = end;
    }
    for (;;) {
      if (depth === 0) return i;
      const next = bytes[i] ?? 0;
      if (next === COMMA && !isEmpty) {
        i = kind[depth] === OBJECT ? skipKey(bytes, i + 1, limit, depth, walk) : i + 1;
        if (i === -1) return -1;
        break;
      }
      if (next !== (kind[depth] === OBJECT ? CLOSE : CLOSE_LIST)) return -1;
      isEmpty = false;
      depth -= 1;
      i += 1;
    }
  }
}

/** Index after the closing quote, or -1. */
function skipString(bytes: Uint8Array, from: number, limit: number, walk: Walk): number {
  let i = from + 1;
  while (i < limit) {
    const c = bytes[i] ?? 0;
    if (c === QUOTE) return i + 1;
    if (c >= 0x20 && c !== BACKSLASH) {
      if (c >= 0x80) walk.high = true;
      i += 1;
    } else {
      const length = c === BACKSLASH ? escapeLength(bytes, i) : 0;
      if (length === 0) return -1;
      i += length;
    }
  }
  return -1;
}

/** Index after `"key":`, or -1; keys are ASCII and ascend strictly, so none comes twice. */
function skipKey(bytes: Uint8Array, from: number, limit: number, depth: number, walk: Walk): number {
  if (bytes[from] !== QUOTE) return -1;
  let i = from + 1;
  for (let c = bytes[i] ?? 0; c !== QUOTE; c = bytes[i] ?? 0) {
    const length = c === BACKSLASH ? escapeLength(bytes, i) : c >= 0x20 && c < 0x7f ? 1 : 0;
    if (length === 0 || i >= limit) return -1;
    i += length;
  }
  const end = i + 1;
  if (bytes[end] !== COLON) return -1;
  const lastStart = walk.keyStart[depth] ?? -1;
  if (lastStart !== -1) {
    const lastEnd = walk.keyEnd[depth] ?? -1;
    if (!ascends(bytes, lastStart, lastEnd, from, end)) return -1;
  }
  walk.keyStart[depth] = from;
  walk.keyEnd[depth] = end;
  return end + 1;
}

/** A number or a literal. */
function skipBare(bytes: Uint8Array, from: number, limit: number): number {
  const c = bytes[from] ?? 0;
  if (c === MINUS || (c >= 0x30 && c <= 0x39)) return skipInteger(bytes, from, limit);
  if (c === 0x74) return skipWord(bytes, from, TRUE);
  if (c === 0x66) return skipWord(bytes, from, FALSE);
  return c === 0x6e ? skipWord(bytes, from, NULL) : -1;
}

function noteField(bytes: Uint8Array, start: number, end: number, walk: Walk): void {
  const from = walk.keyStart[1] ?? 0;
  const to = walk.keyEnd[1] ?? 0;
  switch (to - from - 2) {
    case 3:
      if (keyIs(bytes, from, to, SEQ) && bytes[start] !== QUOTE) walk.seq = integerAt(bytes, start, end);
      break;
    case 5:
      if (keyIs(bytes, from, to, EVENT)) place(walk.event, start, end);
      break;
    case 6:
      if (keyIs(bytes, from, to, LOG_ID)) place(walk.logId, start, end);
      break;
    case 9:
      if (keyIs(bytes, from, to, PREV_HASH)) place(walk.prevHash, start, end);
      break;
  }
}

function place(field: Place, start: number, end: number): void {
  field.start = start;
  field.end = end;
}
