/** Reads one line of a log: is its own hash right over the bytes as they stand, and what do its top-level fields say? Knows nothing of the line before. */
import type { Hasher } from "../../ports";
import { canonicalText, type Json } from "./canonical";
import { ascii, QUOTE, sameBytes } from "./lineBytes";
import { createLineScanner, type Place } from "./lineScan";
import { parseObject } from "./parse";

/** `,"record_hash":"` + 64 hex + `"}` */
export const SUFFIX_BYTES = 82;
const SUFFIX_START = ascii(',"record_hash":"');
const HASH_BYTES = 64;
const encoder = new TextEncoder();
const LETTER_N = 0x6e;
const CALL = "call";
const RESULT = "result";

export interface LinePorts {
  readonly hash: Hasher;
  /** SHA-256 of these bytes, 64 lower-case hex digits. */
  readonly hashBytes: (bytes: Uint8Array, start: number, end: number) => string;
  readonly isUtf8: (bytes: Uint8Array, start: number, end: number) => boolean;
  /** These bytes, all ASCII, as text. */
  readonly ascii: (bytes: Uint8Array, start: number, end: number) => string;
}

export interface LineAt {
  /** Bytes; one may be changed while the call lasts. */
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Without the LF. */
  readonly end: number;
  /** Byte offset in the file. */
  readonly offset: number;
  /** False for a last line without LF. */
  readonly terminated: boolean;
}

/** What a line says of itself, whatever its spelling. */
export interface Reading {
  readonly ownHash: "right" | "respelt" | "wrong";
  readonly stated: string;
  readonly computed: string;
  /** Undefined = the record has no such field. */
  readonly prevHash: string | null | undefined;
  readonly seq: number;
  readonly logId: string | undefined;
  /** Empty = none that is a text. */
  readonly event: string;
  readonly hasFindings: boolean;
}

export type ReadLine = (at: Pick<LineAt, "bytes" | "start" | "end">) => Reading | undefined;

/** Reads single lines; undefined = no record of any kind. */
export function createLineReader(ports: LinePorts): ReadLine {
  const scan = createLineScanner();
  let lastLogId = "";
  /** The hash that was computed last, as text and as bytes: mostly the next line names it. */
  let lastHash = "";
  const hash = new Uint8Array(HASH_BYTES);
  const hashWords = new DataView(hash.buffer);

  /** Undefined where no text stands. */
  function inside(bytes: Uint8Array, place: Place): string | undefined {
    if (place.start === -1 || bytes[place.start] !== QUOTE) return undefined;
    return ports.ascii(bytes, place.start + 1, place.end - 1);
  }

  /** Whether these bytes are the hash that was computed last. */
  const isHash = (words: DataView, from: number): boolean =>
    sameBytes(words, from, hashWords, 0, HASH_BYTES) === HASH_BYTES;

  /** Mostly the hash of the line before: no new text for it either. */
  function prevOf(bytes: Uint8Array, words: DataView, place: Place): string | null | undefined {
    const { start, end } = place;
    if (end - start === HASH_BYTES + 2 && lastHash !== "" && isHash(words, start + 1)) return lastHash;
    return bytes[start] === LETTER_N ? null : inside(bytes, place);
  }

  /** Nearly all are calls and results: no new text for them. */
  function eventText(bytes: Uint8Array, event: Place): string {
    if (isTextBetween(bytes, event, CALL)) return CALL;
    if (isTextBetween(bytes, event, RESULT)) return RESULT;
    return inside(bytes, event) ?? "";
  }

  /** The bytes as they stand, when they end like a line of ours. */
  function readRaw(at: Parameters<ReadLine>[0]): Reading | undefined {
    const { bytes, start, end } = at;
    const cut = end - SUFFIX_BYTES;
    if (cut <= start || !isSuffix(bytes, cut)) return undefined;
    // The record as it was hashed: its own hash taken out, the brace closed.
    bytes[cut] = 0x7d;
    const { canonical, high, seq, prevHash, logId, event, findings, words } = scan(bytes, start, cut + 1);
    const prev = canonical ? prevOf(bytes, words, prevHash) : undefined;
    const computed = ports.hashBytes(bytes, start, cut + 1);
    bytes[cut] = 0x2c;
    lastHash = computed;
    encoder.encodeInto(computed, hash);
    if (!isHash(words, cut + SUFFIX_START.length))
      return isHex(bytes, cut + SUFFIX_START.length) ? readParsed(at, computed) : undefined;
    const stated = computed;
    if (!canonical || (high && !ports.isUtf8(bytes, start, end))) {
      return { ...readParsed(at, stated), ownHash: "respelt", stated, computed };
    }
    // Mostly the id of the line before: no new text for it.
    const ownLogId = isTextBetween(bytes, logId, lastLogId) ? lastLogId : inside(bytes, logId);
    lastLogId = ownLogId ?? lastLogId;
    return {
      ownHash: "right",
      stated,
      computed,
      prevHash: prev,
      seq,
      logId: ownLogId,
      event: eventText(bytes, event),
      hasFindings: findings,
    };
  }

  /** Another spelling: parse, drop `record_hash`, sort, hash. */
  function readParsed(at: Parameters<ReadLine>[0], computed: string): Reading {
    const value = parseLine(at) ?? {};
    const { record_hash: stated, ...rest } = value;
    const rehashed = rehash(rest as Record<string, Json>, ports.hash);
    const { prev_hash: prev, seq, log_id: logId, event } = value;
    const right =
      typeof stated === "string" &&
      (rehashed === stated || (stated.length === 16 && rehashed?.startsWith(stated) === true));
    return {
      ownHash: right ? "respelt" : "wrong",
      stated: typeof stated === "string" ? stated : computed,
      computed: rehashed ?? computed,
      prevHash: prev === null || typeof prev === "string" ? prev : undefined,
      seq: typeof seq === "number" && Number.isSafeInteger(seq) ? seq : -1,
      logId: typeof logId === "string" ? logId : undefined,
      event: typeof event === "string" ? event : "",
      hasFindings: "findings" in value,
    };
  }

  return (at) => {
    const raw = readRaw(at);
    if (raw !== undefined) return raw;
    if (!mayBeRecord(at)) return undefined;
    const stated = parseLine(at)?.record_hash;
    if (typeof stated !== "string" || !/^(?:[0-9a-f]{16}|[0-9a-f]{64})$/.test(stated)) return undefined;
    return readParsed(at, "");
  };
}

function rehash(fields: Record<string, Json>, hash: Hasher): string | undefined {
  try {
    return hash(canonicalText(fields));
  } catch {
    return undefined;
  }
}

function isText(bytes: Uint8Array, from: number, text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[from + i] !== text.charCodeAt(i)) return false;
  return true;
}

function isSuffix(bytes: Uint8Array, cut: number): boolean {
  if (bytes[cut + 80] !== QUOTE || bytes[cut + 81] !== 0x7d) return false;
  for (let i = 0; i < SUFFIX_START.length; i += 1) if (bytes[cut + i] !== SUFFIX_START[i]) return false;
  return true;
}

/** The string that stands in these quotes. */
function isTextBetween(bytes: Uint8Array, place: Place, text: string): boolean {
  return place.end - place.start === text.length + 2 && isText(bytes, place.start + 1, text);
}

function isHex(bytes: Uint8Array, from: number): boolean {
  for (let i = from; i < from + 64; i += 1) {
    const c = bytes[i] ?? 0;
    if (!((c >= 0x30 && c <= 0x39) || (c >= 0x61 && c <= 0x66))) return false;
  }
  return true;
}

const utf8 = new TextDecoder();

export function decodeLine(at: Pick<LineAt, "bytes" | "start" | "end">): string {
  return utf8.decode(at.bytes.subarray(at.start, at.end));
}

/** Records stay within 64 levels; what goes deeper takes seconds to parse. */
const MAX_DEPTH = 64;

/** Undefined where no object stands, or one deeper than any record. */
export function parseLine(at: Pick<LineAt, "bytes" | "start" | "end">): Record<string, unknown> | undefined {
  return isDeep(at) ? undefined : parseObject(decodeLine(at));
}

function isDeep({ bytes, start, end }: Pick<LineAt, "bytes" | "start" | "end">): boolean {
  let depth = 0;
  let inText = false;
  for (let i = start; i < end; i += 1) {
    const c = bytes[i];
    if (inText && c === 0x5c) i += 1;
    else if (c === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (c === 0x7b || c === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (c === 0x7d || c === 0x5d) depth -= 1;
  }
  return false;
}

/** `{"record_hash":"` + 16 hex + `"}`, the shortest that any writer makes. */
const MIN_BYTES = 34;
const OWN_HASH = '"record_hash"';

/** False for what cannot be a record, told without decoding it: a log may end with millions of such lines. */
function mayBeRecord({ bytes, start, end }: Pick<LineAt, "bytes" | "start" | "end">): boolean {
  if (end - start < MIN_BYTES) return false;
  let first = start;
  let last = end - 1;
  while (isSpace(bytes[first]) && first < last) first += 1;
  while (isSpace(bytes[last]) && last > first) last -= 1;
  if (bytes[first] !== 0x7b || bytes[last] !== 0x7d) return false;
  // Mostly it stands last.
  for (let i = last - OWN_HASH.length; i > first; i -= 1)
    if (bytes[i] === QUOTE && isText(bytes, i, OWN_HASH)) return true;
  return false;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
