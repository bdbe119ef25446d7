/** Files that only this user may read or change: checked before they are believed, replaced as a whole. Knows nothing of what is in them. */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CountersignError, messageOf } from "../core/errors";

const MAX_BYTES = 8 * 1_048_576;

/** The user id of this process; undefined on Windows, where the profile folder's own rights protect the files. */
const ownUid = (): number | undefined => process.getuid?.();

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code)
  );
}

/**
 * Makes the folder (0700) where it is missing and closes it to others where it is ours.
 * Throws `folder.unsafe` where it is a link, no folder, or somebody else's.
 */
export async function ensurePrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw unsafe(folder, messageOf(error), error);
  }
  const found = await lstat(folder).catch((error: unknown) => {
    throw unsafe(folder, messageOf(error), error);
  });
  if (found.isSymbolicLink()) throw unsafe(folder, "it is a link");
  if (!found.isDirectory()) throw unsafe(folder, "it is not a folder");
  const uid = ownUid();
  if (uid === undefined) return;
  if (found.uid !== uid) throw unsafe(folder, "it belongs to another user");
  if ((found.mode & 0o077) !== 0) {
    await chmod(folder, 0o700).catch((error: unknown) => {
      throw unsafe(folder, messageOf(error), error);
    });
  }
}

function unsafe(folder: string, why: string, cause?: unknown): CountersignError {
  return new CountersignError("folder.unsafe", `The folder ${folder} cannot be used: ${why}.`, {
    hint: "Move it away; Countersign makes a new one.",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The text; undefined where there is no file. Throws `folder.unsafe` for a link, another user's file, or one that others may read. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    // O_NONBLOCK: a pipe in the file's place must not hold us.
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw unsafeFile(path, hasCode(error, "ELOOP") ? "it is a link" : messageOf(error), error);
  }
  try {
    const found = await file.stat();
    const uid = ownUid();
    if (!found.isFile()) throw unsafeFile(path, "it is not a regular file");
    if (uid !== undefined && found.uid !== uid) throw unsafeFile(path, "it belongs to another user");
    if (uid !== undefined && (found.mode & 0o077) !== 0)
      throw unsafeFile(path, "other users may read or change it");
    if (found.size > MAX_BYTES) throw unsafeFile(path, "it is too large");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function unsafeFile(path: string, why: string, cause?: unknown): CountersignError {
  return new CountersignError("folder.unsafe", `The file ${path} is not believed: ${why}.`, {
    hint: "Look at it, then delete it.",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Writes 0600 beside the target and renames over it, so that a reader sees the old text or the new one. Durable when it resolves. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await ensurePrivateFolder(folder);
  const temporary = join(folder, `.${randomBytes(9).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new CountersignError("folder.unsafe", `The file ${path} cannot be written: ${messageOf(error)}`, {
      hint: "Make room, or make the folder writable.",
      cause: error,
    });
  }
  await syncFolder(folder);
}

/** Makes the rename durable where the system can; Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
