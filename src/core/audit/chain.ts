/** How a record becomes a line of the chain. Knows nothing of files. */
import type { Hasher } from "../../ports";
import { canonicalText, type JsonObject } from "./canonical";
import type { AuditRecord } from "./record";

/** What precedes a record: its hash, null at genesis, and its number. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string | null;
}

export const GENESIS: ChainHead = { seq: 0, hash: null };

/** What the store knows of a new record. */
export interface Stamp {
  readonly ts: string;
  readonly logId: string;
  readonly writer: AuditRecord["writer"];
}

export interface ChainLine {
  /** Without LF. */
  readonly line: string;
  readonly head: ChainHead;
  readonly record: AuditRecord;
}

/** SHA-256 of the canonical record without `record_hash`, `prev_hash` inside. */
export function recordHash(fields: JsonObject, hash: Hasher): string {
  const { record_hash: _own, ...rest } = fields;
  return hash(canonicalText(rest));
}

/** The next line after `before`: the canonical record with `record_hash` written last, so that a verifier can hash the bytes as they stand. */
export function makeLine(
  fields: JsonObject,
  at: { readonly before: ChainHead; readonly stamp: Stamp; readonly hash: Hasher },
): ChainLine {
  const seq = at.before.seq + 1;
  const full: JsonObject = {
    ...fields,
    v: 1,
    seq,
    ts: at.stamp.ts,
    log_id: at.stamp.logId,
    writer: { ...at.stamp.writer },
    prev_hash: at.before.hash,
  };
  const text = canonicalText(full);
  const hash = at.hash(text);
  const line = `${text.slice(0, -1)},"record_hash":"${hash}"}`;
  // The fields were just built to this shape.
  const record = { ...full, record_hash: hash } as unknown as AuditRecord;
  return { line, head: { seq, hash }, record };
}
