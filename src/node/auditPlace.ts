/** Where an audit log may stand, and how its file is opened: a regular file of ours, no link, 0600 in a 0700 folder. Knows nothing of records. */
import * as fs from "node:fs";
import * as path from "node:path";
import { CountersignError, messageOf } from "../core/errors";

/** What lies beside `audit.jsonl`. */
export interface AuditPlace {
  readonly log: string;
  readonly folder: string;
  readonly lock: string;
  readonly spool: string;
  readonly intents: string;
  readonly key: string;
}

export function auditPlace(file: string): AuditPlace {
  const log = path.resolve(file);
  const folder = path.dirname(log);
  const stem = path.join(folder, path.basename(log).replace(/\.jsonl$/, ""));
  return {
    log,
    folder,
    lock: `${stem}.lock.db`,
    spool: `${stem}.spool`,
    intents: `${stem}.intents`,
    key: `${stem}.hmac-key`,
  };
}

/** `audit.checkpoints` beside `audit.jsonl`. */
export function checkpointsFile(log: string): string {
  return `${log.replace(/\.jsonl$/, "")}.checkpoints`;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const HINTS: Readonly<Record<string, string>> = {
  EACCES: "Make the folder writable for you, or set audit.path to another one.",
  EPERM: "Make the folder writable for you, or set audit.path to another one.",
  EROFS: "The disk is read-only: set audit.path to a writable place.",
  ENOSPC: "The disk is full: free some space; the log goes on by itself.",
  EDQUOT: "Your disk quota is used up: free some space; the log goes on by itself.",
};

export function unwritable(error: unknown, file: string): CountersignError {
  if (error instanceof CountersignError) return error;
  const hint = HINTS[errorCode(error) ?? ""] ?? "Look at the folder of the audit log and its permissions.";
  return new CountersignError(
    "audit.unwritable",
    `The audit log ${file} cannot be written: ${messageOf(error)}.`,
    {
      hint,
      cause: error,
    },
  );
}

/** Makes the folder, private, with a `.gitignore` of its own when it is new: a log is not for the repository. */
export function prepareFolder(place: AuditPlace): void {
  try {
    const made = fs.mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    if (made !== undefined)
      fs.writeFileSync(path.join(made, ".gitignore"), "*\n", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (errorCode(error) === "EEXIST" && isFolder(place.folder)) return;
    throw unwritable(error, place.log);
  }
}

function isFolder(folder: string): boolean {
  return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The file's status, undefined when missing. Throws `audit.path` where anything but a regular file stands. */
export function lookAtLog(file: string): fs.Stats | undefined {
  let stats: fs.Stats | undefined;
  try {
    stats = fs.lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw unwritable(error, file);
  }
  if (stats !== undefined && !stats.isFile()) {
    throw new CountersignError("audit.path", `The audit log ${file} is not a regular file.`, {
      hint: "Remove the link or folder that stands there, or set audit.path to another file.",
    });
  }
  return stats;
}

/** Opens for reading and appending; never follows a link. */
export function openLog(file: string, options: { readonly create: boolean }): number {
  const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = fs.constants;
  const flags = O_APPEND | O_RDWR | (fs.constants.O_NOFOLLOW ?? 0);
  lookAtLog(file);
  try {
    const fd = options.create ? openOrCreate(file, flags, O_CREAT | O_EXCL) : fs.openSync(file, flags);
    if (!fs.fstatSync(fd).isFile()) {
      fs.closeSync(fd);
      throw new CountersignError("audit.path", `The audit log ${file} is not a regular file.`);
    }
    return fd;
  } catch (error) {
    throw unwritable(error, file);
  }
}

function openOrCreate(file: string, flags: number, create: number): number {
  try {
    return fs.openSync(file, flags | create, 0o600);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    const fd = fs.openSync(file, flags);
    if ((fs.fstatSync(fd).mode & 0o077) !== 0 && process.platform !== "win32") fs.fchmodSync(fd, 0o600);
    return fd;
  }
}

/**
 * Writes a small private file so that it is whole or not there, also for who looks meanwhile. Flushed "now" it outlives
 * a power cut; "later" it outlives this process, and the system writes it to the disk in its own time.
 * What stood under the name is replaced. Rejects with the system's error.
 */
export async function writeWhole(file: string, text: string, flush: "now" | "later"): Promise<void> {
  const folder = path.dirname(file);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!fs.lstatSync(folder).isDirectory()) {
    throw new CountersignError("audit.path", `${folder} is a link; nothing is written through it.`, {
      hint: "Remove the link that stands there.",
    });
  }
  const draft = path.join(folder, `.${path.basename(file)}.${process.pid}`);
  try {
    const fd = fs.openSync(draft, "wx", 0o600);
    try {
      writeAll(fd, Buffer.from(text));
      if (flush === "now") await flushed(fd);
    } finally {
      fs.closeSync(fd);
    }
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
  if (flush === "now") await flushFolder(folder);
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done, bytes.length - done);
}

function flushed(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** A new name lasts only once its folder is on the disk. */
async function flushFolder(folder: string): Promise<void> {
  // Windows opens no folders; there the file's own flush has to do.
  if (process.platform === "win32") return;
  const fd = fs.openSync(folder, "r");
  try {
    await new Promise<void>((resolve, reject) => {
      fs.fsync(fd, (error) => (error === null ? resolve() : reject(error)));
    });
  } finally {
    fs.closeSync(fd);
  }
}
