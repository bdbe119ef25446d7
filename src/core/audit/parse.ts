/** From a line of text to a record. Knows nothing of files or of the chain. */
import { isPlainObject } from "../call";
import type { AuditRecord } from "./record";

/** Null when the text is not a record of version 1. Says nothing about its hash. */
export function parseRecord(text: string): AuditRecord | null {
  const value = parseObject(text);
  if (value === undefined || value.v !== 1) return null;
  const { seq, ts, log_id, event, record_hash, prev_hash, writer } = value;
  if (!Number.isSafeInteger(seq) || typeof ts !== "string" || typeof log_id !== "string") return null;
  if (typeof event !== "string" || typeof record_hash !== "string") return null;
  if (prev_hash !== null && typeof prev_hash !== "string") return null;
  if (!isPlainObject(writer)) return null;
  // The parse boundary: the fields that every reader relies on were just looked at.
  return value as unknown as AuditRecord;
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
