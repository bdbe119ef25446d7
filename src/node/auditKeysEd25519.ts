/** Ed25519 and SHA-256 as signed notes need them, through node:crypto. Knows nothing of notes, records or where keys are kept. */
import * as crypto from "node:crypto";
import type { HashBytes } from "../core/audit/merkle";
import type { VerifySignature } from "../core/audit/signedNote";

export const hashBytes: HashBytes =
  typeof crypto.hash === "function"
    ? // Through a text: asking for a buffer takes twice as long.
      (bytes) => Buffer.from(crypto.hash("sha256", bytes, "binary"), "latin1")
    : (bytes) => crypto.createHash("sha256").update(bytes).digest();

const KEY_BYTES = 32;
const SEED_BYTES = 32;
// The fixed beginning of a DER-encoded Ed25519 key; the raw key follows.
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

export const verifyEd25519: VerifySignature = ({ publicKey, message, signature }) => {
  if (publicKey.length !== KEY_BYTES || signature.length !== 64) return false;
  try {
    const key = crypto.createPublicKey({
      key: Buffer.concat([SPKI, publicKey]),
      format: "der",
      type: "spki",
    });
    return crypto.verify(null, message, key, signature);
  } catch {
    return false;
  }
};

export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes over the message as it stands. */
  sign(message: Uint8Array): Uint8Array;
}

/** 32 random bytes from which the key follows. */
export function newSeed(): Uint8Array {
  return crypto.randomBytes(SEED_BYTES);
}

/** Throws RangeError unless the seed has 32 bytes. */
export function signingKey(seed: Uint8Array): SigningKey {
  if (seed.length !== SEED_BYTES) throw new RangeError("a seed has 32 bytes");
  const key = crypto.createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  const spki = crypto.createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    publicKey: spki.subarray(SPKI.length),
    sign: (message) => crypto.sign(null, message, key),
  };
}
