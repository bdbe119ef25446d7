/** The log's own key: equal texts that were left out can be recognised and none guessed, and a file beside the log can be told from a forged one. Knows nothing of records. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import { errorCode } from "./auditPlace";

const KEY_BYTES = 32;

/** The key lies beside the log, private, and is made when it is first needed. */
export function createHmac(keyFile: string): (text: string) => string {
  let key: crypto.KeyObject | undefined;
  return (text) => {
    key ??= crypto.createSecretKey(readOrMakeKey(keyFile));
    return hmac(key, text);
  };
}

/**
 * Authenticates files beside the log. A key of its own, derived from the log's: the hashes of `createHmac` stand in
 * the log for texts that an agent chose, and none of them may serve as a seal.
 */
export function createSeal(keyFile: string): (text: string) => string {
  let key: crypto.KeyObject | undefined;
  return (text) => {
    key ??= crypto.createSecretKey(
      new Uint8Array(
        crypto.hkdfSync("sha256", readOrMakeKey(keyFile), "", "countersign side files 1", KEY_BYTES),
      ),
    );
    return hmac(key, text);
  };
}

/** A key in bytes would be looked into anew for each text, which takes longer than the hash. */
function hmac(key: crypto.KeyObject, text: string): string {
  return crypto.createHmac("sha256", key).update(text).digest("hex");
}

/** Two programs may begin at once: the file appears whole, and the first one stays. */
function readOrMakeKey(file: string): Buffer {
  const known = readKey(file);
  if (known !== undefined) return known;
  const fresh = crypto.randomBytes(KEY_BYTES);
  const draft = `${file}.${process.pid}-${fresh.toString("hex", 0, 4)}`;
  try {
    fs.writeFileSync(draft, fresh, { mode: 0o600, flag: "wx" });
    putFirst(draft, file);
  } catch {
    // Without a file the key lasts as long as this process.
    return readKey(file) ?? fresh;
  } finally {
    fs.rmSync(draft, { force: true });
  }
  return readKey(file) ?? fresh;
}

function putFirst(draft: string, file: string): void {
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    // File systems without links: whoever creates it has it.
    if (errorCode(error) !== "EEXIST") fs.copyFileSync(draft, file, fs.constants.COPYFILE_EXCL);
  }
}

/** Undefined for anything but a regular file of the right length. */
function readKey(file: string): Buffer | undefined {
  try {
    const stats = fs.lstatSync(file);
    if (!stats.isFile() || stats.size !== KEY_BYTES) return undefined;
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}
