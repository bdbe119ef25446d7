/** C2SP signed notes and their verifier keys: text, a blank line, signatures. Hashes and checks signatures through ports; knows nothing of what the text says. */
import { fromBase64, toBase64 } from "./base64";
import type { HashBytes } from "./merkle";

/** True when `signature` (64 bytes) is that of `publicKey` (32 bytes, Ed25519) over `message`. */
export type VerifySignature = (signed: {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}) => boolean;

export interface NoteSignature {
  readonly name: string;
  /** First 4 bytes of the hash of name and key. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

export interface SignedNote {
  /** Ends with LF; the signatures cover exactly this. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** An Ed25519 key that notes and records can be checked with. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: Uint8Array;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const DASH = "\u2014 ";
const MAX_SIGNATURES = 16;

const utf8 = new TextEncoder();

/** First 4 bytes of SHA-256(name LF 0x01 key). */
export function keyIdOf(name: string, publicKey: Uint8Array, hash: HashBytes): Uint8Array {
  const head = utf8.encode(`${name}\n`);
  const bytes = new Uint8Array(head.length + 1 + publicKey.length);
  bytes.set(head);
  bytes[head.length] = ED25519;
  bytes.set(publicKey, head.length + 1);
  return hash(bytes).slice(0, KEY_ID_BYTES);
}

export function verifierKey(name: string, publicKey: Uint8Array, hash: HashBytes): VerifierKey {
  return { name, publicKey, keyId: keyIdOf(name, publicKey, hash) };
}

/** `<name>+<8 hex digits>+<base64 of 0x01 and the key>` */
export function formatVerifierKey(key: VerifierKey): string {
  const typed = new Uint8Array(1 + key.publicKey.length);
  typed[0] = ED25519;
  typed.set(key.publicKey, 1);
  return `${key.name}+${hex(key.keyId)}+${toBase64(typed)}`;
}

/** Undefined when the text is no Ed25519 verifier key, or its id is not that of name and key. */
export function parseVerifierKey(text: string, hash: HashBytes): VerifierKey | undefined {
  const match = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text);
  const [, name = "", id = "", coded = ""] = match ?? [];
  const typed = fromBase64(coded);
  if (!isName(name) || typed === undefined) return undefined;
  if (typed.length !== 1 + KEY_BYTES || typed[0] !== ED25519) return undefined;
  const key = verifierKey(name, typed.slice(1), hash);
  return hex(key.keyId) === id ? key : undefined;
}

export function formatNote({ text, signatures }: SignedNote): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    const bytes = new Uint8Array(keyId.length + signature.length);
    bytes.set(keyId);
    bytes.set(signature, keyId.length);
    return `${DASH}${name} ${toBase64(bytes)}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** Undefined when the text is no signed note. Says nothing about whether a signature holds. */
export function parseNote(note: string): SignedNote | undefined {
  if (hasControls(note)) return undefined;
  // The last blank line ends the text, so that a text may hold blank lines.
  const split = note.lastIndexOf("\n\n");
  if (split === -1 || !note.endsWith("\n")) return undefined;
  const lines = note.slice(split + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) return undefined;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const signature = parseSignature(line);
    if (signature === undefined) return undefined;
    signatures.push(signature);
  }
  return { text: note.slice(0, split + 1), signatures };
}

/** True when the note has a signature of this key, and it holds. */
export function isSignedBy(note: SignedNote, key: VerifierKey, verify: VerifySignature): boolean {
  const message = utf8.encode(note.text);
  return note.signatures
    .filter(({ name, keyId }) => name === key.name && hex(keyId) === hex(key.keyId))
    .some(({ signature }) => verify({ publicKey: key.publicKey, message, signature }));
}

function parseSignature(line: string): NoteSignature | undefined {
  if (!line.startsWith(DASH)) return undefined;
  const [name = "", coded = "", ...rest] = line.slice(DASH.length).split(" ");
  const bytes = fromBase64(coded);
  if (!isName(name) || rest.length > 0 || bytes === undefined || bytes.length <= KEY_ID_BYTES)
    return undefined;
  return { name, keyId: bytes.slice(0, KEY_ID_BYTES), signature: bytes.slice(KEY_ID_BYTES) };
}

function isName(name: string): boolean {
  return name !== "" && !/[\s+]/u.test(name);
}

/** Notes hold no control character but LF, and nothing that is not well-formed. */
function hasControls(text: string): boolean {
  return /[^\P{Cc}\n]|\p{Surrogate}/u.test(text);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
