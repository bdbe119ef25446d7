/** The keys of one log in use: the first is named by `log.open`, each segment's by `log.key` under the one before, and an old one goes with its last checkpoint. Knows nothing of files or secret stores. */
import { fromBase64, toBase64 } from "../core/audit/base64";
import type { JsonObject } from "../core/audit/canonical";
import type { ChainLine, SignText } from "../core/audit/chain";
import { type Checkpoint, checkpointText, keyNameOf } from "../core/audit/checkpoint";
import { handoverText, type KeyHandover } from "../core/audit/recordSignature";
import { formatNote, formatVerifierKey, type VerifierKey, verifierKey } from "../core/audit/signedNote";
import { CountersignError, messageOf } from "../core/errors";
import type { AuditKeyStore } from "./auditKeys";
import { hashBytes, newSeed, type SigningKey, signingKey } from "./auditKeysEd25519";
import { type KeptKey, type KeptKeys, parseKeptKeys } from "./auditKeysKept";

/** The log as the ring needs it, under its lock. */
export interface KeyedLog {
  readonly logId: string;
  readonly segment: number;
  write(fields: readonly JsonObject[]): ChainLine[];
}

export interface AuditKeyring {
  /** Under the lock: makes sure that the key of this segment stands in the log. Never rejects; without a key records go unsigned, and that is reported. */
  prepare(log: KeyedLog): Promise<ChainLine[]>;
  readonly sign: SignText;
  /** Under the lock, after `prepare`: whether `sign` gives signatures. */
  canSign(): boolean;
  /** Resolves when what was published is there. */
  published(): Promise<void>;
  /** The first segment whose checkpoints can still be signed. */
  oldest(): number | undefined;
  /** Whether the keys at hand reach up to this segment; false where another window has named a newer one. */
  reaches(segment: number): boolean;
  /** The signed note; undefined where the key of that segment is not held, or may not be the one in force. */
  note(checkpoint: Checkpoint): string | undefined;
  /** The last checkpoint of this segment is signed: a key that no later one uses is dropped with the next record. */
  closed(segment: number): void;
  /** Whether this log's records can be signed here: its key is held, or it has none yet. */
  holdsKey(logId: string): Promise<boolean>;
  /** Verifier key that the log was opened with. */
  publicKey(): string | undefined;
  /** Why the newest records are not signed; undefined while they are, and before the first one. */
  trouble(): KeyTrouble | undefined;
}

export interface KeyTrouble {
  /** "not held": no waiting brings the key back. "failed": the store of secrets may answer another time. */
  readonly kind: "not held" | "failed";
  readonly why: string;
}

/** A second key that the first did not sign for could be anybody's. */
class NotHeldError extends Error {}

export interface KeyringOptions {
  readonly store: AuditKeyStore;
  /** Whether a segment's file names this verifier key already. */
  readonly isNamed: (segment: number, vkey: string) => Promise<boolean>;
  /** Whether the log names a key at all. */
  readonly isKeyed: () => Promise<boolean>;
  /** Told the verifier key that the log was opened with. */
  readonly publish?: (logId: string, vkey: string) => Promise<void>;
  readonly onProblem: (message: string) => void;
  /** How long the secret store may take while the log is locked. Default 1500 ms. */
  readonly patienceMs?: number;
}

const AGAIN_MS = 60_000;

interface Held {
  readonly logId: string;
  readonly kept: KeptKeys;
  /** The segment whose key stands in the log. */
  readonly segment: number;
}

export function createAuditKeyring(options: KeyringOptions): AuditKeyring {
  const { store } = options;
  let held: Held | undefined;
  let signer: SigningKey | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let trouble: KeyTrouble | undefined;
  let doneUpTo = 0;
  let publishing: Promise<void> = Promise.resolve();

  const soon = <T>(promise: Promise<T>): Promise<T> => within(promise, options.patienceMs ?? 1500);
  const save = (logId: string, kept: KeptKeys): Promise<void> =>
    soon(store.save(logId, JSON.stringify(kept)));

  async function settle(log: KeyedLog, kept: KeptKeys): Promise<KeptKeys> {
    const { next, ...rest } = kept;
    if (next === undefined) return kept;
    // Killed between naming a key and noting that it was named.
    if (!(await options.isNamed(next.from, vkeyOf(log.logId, next)))) return kept;
    const settled = { ...rest, keys: [...kept.keys, next] };
    await save(log.logId, settled);
    return settled;
  }

  /** The new key is kept before the log names it: a named key that nobody holds would end all signing. */
  async function name(log: KeyedLog, kept: KeptKeys): Promise<{ kept: KeptKeys; lines: ChainLine[] }> {
    const next: KeptKey = { from: log.segment, seed: kept.next?.seed ?? toBase64(newSeed()) };
    const vkey = vkeyOf(log.logId, next);
    const inForce = kept.keys.at(-1);
    await save(log.logId, { ...kept, next });
    signer = signerOf(inForce ?? next);
    const event = inForce === undefined ? "log.open" : "log.key";
    const handover =
      inForce === undefined
        ? {}
        : {
            proof: proofOf(next, {
              logId: log.logId,
              segment: log.segment,
              vkey,
              by: vkeyOf(log.logId, inForce),
            }),
          };
    const lines = log.write([{ event, data: { vkey, ...handover }, error: null }]);
    const named: KeptKeys = { v: 1, first: kept.first ?? vkey, keys: [...kept.keys, next] };
    signer = signerOf(next);
    await save(log.logId, named);
    return { kept: named, lines };
  }

  async function take(log: KeyedLog): Promise<ChainLine[]> {
    let kept = await settle(log, parseKeptKeys(await soon(store.load(log.logId))));
    const inForce = kept.keys.at(-1);
    if (inForce === undefined && kept.next === undefined && (await options.isKeyed())) {
      throw new NotHeldError("the log has a key that is not held here; only a new log can have one of ours");
    }
    let lines: ChainLine[] = [];
    if (inForce === undefined || inForce.from < log.segment) ({ kept, lines } = await name(log, kept));
    else signer = signerOf(inForce);
    held = { logId: log.logId, kept, segment: log.segment };
    const first = kept.first;
    if (first !== undefined) {
      const published = options.publish?.(log.logId, first) ?? Promise.resolve();
      publishing = published.catch((error: unknown) => options.onProblem(messageOf(error)));
    }
    return lines;
  }

  /** Under the lock, from what is kept now: another window may have made a newer key meanwhile. */
  async function drop(at: Held): Promise<void> {
    if (usedAfter(at.kept.keys, doneUpTo).length === at.kept.keys.length) return;
    const kept = parseKeptKeys(await soon(store.load(at.logId)));
    const keys = usedAfter(kept.keys, doneUpTo);
    held = { ...at, kept: { ...kept, keys } };
    if (keys.length < kept.keys.length) await save(at.logId, { ...kept, keys });
  }

  return {
    async prepare(log) {
      if (held?.logId === log.logId && held.segment === log.segment) {
        await drop(held).catch((error: unknown) => options.onProblem(messageOf(error)));
        return [];
      }
      if (held !== undefined) {
        held = undefined;
        signer = undefined;
        failedAt = Number.NEGATIVE_INFINITY;
      }
      if (performance.now() - failedAt < AGAIN_MS) return [];
      try {
        const lines = await take(log);
        trouble = undefined;
        return lines;
      } catch (error) {
        failedAt = performance.now();
        signer = undefined;
        trouble = { kind: isLasting(error) ? "not held" : "failed", why: messageOf(error) };
        options.onProblem(`records of the audit log are not signed: ${messageOf(error)}`);
        return [];
      }
    },
    canSign: () => signer !== undefined,
    published: () => publishing,
    sign: (text) => (signer === undefined ? undefined : toBase64(signer.sign(Buffer.from(text)))),
    oldest: () => held?.kept.keys[0]?.from,
    reaches: (segment) => held !== undefined && segment <= held.segment,
    note(checkpoint) {
      if (held === undefined || held.logId !== checkpoint.logId) return undefined;
      // Of a segment that came after the last look at the keys, the key in force is not known.
      if (checkpoint.segment > held.segment) return undefined;
      const kept = held.kept.keys.filter((key) => key.from <= checkpoint.segment).at(-1);
      if (kept === undefined) return undefined;
      const text = checkpointText(checkpoint);
      const { key, sign } = namedKey(held.logId, kept);
      const { name: keyName, keyId } = key;
      return formatNote({ text, signatures: [{ name: keyName, keyId, signature: sign(Buffer.from(text)) }] });
    },
    closed(segment) {
      doneUpTo = Math.max(doneUpTo, segment);
    },
    async holdsKey(logId) {
      if (performance.now() - failedAt < AGAIN_MS) return false;
      const { keys, next } = parseKeptKeys(await soon(store.load(logId)));
      return keys.length > 0 || next !== undefined || !(await options.isKeyed());
    },
    publicKey: () => held?.kept.first,
    trouble: () => trouble,
  };
}

function isLasting(error: unknown): boolean {
  return error instanceof NotHeldError || error instanceof CountersignError;
}

/** A key goes once the one after it covers all that follows. */
function usedAfter(keys: readonly KeptKey[], segment: number): KeptKey[] {
  return keys.filter((_key, i) => (keys[i + 1]?.from ?? Number.POSITIVE_INFINITY) > segment + 1);
}

function signerOf(kept: KeptKey): SigningKey {
  return signingKey(fromBase64(kept.seed) ?? new Uint8Array());
}

function namedKey(logId: string, kept: KeptKey): { key: VerifierKey; sign: SigningKey["sign"] } {
  const signing = signerOf(kept);
  return { key: verifierKey(keyNameOf(logId), signing.publicKey, hashBytes), sign: signing.sign };
}

/** The new key's word that it is held; base64. */
function proofOf(next: KeptKey, handover: KeyHandover): string {
  return toBase64(signerOf(next).sign(Buffer.from(handoverText(handover))));
}

function vkeyOf(logId: string, kept: KeptKey): string {
  return formatVerifierKey(namedKey(logId, kept).key);
}

/** Rejects when the store of secrets does not answer in time. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the store of secrets does not answer")), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
