/** Follows the keys that a log names, from one to the next, and checks the signatures of records with them. Knows nothing of checkpoints or of where a record stands. */
import type { Json } from "./canonical";
import { keyNameOf } from "./checkpoint";
import type { HashBytes } from "./merkle";
import { isRecordSignedBy, isSigned } from "./recordSignature";
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
  /** All that is needed to go on elsewhere. */
  texts(): readonly string[];
}

/** `pinned` and `known` are verifier key texts; `known` are those of an earlier pass, oldest first. */
export function trackKeys(
  ports: KeyPorts,
  options: { readonly pinned?: string; readonly known?: readonly string[] } = {},
): KeyTrack {
  const keys: VerifierKey[] = (options.known ?? [])
    .map((text) => parseVerifierKey(text, ports.digest))
    .filter((key) => key !== undefined);

  const isSignedBy = (record: Fields, key: VerifierKey, segment: number): boolean =>
    isRecordSignedBy(record, { key, verify: ports.verifySignature, segment });

  function take(record: Fields, signer: VerifierKey | undefined, segment: number): boolean {
    const { data, log_id: logId } = record;
    const text = typeof data === "object" && data !== null && "vkey" in data ? data.vkey : undefined;
    const key = typeof text === "string" ? parseVerifierKey(text, ports.digest) : undefined;
    if (key === undefined || typeof logId !== "string" || key.name !== keyNameOf(logId)) return false;
    if (!isSignedBy(record, signer ?? key, segment)) return false;
    keys.push(key);
    return true;
  }

  return {
    accepts(record, segment) {
      if (!isSigned(record.event)) return true;
      const current = keys.at(-1);
      if (current === undefined) return record.event !== "log.open" || take(record, undefined, segment);
      if (record.event === "log.key") return take(record, current, segment);
      return isSignedBy(record, current, segment);
    },
    first: () => keys[0],
    current: () => keys.at(-1),
    isPinned: () => keys.some((key) => formatVerifierKey(key) === options.pinned),
    texts: () => keys.map(formatVerifierKey),
  };
}
