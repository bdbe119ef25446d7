/** Hashes and bytes for the audit log on Node. Knows nothing of records. */
import { isUtf8 } from "node:buffer";
import * as crypto from "node:crypto";
import { constants } from "node:fs";
import type { VerifyPorts } from "../core/audit/verifyLog";
import { hashBytes, verifyEd25519 } from "./auditKeysEd25519";

/** SHA-256, 64 lower-case hex digits. `crypto.hash` is twice as fast; Node 20.11 lacks it. */
const { hash } = crypto;
export const sha256: (data: string | Uint8Array) => string =
  typeof hash === "function"
    ? (data) => hash("sha256", data, "hex")
    : (data) => crypto.createHash("sha256").update(data).digest("hex");

/** Flags to open a log for reading: a pipe in the file's place must not hold us, nor one of the few threads that all files share. */
export const TO_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** A part of these bytes. A plain view takes half the time of a Buffer's own. */
function partOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export const verifyPorts: VerifyPorts = {
  hash: sha256,
  hashBytes: (bytes, start, end) => sha256(partOf(bytes, start, end)),
  isUtf8: (bytes, start, end) => isUtf8(partOf(bytes, start, end)),
  digest: hashBytes,
  verifySignature: verifyEd25519,
  ascii: (bytes, start, end) => bufferOf(bytes).toString("latin1", start, end),
};

/** Time for a file name: `20260102T030405123Z`. */
export function stampForName(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, "");
}
