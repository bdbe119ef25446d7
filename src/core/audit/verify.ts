/** Checks a log line by line: own hash over the bytes as they stand, link, number, log. A step machine; knows nothing of files. */
import type { Hasher } from "../../ports";
import { canonicalText, type Json } from "./canonical";
import { createLineScanner, type Place } from "./lineScan";
import { parseObject, parseRecord } from "./parse";
import { type DamageKind, damageBook, type Head, type VerifyReport } from "./verifyReport";

/** `,"record_hash":"` + 64 hex + `"}` */
export const SUFFIX_BYTES = 82;
const RECOVERED = "log.recovered";
const SUFFIX_START = ',"record_hash":"';

export interface VerifyPorts {
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

export interface Verifier {
  step(line: LineAt): void;
  /** `size` = bytes of the file. */
  finish(size: number): VerifyReport;
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
  readonly isRecovery: boolean;
}

export type ReadLine = (at: Pick<LineAt, "bytes" | "start" | "end">) => Reading | undefined;

export function createVerifier(ports: VerifyPorts, options: { readonly head?: Head } = {}): Verifier {
  const read = createLineReader(ports);
  const book = damageBook(options.head);
  let line = 0;
  let seq = 0;
  /** Hashes that the next record may name; two after a record whose own hash is wrong. */
  let links: readonly (string | null)[] = [null];
  let logId: string | undefined;
  let numbered = false;
  let lastOffset = 0;

  function check(at: LineAt, reading: Reading): DamageKind | undefined {
    const unknown = reading.seq < 0;
    if (numbered && unknown) return reading.ownHash === "wrong" ? modified(reading) : "foreign";
    if (!numbered && !unknown) {
      numbered = true;
      logId ??= reading.logId;
      // Records without numbers may come before, from another writer of the same chain.
      if (line > 1) seq = reading.seq - 1;
    }
    if (reading.ownHash === "wrong") return modified(reading);
    const linked = reading.prevHash !== undefined && links.includes(reading.prevHash);
    if (unknown) {
      links = [reading.stated];
      if (reading.ownHash === "respelt") book.warnRespelt(line);
      return linked ? undefined : "unlinked";
    }
    return checkNumbered(at, reading, linked);
  }

  function checkNumbered(at: LineAt, reading: Reading, linked: boolean): DamageKind | undefined {
    book.sawRecord({ line, offset: at.offset, seq: reading.seq, hash: reading.stated });
    if (reading.logId !== logId) return "foreign";
    if (reading.seq <= seq) return book.fillGap(reading.seq) ? undefined : "inserted";
    const gap = reading.seq - seq - 1;
    if (gap > 0) book.openGap({ from: seq + 1, to: reading.seq - 1, line });
    seq = reading.seq;
    links = [reading.stated];
    if (gap > 0) return linked ? "rewritten" : "deleted";
    if (!linked) return "rewritten";
    return reading.ownHash === "respelt" ? "respelt" : undefined;
  }

  /** The record counts as the next one, whatever its bytes now say. */
  function modified(reading: Reading): DamageKind {
    seq += 1;
    links = [reading.stated, reading.computed];
    return "modified";
  }

  /** The writer itself met damage and went on: it says so in the log. */
  function noteRecovery(at: LineAt): void {
    const what = parseRecord(decode(at))?.data?.what;
    book.warn(`line ${line} records a recovery (${typeof what === "string" ? what : "unknown"})`);
    if (what === "head_differs") book.add({ line: line - 1, offset: lastOffset, kind: "rewritten" });
  }

  return {
    step(at) {
      line += 1;
      if (!at.terminated) {
        book.add({ line, offset: at.offset, kind: "torn" });
        return;
      }
      const reading = read(at);
      if (reading?.stated.length === 16) book.warn("some record_hash values are shortened to 16 digits");
      if (reading?.isRecovery === true) noteRecovery(at);
      const kind = reading === undefined ? "foreign" : check(at, reading);
      if (kind !== undefined) book.add({ line, offset: at.offset, kind });
      lastOffset = at.offset;
    },
    finish(size) {
      return book.report({ lines: line, size, level: numbered || line === 0 ? 1 : 0, logId });
    },
  };
}

/** Reads single lines; undefined = no record of any kind. */
export function createLineReader(ports: VerifyPorts): ReadLine {
  const scan = createLineScanner();
  let lastLogId = "";

  /** The bytes as they stand, when they end like a line of ours. */
  function readRaw(at: Parameters<ReadLine>[0]): Reading | undefined {
    const { bytes, start, end } = at;
    const cut = end - SUFFIX_BYTES;
    if (cut <= start || !isSuffix(bytes, cut)) return undefined;
    // The record as it was hashed: its own hash taken out, the brace closed.
    bytes[cut] = 0x7d;
    const { canonical, high, seq, prevHash, logId, event } = scan(bytes, start, cut + 1);
    const computed = ports.hashBytes(bytes, start, cut + 1);
    bytes[cut] = 0x2c;
    if (!isText(bytes, cut + 16, computed))
      return isHex(bytes, cut + 16) ? readParsed(at, computed) : undefined;
    const stated = computed;
    if (!canonical || (high && !ports.isUtf8(bytes, start, end))) {
      return { ...readParsed(at, stated), ownHash: "respelt", stated, computed };
    }
    const inside = (place: Place) => ports.ascii(bytes, place.start + 1, place.end - 1);
    // Mostly the id of the line before: no new text for it.
    if (logId.start !== -1 && !isTextBetween(bytes, logId, lastLogId)) lastLogId = inside(logId);
    return {
      ownHash: "right",
      stated,
      computed,
      prevHash:
        prevHash.start === -1 ? undefined : prevHash.end - prevHash.start === 4 ? null : inside(prevHash),
      seq,
      logId: logId.start === -1 ? undefined : lastLogId,
      isRecovery: isTextBetween(bytes, event, RECOVERED),
    };
  }

  /** Another spelling: parse, drop `record_hash`, sort, hash. */
  function readParsed(at: Parameters<ReadLine>[0], computed: string): Reading {
    const value = parseObject(decode(at)) ?? {};
    const { record_hash: stated, ...rest } = value;
    const rehashed = rehash(rest as Record<string, Json>, ports.hash);
    const { prev_hash: prev, seq, log_id: logId } = value;
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
      isRecovery: false,
    };
  }

  return (at) => {
    const raw = readRaw(at);
    if (raw !== undefined) return raw;
    const stated = parseObject(decode(at))?.record_hash;
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
  return bytes[cut + 80] === 0x22 && bytes[cut + 81] === 0x7d && isText(bytes, cut, SUFFIX_START);
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

function decode(at: Pick<LineAt, "bytes" | "start" | "end">): string {
  return new TextDecoder().decode(at.bytes.subarray(at.start, at.end));
}
