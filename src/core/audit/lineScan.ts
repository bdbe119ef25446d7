/** Reads one line of the log as bytes: is it exactly the canonical form, and where do its own top-level fields stand? Knows nothing of hashes or of the line before. */

export interface LineScan {
  /** The line is canonical JSON of the profile, with `record_hash` last if it has one. */
  canonical: boolean;
  /** Some byte is outside ASCII: the caller checks the encoding. */
  high: boolean;
  /** -1 = absent or not an integer. */
  seq: number;
  /** Byte positions of the value, quotes included; start -1 = absent. Only fields of the record itself, never ones inside `args`. */
  readonly prevHash: Place;
  readonly logId: Place;
  readonly event: Place;
  readonly recordHash: Place;
}

export interface Place {
  start: number;
  end: number;
}

export type ScanLine = (bytes: Uint8Array, start: number, end: number) => LineScan;

const MAX_DEPTH = 64;
const OBJECT = 1;
const ARRAY = 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The scan it returns is reused: read it before the next call. */
export function createLineScanner(): ScanLine {
  const kind = new Uint8Array(MAX_DEPTH + 2);
  const keyStart = new Int32Array(MAX_DEPTH + 2);
  const keyEnd = new Int32Array(MAX_DEPTH + 2);
  const scan: LineScan = {
    canonical: false,
    high: false,
    seq: -1,
    prevHash: { start: -1, end: -1 },
    logId: { start: -1, end: -1 },
    event: { start: -1, end: -1 },
    recordHash: { start: -1, end: -1 },
  };
  let bytes = new Uint8Array(0);
  let limit = 0;

  /** Index after the closing quote, or -1. */
  function skipString(from: number): number {
    if (bytes[from] !== QUOTE) return -1;
    for (let i = from + 1; i < limit; i += 1) {
      const c = bytes[i] ?? 0;
      if (c === QUOTE) return i + 1;
      if (c >= 0x80) scan.high = true;
      else if (c === BACKSLASH) {
        const length = escapeLength(bytes, i);
        if (length === 0) return -1;
        i += length - 1;
      } else if (c < 0x20) return -1;
    }
    return -1;
  }

  /** Index after `"key":`, or -1; keys ascend strictly, so none comes twice. */
  function skipKey(from: number, depth: number): number {
    const wasHigh = scan.high;
    scan.high = false;
    const end = skipString(from);
    if (end === -1 || scan.high || bytes[end] !== COLON) return -1;
    scan.high = wasHigh;
    const lastStart = keyStart[depth] ?? -1;
    if (lastStart !== -1) {
      const lastEnd = keyEnd[depth] ?? -1;
      const isHash = depth === 1 && keyIs(bytes, { start: from, end }, RECORD_HASH);
      if (depth === 1 && keyIs(bytes, { start: lastStart, end: lastEnd }, RECORD_HASH)) return -1;
      if (!isHash && !ascends(bytes, { start: lastStart, end: lastEnd }, { start: from, end })) return -1;
    }
    keyStart[depth] = from;
    keyEnd[depth] = end;
    return end + 1;
  }

  function skipScalar(from: number): number {
    const c = bytes[from] ?? 0;
    if (c === QUOTE) return skipString(from);
    if (c === MINUS || (c >= 0x30 && c <= 0x39)) return skipInteger(bytes, from, limit);
    if (c === 0x74) return skipWord(bytes, from, TRUE);
    if (c === 0x66) return skipWord(bytes, from, FALSE);
    return c === 0x6e ? skipWord(bytes, from, NULL) : -1;
  }

  function noteField(start: number, end: number): void {
    const key = { start: keyStart[1] ?? 0, end: keyEnd[1] ?? 0 };
    switch (key.end - key.start - 2) {
      case 3:
        if (keyIs(bytes, key, SEQ) && bytes[start] !== QUOTE) scan.seq = integerAt(bytes, start, end);
        break;
      case 5:
        if (keyIs(bytes, key, EVENT)) place(scan.event, start, end);
        break;
      case 6:
        if (keyIs(bytes, key, LOG_ID)) place(scan.logId, start, end);
        break;
      case 9:
        if (keyIs(bytes, key, PREV_HASH)) place(scan.prevHash, start, end);
        break;
      case 11:
        if (keyIs(bytes, key, RECORD_HASH)) place(scan.recordHash, start, end);
        break;
    }
  }

  /** The whole line; -1 at the first byte that is not canonical. */
  function skipDocument(from: number): number {
    let depth = 0;
    let i = from;
    for (;;) {
      const c = bytes[i] ?? 0;
      let closed = false;
      if (c === OPEN || c === OPEN_LIST) {
        depth += 1;
        if (depth > MAX_DEPTH) return -1;
        kind[depth] = c === OPEN ? OBJECT : ARRAY;
        keyStart[depth] = -1;
        i += 1;
        closed = bytes[i] === (c === OPEN ? CLOSE : CLOSE_LIST);
        if (!closed) {
          if (c === OPEN) i = skipKey(i, depth);
          if (i === -1) return -1;
          continue;
        }
      } else {
        const end = skipScalar(i);
        if (end === -1) return -1;
        if (depth === 1) noteField(i, end);
        i = end;
      }
      for (;;) {
        if (depth === 0) return i;
        const next = bytes[i] ?? 0;
        if (next === COMMA && !closed) {
          i = kind[depth] === OBJECT ? skipKey(i + 1, depth) : i + 1;
          if (i === -1) return -1;
          break;
        }
        if (next !== (kind[depth] === OBJECT ? CLOSE : CLOSE_LIST)) return -1;
        closed = false;
        depth -= 1;
        i += 1;
      }
    }
  }

  return (line, start, end) => {
    bytes = line as Uint8Array<ArrayBuffer>;
    limit = end;
    scan.high = false;
    scan.seq = -1;
    for (const field of [scan.prevHash, scan.logId, scan.event, scan.recordHash]) place(field, -1, -1);
    scan.canonical = bytes[start] === OPEN && skipDocument(start) === end;
    return scan;
  };
}

function place(field: Place, start: number, end: number): void {
  field.start = start;
  field.end = end;
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

const TRUE = ascii("true");
const FALSE = ascii("false");
const NULL = ascii("null");
const SEQ = ascii("seq");
const EVENT = ascii("event");
const LOG_ID = ascii("log_id");
const PREV_HASH = ascii("prev_hash");
const RECORD_HASH = ascii("record_hash");

function keyIs(bytes: Uint8Array, key: Place, name: Uint8Array): boolean {
  if (key.end - key.start - 2 !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (bytes[key.start + 1 + i] !== name[i]) return false;
  return true;
}

function skipWord(bytes: Uint8Array, from: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i += 1) if (bytes[from + i] !== word[i]) return -1;
  return from + word.length;
}

/** Minimal decimal integers up to 2^53-1; `-0` and leading zeros are not canonical. */
function skipInteger(bytes: Uint8Array, from: number, limit: number): number {
  let i = bytes[from] === MINUS ? from + 1 : from;
  const digits = i;
  while (i < limit && (bytes[i] ?? 0) >= 0x30 && (bytes[i] ?? 0) <= 0x39) i += 1;
  if (i === digits || i - digits > 16) return -1;
  if (bytes[digits] === 0x30 && (i - digits > 1 || digits !== from)) return -1;
  if (i - digits === 16 && !Number.isSafeInteger(integerAt(bytes, digits, i))) return -1;
  return i;
}

function integerAt(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i += 1) {
    const digit = (bytes[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Length of an escape in its one canonical spelling; 0 = another spelling. */
function escapeLength(bytes: Uint8Array, at: number): number {
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
  const hasShortForm = high === 0x30 && (low === 0x38 || low === 0x39 || low === 0x61 || low === 0x63 || low === 0x64);
  return hasShortForm ? 0 : 6;
}

function ascends(bytes: Uint8Array, a: Place, b: Place): boolean {
  const length = Math.min(a.end - a.start, b.end - b.start) - 2;
  for (let i = 1; i <= length; i += 1) {
    const x = bytes[a.start + i] ?? 0;
    const y = bytes[b.start + i] ?? 0;
    if (x === BACKSLASH || y === BACKSLASH) return decoded(bytes, a) < decoded(bytes, b);
    if (x !== y) return x < y;
  }
  return a.end - a.start < b.end - b.start;
}

function decoded(bytes: Uint8Array, key: Place): string {
  return String(JSON.parse(new TextDecoder().decode(bytes.subarray(key.start, key.end))));
}
