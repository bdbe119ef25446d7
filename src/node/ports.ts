/** Node's side of the small ports: clock, ids, hashes, a log on standard error. */
import { createHash, randomBytes } from "node:crypto";
import type { Shell } from "../core/call";
import type { Clock, Hasher, Ids, Log } from "../ports";

export const nodeClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms) {
    let handle: NodeJS.Timeout | undefined;
    const done = new Promise<void>((resolve) => {
      handle = setTimeout(resolve, ms);
      handle.unref();
    });
    return { done, cancel: () => clearTimeout(handle) };
  },
};

/** The shell that agents' terminal tools use where they do not say. */
export const platformShell: Shell = process.platform === "win32" ? "pwsh" : "bash";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `prefix_` and 26 characters: 48 bits of time, 80 random bits, sortable by time (ULID). */
export const nodeIds: Ids = (prefix) => {
  let time = Date.now();
  let text = "";
  for (let i = 0; i < 10; i += 1) {
    text = `${ALPHABET[time % 32]}${text}`;
    time = Math.floor(time / 32);
  }
  // Five bits of each byte: sixteen signs.
  for (const byte of sixteen()) text += ALPHABET[byte & 31];
  return `${prefix}_${text}`;
};

let drawn = Buffer.alloc(0);

/** Never the same bytes twice; drawn by the page, since each draw costs more than the id. */
function sixteen(): Uint8Array {
  if (drawn.length < 16) drawn = randomBytes(4096);
  const bytes = drawn.subarray(0, 16);
  drawn = drawn.subarray(16);
  return bytes;
}

export const sha256: Hasher = (text) => createHash("sha256").update(text, "utf8").digest("hex");

export function randomNonce(): string {
  return randomBytes(32).toString("hex");
}

/** Writes to standard error, so that standard output stays machine-readable. */
export const stderrLog: Log = {
  info: () => undefined,
  warn: (message) => void process.stderr.write(`warning: ${message}\n`),
  error: (message) => void process.stderr.write(`error: ${message}\n`),
};
