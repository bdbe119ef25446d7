/** Follows the keys that a log names, from one to the next, and checks the signatures of records with them. Knows nothing of checkpoints or of where a record stands. */
import { fromBase64 } from "./base64";
import type { Json } from "./canonical";
import { keyNameOf } from "./checkpoint";
import type { HashBytes } from "./merkle";
import { handoverText, isRecordSignedBy, isSigned } from "./recordSignature";
import { formatVerifierKey, parseVerifierKey, type VerifierKey, type VerifySignature } from "./signedNote";

export interface KeyPorts {
  readonly digest: HashBytes;
  readonly verifySignature: VerifySignature;
}

type Fields = Readonly<Record<string, Json>>;

export interface KeyTrack {
  /** False = this kind of record must be signed, in this file of the log, and is not. */
  accepts(record: Fields, segment: number): boolean;
  /** The first key that the log names. */
  first(): VerifierKey | undefined;
  /** The key in force. */
  current(): VerifierKey | undefined;
  /** True when a key of the log is the one that the reader named. */
  isPinned(): boolean;
  /** False only for a key that stands in the log before the one that the reader named: trust begins there. */
  isTrusted(key: VerifierKey): boolean;
  /** Records that were signed under a key which is not trusted. */
  readonly untrusted: number;
  /** All that is needed to go on elsewhere. */
  texts(): readonly string[];
}

const utf8 = new TextEncoder();

/** `pinned` and `known` are verifier key texts; `known` are those of files before, oldest first, `unread` where these belong to the log that is judged. */
export function trackKeys(
  ports: KeyPorts,
  options: { readonly pinned?: string; readonly known?: readonly string[]; readonly unread?: boolean } = {},
): KeyTrack {
  const { pinned } = options;
  const keys: VerifierKey[] = [];
  /** Keys from the one that the reader named on. */
  const trusted = new Set<string>();
  let underOthers = 0;
  const isTrusted = (key: VerifierKey): boolean =>
    pinned === undefined || trusted.has(formatVerifierKey(key));
  for (const text of options.known ?? []) {
    const key = parseVerifierKey(text, ports.digest);
    if (key !== undefined) follow(key);
  }

  // What they signed cannot be told any more.
  if (options.unread === true) underOthers = keys.filter((key) => !isTrusted(key)).length;

  function follow(key: VerifierKey): void {
    const text = formatVerifierKey(key);
    keys.push(key);
    if (text === pinned || trusted.size > 0) trusted.add(text);
  }

  function isSignedBy(record: Fields, key: VerifierKey, segment: number): boolean {
    return isRecordSignedBy(record, { key, verify: ports.verifySignature, segment });
  }

  /** The key that a record names, and the new key's word that it is held. */
  function named(record: Fields): { readonly key: VerifierKey; readonly proof: unknown } | undefined {
    const { data, log_id: logId } = record;
    if (typeof data !== "object" || data === null || !("vkey" in data)) return undefined;
    const key = typeof data.vkey === "string" ? parseVerifierKey(data.vkey, ports.digest) : undefined;
    if (key === undefined || typeof logId !== "string" || key.name !== keyNameOf(logId)) return undefined;
    return { key, proof: "proof" in data ? data.proof : undefined };
  }

  function open(record: Fields, segment: number): boolean {
    const key = named(record)?.key;
    if (key === undefined || !isSignedBy(record, key, segment)) return false;
    follow(key);
    return true;
  }

  function handOver(record: Fields, by: VerifierKey, segment: number): boolean {
    const { key, proof } = named(record) ?? {};
    const signature = typeof proof === "string" ? fromBase64(proof) : undefined;
    if (key === undefined || signature === undefined || !isSignedBy(record, by, segment)) return false;
    const text = handoverText({
      logId: String(record.log_id),
      segment,
      vkey: formatVerifierKey(key),
      by: formatVerifierKey(by),
    });
    const { publicKey } = key;
    if (!ports.verifySignature({ publicKey, message: utf8.encode(text), signature })) return false;
    follow(key);
    // Who hands over to the reader's key need not be believed: that key has signed for it.
    if (!isTrusted(by) && !isTrusted(key)) underOthers += 1;
    return true;
  }

  return {
    accepts(record, segment) {
      if (!isSigned(record.event)) return true;
      const current = keys.at(-1);
      // Before a key is named nobody can have signed: any program that appends could have written it.
      if (current === undefined) return record.event === "log.open" && open(record, segment);
      if (record.event === "log.key") return handOver(record, current, segment);
      const holds = isSignedBy(record, current, segment);
      if (holds && !isTrusted(current)) underOthers += 1;
      return holds;
    },
    first: () => keys[0],
    current: () => keys.at(-1),
    isPinned: () => trusted.size > 0,
    isTrusted,
    get untrusted() {
      return underOthers;
    },
    texts: () => keys.map(formatVerifierKey),
  };
}
