/** From what a writer is given to the fields of a record: plain JSON, secrets taken out, at most 64 KiB. Knows nothing of the chain. */
import {
  type CutText,
  canonicalText,
  type Json,
  type JsonObject,
  jsonBytes,
  toRecordable,
} from "./canonical";
import type { RecordBody } from "./record";
import type { Redaction, Redactor } from "./redact";
import { utf8Length } from "./textBytes";

/** Bytes of a whole line without its LF. */
const MAX_LINE = 64 * 1024;
/** Kept free for what the store adds: seq, ts, log_id, writer, both hashes. */
const STORE_BYTES = 1024;
const MAX_NAME_TEXT = 512;
const MAX_PROSE = 8192;

export interface PrepareOptions {
  readonly redactor: Redactor;
  /** Keyed hash of a text that is left out: equal texts can be recognised, none can be guessed. Hex. */
  readonly hmac: (text: string) => string;
}

const NAMES = [
  "event",
  "call_id",
  "trace_id",
  "session_id",
  "profile",
  "agent",
  "subagent",
  "tool",
  "decision",
  "by",
  "ask_id",
  "approver",
  "policy_digest",
] as const;
const PROSE = ["reason", "error"] as const;
const TREES = ["args", "data", "findings", "trail", "result"] as const;

/** The fields of a record, without those that the store adds. Unknown fields of the body are not recorded. */
export function prepareBody(body: RecordBody, options: PrepareOptions): JsonObject {
  const redactions: Redaction[] = [];
  const fields: Record<string, Json> = {};
  const preparing: Preparing = { ...options, redactions, cut: cutTexts(options) };
  for (const name of [...NAMES, ...PROSE]) {
    const value: unknown = body[name];
    if (value === undefined || value === null) continue;
    const limit = name === "reason" || name === "error" ? MAX_PROSE : MAX_NAME_TEXT;
    fields[name] = preparedText(String(value), name, { ...preparing, limit });
  }
  for (const name of TREES) {
    const value = body[name];
    if (value !== undefined) fields[name] = preparedTree(value, name, preparing);
  }
  if (body.rewritten !== undefined) fields.rewritten = body.rewritten === true;
  if (body.duration_ms !== undefined) fields.duration_ms = wholeMs(body.duration_ms);
  fields.error ??= null;
  if (redactions.length > 0) fields.redactions = redactions.map((r) => ({ ...r }));
  return shrinkToFit(fields, preparing.cut);
}

/** Prepared fields with one more finding, still within the size of a record. `details` are plain JSON without secrets. */
export function withFinding(
  fields: JsonObject,
  finding: { readonly code: string; readonly message: string; readonly details: JsonObject },
  options: PrepareOptions,
): JsonObject {
  const { code, message, details } = finding;
  const known = Array.isArray(fields.findings) ? fields.findings : [];
  const own: JsonObject = { code, message, by: "audit_log", severity: "warning", details };
  const whole = shrinkToFit({ ...fields, findings: [...known, own] }, cutTexts(options));
  // How it came into the log is what readers look for: where findings had to go, this one stays.
  return Array.isArray(whole.findings) && whole.findings.includes(own)
    ? whole
    : { ...whole, findings: [...(Array.isArray(whole.findings) ? whole.findings : []), own] };
}

/** Durations are whole milliseconds: numbers in records are integers. */
function wholeMs(ms: number): number {
  return Number.isFinite(ms) ? Math.max(0, Math.min(Math.round(ms), Number.MAX_SAFE_INTEGER)) : 0;
}

interface Preparing extends PrepareOptions {
  readonly redactions: Redaction[];
  readonly cut: CutText;
}

function preparedText(text: string, path: string, at: Preparing & { readonly limit: number }): string {
  const whole = toRecordable(text, { cut: at.cut });
  const { value, redactions } = at.redactor.text(
    typeof whole === "string" ? whole : canonicalText(whole),
    path,
  );
  at.redactions.push(...redactions);
  if (value.length <= at.limit) return value;
  const kept = toRecordable(value.slice(0, at.limit));
  return `${String(kept)}… [${value.length - at.limit} more, hmac ${at.hmac(text).slice(0, 16)}]`;
}

function preparedTree(tree: unknown, path: string, at: Preparing): Json {
  const plain = roundTrail(path, toRecordable(tree, { maxDepth: 58, cut: at.cut }));
  const { value, redactions } = at.redactor.value(plain, path);
  at.redactions.push(...redactions);
  return value;
}

/** Trail times are fractions; a record holds whole milliseconds. */
function roundTrail(path: string, value: Json): Json {
  if (path !== "trail" || !Array.isArray(value)) return value;
  return value.map((entry: Json) => {
    if (typeof entry !== "object" || entry === null || !("ms" in entry)) return entry;
    const ms: Json = entry.ms ?? 0;
    const text = typeof ms === "object" && ms !== null && "$number" in ms ? Number(ms.$number) : Number(ms);
    return { ...entry, ms: wholeMs(text) };
  });
}

/** For one record: the same megabyte often stands in several arguments, and is counted and hashed once. */
function cutTexts({ hmac }: Pick<PrepareOptions, "hmac">): CutText {
  const known = new Map<string, Json>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const short = { $truncated: { bytes: utf8Length(text), hmac: hmac(text) } };
    known.set(text, short);
    return short;
  };
}

/** Replaces the largest parts until the record fits; what stays is whole. */
function shrinkToFit(fields: Record<string, Json>, cut: CutText): JsonObject {
  const room = MAX_LINE - STORE_BYTES;
  let size = jsonBytes(fields);
  if (size <= room) return fields;
  for (const name of ["args", "data"] as const) {
    if (size > room) size = shrinkMembers(fields, name, { room, size, cut });
  }
  for (const name of ["trail", "findings", "redactions", "data", "args", "result", ...PROSE, ...NAMES]) {
    if (size <= room) break;
    const value = fields[name];
    if (value === undefined || value === null || name === "event") continue;
    const short = leftOut(name, value, cut);
    fields[name] = short;
    size += jsonBytes(short) - jsonBytes(value);
  }
  return fields;
}

/** What stands for a field that had to go, in the type its readers expect. */
function leftOut(name: string, value: Json, cut: CutText): Json {
  const text = typeof value === "string" ? value : canonicalText(value);
  const gone = cut(text);
  if (name === "redactions") return Array.isArray(value) ? value.slice(0, 10) : [];
  if (name === "findings") {
    return [
      { by: "audit_log", code: "truncated", message: "the findings were too large to record", details: gone },
    ];
  }
  if (name === "trail") {
    return [
      {
        by: "audit_log",
        stage: "audit",
        decision: "log-only",
        ms: 0,
        note: `left out: ${canonicalText(gone)}`,
      },
    ];
  }
  return typeof value === "string" ? `[left out: ${canonicalText(gone)}]` : gone;
}

interface Shrinking {
  readonly room: number;
  readonly size: number;
  readonly cut: CutText;
}

const MIN_CUT = 256;

/** The largest member of `args` goes first: a file's content, not its path. */
function shrinkMembers(fields: Record<string, Json>, name: "args" | "data", at: Shrinking): number {
  const tree = fields[name];
  if (typeof tree !== "object" || tree === null || Array.isArray(tree)) return at.size;
  const copy: Record<string, Json> = Object.assign(Object.create(null), tree);
  const sizes = Object.entries(copy)
    .map(([key, value]) => ({ key, value, bytes: jsonBytes(value) }))
    .sort((a, b) => b.bytes - a.bytes);
  let size = at.size;
  for (const { key, value, bytes } of sizes) {
    if (size <= at.room || bytes < MIN_CUT) break;
    const short = at.cut(typeof value === "string" ? value : canonicalText(value));
    copy[key] = short;
    size += jsonBytes(short) - bytes;
  }
  fields[name] = copy;
  const all = jsonBytes(copy);
  const bytes = all - (size - at.room);
  // Where it is not the tree that is too large, it stays as it is.
  if (size <= at.room || bytes < 2 * MIN_CUT) return size;
  const first = firstMembers(copy, { bytes, cut: at.cut });
  fields[name] = first;
  return size + jsonBytes(first) - all;
}

/** Many small members: the first ones stay, one stands for the rest. */
function firstMembers(
  tree: JsonObject,
  { bytes, cut }: { readonly bytes: number; readonly cut: CutText },
): JsonObject {
  const kept: Record<string, Json> = Object.create(null);
  const rest: Record<string, Json> = Object.create(null);
  let left = bytes - MIN_CUT;
  for (const [key, value] of Object.entries(tree)) {
    left -= jsonBytes(key) + jsonBytes(value) + 2;
    if (left > 0) kept[key] = value;
    else rest[key] = value;
  }
  kept[Object.hasOwn(kept, "[more]") ? "[more]#2" : "[more]"] = cut(canonicalText(rest));
  return kept;
}
