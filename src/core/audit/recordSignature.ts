/** Which records are signed, and the text that a signature covers. Knows nothing of keys, files or the chain. */
import { fromBase64 } from "./base64";
import { canonicalText, type JsonObject } from "./canonical";
import type { VerifierKey, VerifySignature } from "./signedNote";

/** A person's acts: without a signature any process that can append could have written them. */
const APPROVALS: ReadonlySet<string> = new Set([
  "human_choice",
  "grant",
  "trust",
  "config_accepted",
  "switch",
]);
const OF_THE_LOG: ReadonlySet<string> = new Set(["log.open", "log.key", "log.checkpoint", "log.heartbeat"]);

export function isApproval(event: unknown): boolean {
  return typeof event === "string" && APPROVALS.has(event);
}

/** What the log says of itself: without a signature it is worth nothing, and would pass for somebody else's. */
export function isOfTheLog(event: unknown): boolean {
  return typeof event === "string" && OF_THE_LOG.has(event);
}

/** Whether a writer that has a key signs this kind of record. */
export function isSigned(event: unknown): boolean {
  return isApproval(event) || isOfTheLog(event);
}

/**
 * What `sig` covers: the canonical record without `sig`, `prev_hash` and `record_hash`, and with the number of its file as
 * `segment`; log, number and time are inside, so that it holds in no other place. It begins with `{`, so that it can never be read as the text of a checkpoint. Throws on what is no record.
 */
export function signedText(record: JsonObject, segment: number): string {
  const { sig: _sig, prev_hash: _prev, record_hash: _own, ...rest } = record;
  return canonicalText({ ...rest, segment });
}

/** What ties a new key to the one before it. */
export interface KeyHandover {
  readonly logId: string;
  /** File in which the new key is named, counting from 1. */
  readonly segment: number;
  /** Verifier key text of the new key, and of the one that names it. */
  readonly vkey: string;
  readonly by: string;
}

/**
 * What the new key signs when it is named: without that, anybody could hand their own log over to a key whose public half they know.
 * It has no `event`, so that it is never the text of a record.
 */
export function handoverText({ logId, segment, vkey, by }: KeyHandover): string {
  return canonicalText({ by, log_id: logId, proves: "possession", segment, vkey });
}

export interface SignedBy {
  readonly key: VerifierKey;
  readonly verify: VerifySignature;
  /** Of the file that the record stands in, counting from 1. */
  readonly segment: number;
}

/** True when `sig` is this key's signature over the record, made for this file of the log. False for a record without one. */
export function isRecordSignedBy(record: JsonObject, { key, verify, segment }: SignedBy): boolean {
  const signature = typeof record.sig === "string" ? fromBase64(record.sig) : undefined;
  if (signature?.length !== 64) return false;
  try {
    const message = new TextEncoder().encode(signedText(record, segment));
    return verify({ publicKey: key.publicKey, message, signature });
  } catch {
    return false;
  }
}
