/** Where the private keys of logs are kept, and the public ones beside them. Knows nothing of when a key is made, used or dropped. */
import * as os from "node:os";
import * as path from "node:path";
import * as z from "zod";
import { CountersignError } from "../core/errors";
import { sha256 } from "./auditBytes";
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from "./privateFile";

/** A key is in force from the segment in which the log names it until the next one is named. */
export interface KeptKey {
  readonly from: number;
  /** Base64 of 32 bytes. */
  readonly seed: string;
}

export interface KeptKeys {
  readonly v: 1;
  /** Verifier key that the log was opened with; what a person pins. */
  readonly first?: string | undefined;
  /** Oldest first; the last one is in force. Older ones only until the last checkpoint of their segments is signed. */
  readonly keys: readonly KeptKey[];
  /** Made, and perhaps named in the log already. */
  readonly next?: KeptKey | undefined;
}

/** One secret text per log, in a store that programs without our rights cannot read. */
export interface AuditKeyStore {
  load(logId: string): Promise<string | undefined>;
  save(logId: string, text: string): Promise<void>;
}

const kept = z.object({ from: z.number().int().positive(), seed: z.string() });
const keptKeys = z.object({
  v: z.literal(1),
  first: z.string().optional(),
  keys: z.array(kept),
  next: kept.optional(),
});

/** Throws `audit.unreadable` on a text that is none of ours: making a new key in its place would hide that the old one is gone. */
export function parseKeptKeys(text: string | undefined): KeptKeys {
  if (text === undefined) return { v: 1, keys: [] };
  try {
    return keptKeys.parse(JSON.parse(text));
  } catch (cause) {
    throw new CountersignError("audit.unreadable", "The kept keys of the audit log cannot be read.", {
      cause,
    });
  }
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
