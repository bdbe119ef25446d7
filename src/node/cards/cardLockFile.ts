/** `card.lock` on the disk, beside the configuration. Knows its form from the core, and trusts nothing in it. */
import { constants } from "node:fs";
import { lstat, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CardLock, LOCK_FILE, type LockedCard, lockText, readLock } from "../../core/cards/cardLock";
import { messageOf } from "../../core/errors";
import { hasCode } from "../privateFile";

const MAX_BYTES = 1024 * 1024;

/** Never rejects. */
export async function readLockFile(root: string): Promise<CardLock> {
  const file = join(root, LOCK_FILE);
  try {
    const found = await lstat(file);
    if (!found.isFile()) return { kind: "broken", why: "it is no regular file" };
    if (found.size > MAX_BYTES) return { kind: "broken", why: "it is larger than 1 MiB" };
    return readLock(await readFile(file, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { kind: "none" };
    return { kind: "broken", why: messageOf(error) };
  }
}

/** As a whole; a link in its place is replaced, not followed. */
export async function writeLockFile(
  root: string,
  cards: Readonly<Record<string, LockedCard>>,
): Promise<void> {
  const file = join(root, LOCK_FILE);
  const draft = `${file}.${process.pid}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  try {
    const handle = await open(draft, flags, 0o644);
    try {
      await handle.writeFile(lockText(cards), "utf8");
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
