/** The keyed hash of what is too large to record: equal texts can be recognised within a log, and none can be guessed from the log alone. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import { errorCode } from "./auditPlace";

/** The key lies beside the log, private, and is made when it is first needed. */
export function createHmac(keyFile: string): (text: string) => string {
  let key: Buffer | undefined;
  return (text) => {
    key ??= readOrMakeKey(keyFile);
    return crypto.createHmac("sha256", key).update(text).digest("hex");
  };
}

function readOrMakeKey(file: string): Buffer {
  const fresh = crypto.randomBytes(32);
  try {
    fs.writeFileSync(file, fresh, { mode: 0o600, flag: "wx" });
    return fresh;
  } catch (error) {
    // Without a file the key lasts as long as this process.
    return errorCode(error) === "EEXIST" ? fs.readFileSync(file) : fresh;
  }
}
