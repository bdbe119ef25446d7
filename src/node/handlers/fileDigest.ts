/** Digests of the files that a handler reaches: what a person trusts, and whether it is still that. Runs nothing. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { messageOf } from "../../core/errors";
import { hasCode } from "../privateFile";

/** SHA-256 in 64 hex digits, or "absent": one that appears later was not seen by the person who trusted the rest. */
export type FileDigest = string;

/** Absolute path → digest. */
export type FileDigests = ReadonlyMap<string, FileDigest>;

export const ABSENT = "absent";
const MAX_BYTES = 64 * 1024 * 1024;

/** Rejects where it is there and cannot be read, is no regular file, or is larger than 64 MiB. */
export async function digestOf(path: string): Promise<FileDigest> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    // O_NONBLOCK: a pipe in the file's place must not hold us.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return ABSENT;
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error(`${path} is not a regular file`);
    if (found.size > MAX_BYTES) throw new Error(`${path} is larger than 64 MiB`);
    const hash = createHash("sha256");
    for await (const chunk of handle.createReadStream({ autoClose: false, end: MAX_BYTES }))
      hash.update(chunk);
    return hash.digest("hex");
  } finally {
    await handle.close();
  }
}

/** Folder → names of modules that must not appear in it: one of them would be taken before what was meant. */
export type Watched = ReadonlyMap<string, ReadonlySet<string>>;

export interface Reached {
  readonly files: FileDigests;
  readonly watched: Watched;
}

/** Undefined = all is as it was; else which file is not. Never rejects. */
export async function changedFile({ files, watched }: Reached): Promise<string | undefined> {
  for (const [folder, names] of watched) {
    const intruder = await intruderIn(folder, names);
    if (intruder !== undefined) return `${intruder} has appeared`;
  }
  for (const [path, digest] of files) {
    try {
      const now = await digestOf(path);
      if (now === digest) continue;
      if (now === ABSENT) return `${path} is gone`;
      return digest === ABSENT ? `${path} has appeared` : `${path} has changed`;
    } catch (error) {
      return `${path} cannot be read: ${messageOf(error)}`;
    }
  }
  return undefined;
}

async function intruderIn(folder: string, names: ReadonlySet<string>): Promise<string | undefined> {
  for (const entry of await readdir(folder).catch(() => [])) {
    const [, name = "", ending] = /^([A-Za-z_]\w*)(\.py|\..*so|\..*pyd)?$/.exec(entry) ?? [];
    if (!names.has(name)) continue;
    const file = join(folder, entry);
    const isTaken =
      ending !== undefined || (await stat(join(file, "__init__.py")).catch(() => undefined)) !== undefined;
    if (isTaken) return file;
  }
  return undefined;
}

/** One digest for all of them, the same wherever the folder lies. 64 hex digits. */
export function digestOfAll(files: FileDigests, folder: string): string {
  const lines = [...files].map(([path, digest]) => {
    const inside = relative(folder, path);
    const name = inside.startsWith("..") ? path : inside.split(sep).join("/");
    return JSON.stringify([name, digest]);
  });
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}
