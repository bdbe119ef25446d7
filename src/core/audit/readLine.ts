/** A line of the log as a record to look at, or null. Checks shapes only; whether the chain holds is for verification to say. */
import { isPlainObject } from "../call";
import { parseObject } from "./parse";
import type { AuditRecord } from "./record";

const STRINGS = [
  "event",
  "ts",
  "record_hash",
  "call_id",
  "session_id",
  "agent",
  "subagent",
  "tool",
  "decision",
  "by",
  "reason",
  "ask_id",
] as const;

function isList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isPlainObject));
}

/** Null when the text is no JSON object or a field that readers rely on has another shape. */
export function readLine(raw: string): AuditRecord | null {
  const value = parseObject(raw);
  if (value === undefined) return null;
  if (typeof value.seq !== "number" || typeof value.event !== "string") return null;
  if (typeof value.ts !== "string" || typeof value.record_hash !== "string") return null;
  for (const key of STRINGS) if (value[key] !== undefined && typeof value[key] !== "string") return null;
  for (const key of ["args", "data"]) if (value[key] !== undefined && !isPlainObject(value[key])) return null;
  if (!isList(value.findings) || !isList(value.trail)) return null;
  if (typeof (value.error ?? "") !== "string" || typeof (value.duration_ms ?? 0) !== "number") return null;
  return value as unknown as AuditRecord;
}
