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
  FINDINGS,
  firstOdd,
  integerAt,
  keyIs,
  LOG_ID,
  OPEN,
  OPEN_LIST,
  PREV_HASH,
  QUOTE,
  SEQ,
  skipBare,
} from "./lineBytes";
import { lineShapes, MAX_VALUES, skipString, type ValuePlaces, valuePlaces } from "./lineShape";

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
  /** The record has a field `findings` that is not an empty list. */
  findings: boolean;
  /** The scanned bytes, to be read four at a time. */
  words: DataView;
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
  /** Its values, positions from the start of the line. */
  readonly values: ValuePlaces;
  /** Which of them are fields of the record itself; -1 = absent. */
  fields: Fields;
}

interface Fields {
  seq: number;
  prevHash: number;
  logId: number;
  event: number;
  findings: boolean;
}

/** The scan it returns is reused: read it before the next call. */
export function createLineScanner(): ScanLine {
  const shapes = lineShapes();
  /** For each shape: which of its values the fields of the record are. */
  const fields: Fields[] = [];
  const walk: Walk = {
    canonical: false,
    high: false,
    seq: -1,
    prevHash: { start: -1, end: -1 },
    logId: { start: -1, end: -1 },
    event: { start: -1, end: -1 },
    findings: false,
    kind: new Uint8Array(MAX_DEPTH + 2),
    keyStart: new Int32Array(MAX_DEPTH + 2),
    keyEnd: new Int32Array(MAX_DEPTH + 2),
    words: new DataView(new ArrayBuffer(0)),
    values: valuePlaces(),
    fields: { seq: -1, prevHash: -1, logId: -1, event: -1, findings: false },
  };
  let seen: Uint8Array | undefined;
  return (bytes, start, end) => {
    if (bytes !== seen) {
      seen = bytes;
      walk.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    const known = shapes.match(bytes, walk.words, start, end, walk.values);
    const own = known === -1 ? undefined : fields[known];
    if (own !== undefined) {
      walk.canonical = true;
      walk.high = walk.values.high;
      take(bytes, walk, own);
      return walk;
    }
    walk.high = false;
    walk.values.count = 0;
    walk.seq = -1;
    place(walk.prevHash, -1, -1);
    place(walk.logId, -1, -1);
    place(walk.event, -1, -1);
    walk.findings = false;
    walk.fields = { seq: -1, prevHash: -1, logId: -1, event: -1, findings: false };
    walk.canonical = bytes[start] === OPEN && skipDocument(bytes, start, end, walk) === end;
    if (walk.canonical) {
      const fresh = shapes.learn(bytes, start, end, { ...relative(walk.values, start), high: walk.high });
      if (fresh !== -1) fields[fresh] = walk.fields;
    }
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
      const end = c === QUOTE ? skipString(bytes, walk.words, i, limit, walk) : skipBare(bytes, i, limit);
      if (end === -1) return -1;
      if (depth === 1) noteField(bytes, i, end, walk);
      noteValue(walk.values, i, end);
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

/** Index after `"key":`, or -1; keys are ASCII and ascend strictly, so none comes twice. */
function skipKey(bytes: Uint8Array, from: number, limit: number, depth: number, walk: Walk): number {
  if (bytes[from] !== QUOTE) return -1;
  let i = firstOdd(walk.words, from + 1, limit);
  for (; bytes[i] === BACKSLASH; i = firstOdd(walk.words, i, limit)) {
    const length = escapeLength(bytes, i);
    if (length === 0) return -1;
    i += length;
  }
  if (i >= limit || bytes[i] !== QUOTE) return -1;
  const end = i + 1;
  if (bytes[end] !== COLON) return -1;
  const lastStart = walk.keyStart[depth] ?? -1;
  if (lastStart !== -1) {
    const lastEnd = walk.keyEnd[depth] ?? -1;
    if (!ascends(bytes, lastStart, lastEnd, from, end)) return -1;
  }
  const isEmptyList = bytes[end + 1] === OPEN_LIST && bytes[end + 2] === CLOSE_LIST;
  if (depth === 1 && !isEmptyList && keyIs(bytes, from, end, FINDINGS)) {
    walk.findings = true;
    walk.fields.findings = true;
  }
  walk.keyStart[depth] = from;
  walk.keyEnd[depth] = end;
  return end + 1;
}

/** More than are kept are only counted. */
function noteValue(values: ValuePlaces, start: number, end: number): void {
  if (values.count < MAX_VALUES) {
    values.start[values.count] = start;
    values.end[values.count] = end;
  }
  values.count += 1;
}

/** The value of the latest key of the record itself. */
function noteField(bytes: Uint8Array, start: number, end: number, walk: Walk): void {
  const from = walk.keyStart[1] ?? 0;
  const to = walk.keyEnd[1] ?? 0;
  const { fields, values } = walk;
  if (keyIs(bytes, from, to, SEQ)) {
    fields.seq = values.count;
    walk.seq = seqAt(bytes, start, end);
  } else if (keyIs(bytes, from, to, EVENT)) {
    fields.event = values.count;
    place(walk.event, start, end);
  } else if (keyIs(bytes, from, to, LOG_ID)) {
    fields.logId = values.count;
    place(walk.logId, start, end);
  } else if (keyIs(bytes, from, to, PREV_HASH)) {
    fields.prevHash = values.count;
    place(walk.prevHash, start, end);
  }
}

/** Puts the fields of a line of known shape where the caller reads them. */
function take(bytes: Uint8Array, walk: Walk, own: Fields): void {
  const { start, end } = walk.values;
  placeOf(walk.prevHash, walk.values, own.prevHash);
  placeOf(walk.logId, walk.values, own.logId);
  placeOf(walk.event, walk.values, own.event);
  walk.findings = own.findings;
  walk.seq = own.seq === -1 ? -1 : seqAt(bytes, start[own.seq] ?? 0, end[own.seq] ?? 0);
}

function seqAt(bytes: Uint8Array, start: number, end: number): number {
  return bytes[start] === QUOTE ? -1 : integerAt(bytes, start, end);
}

function placeOf(field: Place, values: ValuePlaces, index: number): void {
  place(
    field,
    index === -1 ? -1 : (values.start[index] ?? -1),
    index === -1 ? -1 : (values.end[index] ?? -1),
  );
}

function place(field: Place, start: number, end: number): void {
  field.start = start;
  field.end = end;
}

/** Positions from the start of the line; used once per shape. */
function relative(values: ValuePlaces, start: number): ValuePlaces {
  const shift = (places: Int32Array): Int32Array => places.map((place) => place - start);
  return { ...values, start: shift(values.start), end: shift(values.end) };
}
