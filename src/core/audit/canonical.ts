/** Canonical JSON of the audit log: RFC 8785, narrowed so that every JSON library agrees on the bytes. Knows nothing of files or hashes. */
import canonicalize from "canonicalize";
import { utf8Length } from "./textBytes";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Stands in for a text that is too long to record. */
export type CutText = (text: string) => Json;

export interface RecordableOptions {
  /** Levels below the value itself; deeper parts become `[too deep]`. At most 60, so that a record stays within 64. */
  readonly maxDepth?: number;
  /** Values copied before the rest becomes `[N more]`; what no record has room for is not looked at either. */
  readonly maxNodes?: number;
  /** UTF-16 units of one text before `cut` stands in for it. */
  readonly maxText?: number;
  readonly cut?: CutText;
}

interface Copying {
  readonly maxDepth: number;
  readonly maxText: number;
  readonly cut: CutText;
  readonly above: Set<object>;
  nodes: number;
  units: number;
}

const MAX_KEY = 200;
/** UTF-16 units of all keys and texts together: more than a record has room for, since its largest part may have to go. */
const MAX_UNITS = 96 * 1024;
/** What a value takes beside its text, and what takes the place of a long one. */
const NODE_UNITS = 8;
const CUT_UNITS = 100;
/** Texts up to this are kept whatever else an object holds. */
const SMALL_TEXT = 1024;
const BIGINT_LIMIT = 2n ** 256n;

/** The canonical text of a value that `toRecordable` made. Throws on anything outside the profile. */
export function canonicalText(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("not a JSON value");
  return text;
}

/** UTF-8 bytes of a value's canonical text, without making that text. */
export function jsonBytes(value: Json): number {
  if (typeof value === "string") return 2 + utf8Length(value) + escapeBytes(value);
  if (typeof value !== "object" || value === null) return String(value).length;
  let bytes = 2;
  let count = 0;
  if (isItems(value)) {
    for (const item of value) bytes += jsonBytes(item);
    count = value.length;
  } else {
    for (const [key, item] of Object.entries(value)) {
      bytes += jsonBytes(key) + 1 + jsonBytes(item);
      count += 1;
    }
  }
  return bytes + Math.max(0, count - 1);
}

function isItems(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

const SHORT_ESCAPES = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);

/** What escapes add to the signs they stand for. */
function escapeBytes(text: string): number {
  let more = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x20 && unit !== 0x22 && unit !== 0x5c) continue;
    more += SHORT_ESCAPES.has(unit) ? 1 : 5;
  }
  return more;
}

/** The same text with lone surrogates replaced, so that every decoder accepts it. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Keys in printable ASCII: anything else is spelt `\u00e9`, so that sorting by bytes and by UTF-16 agree. */
export function asciiKey(key: string): string {
  const short = key.length > MAX_KEY ? `${key.slice(0, MAX_KEY)}[+${key.length - MAX_KEY}]` : key;
  if (/^[\x20-\x7e]*$/.test(short)) return short;
  return short.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A copy of any value whatever that is plain JSON inside the profile: integers, well-formed texts, ASCII keys, bounded depth and size.
 * Never throws: what cannot be read is named in its place. Fractions become `{"$number":"1.5"}`, so that no reader rounds them.
 */
export function toRecordable(value: unknown, options: RecordableOptions = {}): Json {
  const copying: Copying = {
    maxDepth: Math.min(options.maxDepth ?? 60, 60),
    maxText: options.maxText ?? 64 * 1024,
    cut: options.cut ?? ((text) => ({ $truncated: { bytes: utf8Length(text) } })),
    above: new Set(),
    nodes: options.maxNodes ?? 20_000,
    units: MAX_UNITS,
  };
  return copyValue(value, 0, copying) ?? null;
}

/** Undefined = leave the key out, as JSON does. */
function copyValue(value: unknown, depth: number, copying: Copying): Json | undefined {
  copying.nodes -= 1;
  copying.units -= NODE_UNITS;
  switch (typeof value) {
    case "string":
      return copyText(value, copying);
    case "number":
      if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
      return { $number: String(value) };
    case "boolean":
      return value;
    case "bigint":
      // Spelling out a huge one takes quadratic time.
      return {
        $bigint: value < BIGINT_LIMIT && value > -BIGINT_LIMIT ? value.toString() : "[over 256 bits]",
      };
    case "undefined":
      return undefined;
    case "function":
      return "[function]";
    case "symbol":
      return "[symbol]";
    case "object":
      return value === null ? null : copyObject(value, depth, copying);
    default:
      return "[unknown]";
  }
}

function copyText(text: string, copying: Copying): Json {
  const isLong = text.length > copying.maxText || text.length > Math.max(copying.units, CUT_UNITS);
  copying.units -= isLong ? CUT_UNITS : text.length;
  return isLong ? copying.cut(text) : wellFormed(text);
}

function copyObject(value: object, depth: number, copying: Copying): Json {
  if (copying.above.has(value)) return "[circular]";
  if (depth >= copying.maxDepth) return "[too deep]";
  copying.above.add(value);
  try {
    return copyContainer(value, depth, copying);
  } catch {
    return "[unreadable]";
  } finally {
    copying.above.delete(value);
  }
}

function copyContainer(value: object, depth: number, copying: Copying): Json {
  if (Array.isArray(value)) return copyItems(value, value.length, { depth, copying });
  if (value instanceof Set) return copyItems(value.values(), value.size, { depth, copying });
  if (value instanceof Map)
    return { $map: copyItems(value.entries(), value.size, { depth: depth + 1, copying }) };
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return { $bytes: value.byteLength };
  if (value instanceof RegExp) return copyText(String(value), copying);
  if (value instanceof Error) {
    return copyEntries({ name: value.name, message: value.message }, depth, copying);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const plain: unknown = value.toJSON();
    return copyValue(plain, depth + 1, copying) ?? null;
  }
  return copyEntries(value, depth, copying);
}

function copyItems(
  items: Iterable<unknown>,
  length: number,
  at: { readonly depth: number; readonly copying: Copying },
): Json[] {
  const copy: Json[] = [];
  for (const item of items) {
    if (isSpent(at.copying)) {
      copy.push(`[${length - copy.length} more]`);
      break;
    }
    copy.push(copyValue(item, at.depth + 1, at.copying) ?? null);
  }
  return copy;
}

function isSpent({ nodes, units }: Copying): boolean {
  return nodes <= 0 || units <= 0;
}

interface Member {
  readonly key: string;
  readonly item: unknown;
}

/** Small members first, so that a large one beside them takes no room from them: their order means nothing. */
function copyEntries(value: object, depth: number, copying: Copying): JsonObject {
  // No prototype: a key named __proto__ is data like any other.
  const copy: Record<string, Json> = Object.create(null);
  const free = freeKeys(copy);
  const keys = Object.keys(value);
  const members = keys.slice(0, Math.max(0, copying.nodes)).map((key) => readMember(value, key));
  let taken = 0;
  for (const { key, item } of [...members.filter(isSmall), ...members.filter((one) => !isSmall(one))]) {
    if (isSpent(copying)) break;
    taken += 1;
    const spelt = asciiKey(key);
    copying.units -= spelt.length;
    const copied = copyValue(item, depth + 1, copying);
    if (copied !== undefined) copy[free(spelt)] = copied;
  }
  if (taken < keys.length) copy[free("[more]")] = keys.length - taken;
  return copy;
}

function isSmall({ item }: Member): boolean {
  return typeof item === "string" ? item.length <= SMALL_TEXT : typeof item !== "object" || item === null;
}

function readMember(value: object, key: string): Member {
  try {
    const item: unknown = Reflect.get(value, key);
    return { key, item };
  } catch {
    return { key, item: "[unreadable]" };
  }
}

/** Keys may become one spelling; no value may get lost, nor may many of them take the square of their number. */
function freeKeys(taken: JsonObject): (key: string) => string {
  const next = new Map<string, number>();
  return (key) => {
    if (!Object.hasOwn(taken, key)) return key;
    let n = next.get(key) ?? 2;
    while (Object.hasOwn(taken, `${key}#${n}`)) n += 1;
    next.set(key, n + 1);
    return `${key}#${n}`;
  };
}
