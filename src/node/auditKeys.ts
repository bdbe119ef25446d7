/** Where the private keys of logs are kept, and the public ones beside them. Knows nothing of when a key is made, used or dropped. */
import * as os from "node:os";
import * as path from "node:path";
import { sha256 } from "./auditBytes";
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from "./privateFile";

/** One secret text per log, in a store that programs without our rights cannot read. */
export interface AuditKeyStore {
  load(logId: string): Promise<string | undefined>;
  save(logId: string, text: string): Promise<void>;
}

/** `~/.countersign/keys` */
export function defaultKeyFolder(): string {
  return path.join(os.homedir(), ".countersign", "keys");
}

/** Private files in a private folder: for programs without an editor's secret storage. Who runs as this user can read them. */
export function fileKeyStore(folder: string = defaultKeyFolder()): AuditKeyStore {
  const file = (logId: string): string => path.join(folder, `${fileName(logId)}.json`);
  return {
    load: (logId) => readPrivateFile(file(logId)),
    async save(logId, text) {
      await makeFolder(folder);
      await writePrivateFile(file(logId), text);
    },
  };
}

/** Keeps the verifier key that a log was opened with where verification on this machine finds it. */
export async function savePublicKey(logId: string, vkey: string, folder = defaultKeyFolder()): Promise<void> {
  await makeFolder(folder);
  await writePrivateFile(path.join(folder, `${fileName(logId)}.vkey`), `${vkey}\n`);
}

/** The verifier key that this machine knows a log by; undefined when it knows none. Throws `folder.unsafe`. */
export async function loadPublicKey(logId: string, folder = defaultKeyFolder()): Promise<string | undefined> {
  const text = await readPrivateFile(path.join(folder, `${fileName(logId)}.vkey`));
  return text === undefined ? undefined : text.trim();
}

async function makeFolder(folder: string): Promise<void> {
  await ensurePrivateFolder(path.dirname(folder));
  await ensurePrivateFolder(folder);
}

function fileName(logId: string): string {
  return /^[A-Za-z0-9_-]{1,100}$/.test(logId) ? logId : sha256(logId).slice(0, 32);
}
