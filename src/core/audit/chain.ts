/** How a record becomes a line of the chain. Knows nothing of files. */
import type { Hasher } from "../../ports";
import { canonicalText, type JsonObject } from "./canonical";
import type { AuditRecord } from "./record";
import { isSigned, signedText } from "./recordSignature";

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
  /** Of the file that the line goes to, counting from 1; default 1. Part of what a signature covers. */
  readonly segment?: number;
  readonly writer: AuditRecord["writer"];
}

export interface ChainLine {
  /** Without LF. */
  readonly line: string;
  readonly head: ChainHead;
  readonly record: AuditRecord;
}

/** Base64 of the signature over a text; undefined where no key can be had. */
export type SignText = (text: string) => string | undefined;

/** SHA-256 of the canonical record without `record_hash`, `prev_hash` inside. */
export function recordHash(fields: JsonObject, hash: Hasher): string {
  const { record_hash: _own, ...rest } = fields;
  return hash(canonicalText(rest));
}

/** The next line after `before`: the canonical record with `record_hash` written last, so that a verifier can hash the bytes as they stand. */
export function makeLine(
  fields: JsonObject,
  at: { readonly before: ChainHead; readonly stamp: Stamp; readonly hash: Hasher; readonly sign?: SignText },
): ChainLine {
  const seq = at.before.seq + 1;
  const { sig: _theirs, ...own } = fields;
  const unsigned: JsonObject = {
    ...own,
    v: 1,
    seq,
    ts: at.stamp.ts,
    log_id: at.stamp.logId,
    writer: { ...at.stamp.writer },
    prev_hash: at.before.hash,
  };
  const sig = isSigned(unsigned.event) ? at.sign?.(signedText(unsigned, at.stamp.segment ?? 1)) : undefined;
  const full = sig === undefined ? unsigned : { ...unsigned, sig };
  const text = canonicalText(full);
  const hash = at.hash(text);
  const line = `${text.slice(0, -1)},"record_hash":"${hash}"}`;
  // The fields were just built to this shape.
  const record = { ...full, record_hash: hash } as unknown as AuditRecord;
  return { line, head: { seq, hash }, record };
}
