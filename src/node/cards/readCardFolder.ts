/** Every file of a card's folder, read through descriptors: links, pipes and devices are refused, never followed. Judges no content. */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  type CardFile,
  filesProblem,
  MAX_CARD_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  shown,
} from "../../core/cards/cardFiles";
import { messageOf } from "../../core/errors";
import { hasCode } from "../privateFile";

export type CardFolder =
  | { readonly kind: "read"; readonly files: readonly CardFile[] }
  | { readonly kind: "missing" }
  /** `path` is below the folder, where one file is to blame. */
  | { readonly kind: "refused"; readonly why: string; readonly path?: string };

export type Skip = (path: string) => boolean;

class Refused extends Error {
  readonly path: string;
  constructor(path: string, why: string) {
    super(`${shown(path)} ${why}`);
    this.path = path;
  }
}

/** Never rejects. `skip` is asked of every path below the folder, folders too. */
export async function readCardFolder(folder: string, skip: Skip = () => false): Promise<CardFolder> {
  try {
    const top = await lstat(folder);
    if (!top.isDirectory()) return { kind: "refused", why: "it is no folder" };
    const files: CardFile[] = [];
    let bytes = 0;
    const waiting = [""];
    for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
      const entries = await readdir(join(folder, inside), { withFileTypes: true });
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
        if (skip(path)) continue;
        if (entry.isDirectory()) {
          if (waiting.push(path) > MAX_FILES) throw new Refused(path, "is one folder too many");
          continue;
        }
        if (entry.isSymbolicLink()) throw new Refused(path, "is a link, and a card holds only files");
        if (!entry.isFile()) throw new Refused(path, "is no regular file, and a card holds only files");
        if (files.length >= MAX_FILES) throw new Refused(path, `is one file more than ${MAX_FILES}`);
        const file = { path, bytes: await readOne(join(folder, path), path) };
        bytes += file.bytes.length;
        if (bytes > MAX_CARD_BYTES) throw new Refused(path, "brings the card above 32 MiB");
        files.push(file);
      }
    }
    const wrong = filesProblem(files);
    return wrong === undefined ? { kind: "read", files } : { kind: "refused", why: wrong };
  } catch (error) {
    if (error instanceof Refused) return { kind: "refused", why: error.message, path: error.path };
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { kind: "missing" };
    return { kind: "refused", why: messageOf(error) };
  }
}

/** What was a file a moment ago may be a link or a pipe by now. */
async function readOne(file: string, path: string): Promise<Uint8Array> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new Refused(
      path,
      hasCode(error, "ELOOP")
        ? "is a link, and a card holds only files"
        : `cannot be read: ${messageOf(error)}`,
    );
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Refused(path, "is no regular file, and a card holds only files");
    if (found.size > MAX_FILE_BYTES) throw new Refused(path, "is larger than 4 MiB");
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
