/** Digests of the files that a handler reaches: what a person trusts, and whether it is still that. Runs nothing. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { messageOf } from "../../core/errors";
import { hasCode } from "../privateFile";
import { namesIn } from "./folderNames";
import { linkedDigest } from "./linkedPath";

/** SHA-256 in 64 hex digits, or "absent": one that appears later was not seen by the person who trusted the rest. */
export type FileDigest = string;

/** Absolute path → digest. */
export type FileDigests = ReadonlyMap<string, FileDigest>;

export const ABSENT = "absent";
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Of what lies there and of the links that lead to it. Rejects where it is there and cannot be read, is no regular file, or is
 * larger than 64 MiB.
 */
export async function digestOf(path: string): Promise<FileDigest> {
  const content = await contentOf(path);
  return content === ABSENT ? ABSENT : ((await linkedDigest(path, content)) ?? content);
}

async function contentOf(path: string): Promise<FileDigest> {
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
  /** Those of `files` that are links to programs of the system: only where they lead is watched. */
  readonly links: ReadonlySet<string>;
  /** Absolute paths that must stay without a file: it would be taken before what was meant. */
  readonly empty: ReadonlySet<string>;
  /** Folders that were taken whole → the names in them. */
  readonly folders: ReadonlyMap<string, string>;
}

/** Undefined = all is as it was; else which file is not. Never rejects. */
export async function changedFile(reached: Reached): Promise<string | undefined> {
  const { files, watched, links, empty, folders } = reached;
  for (const [folder, names] of folders) {
    if ((await namesIn(folder)) !== names) return `${folder} holds other files`;
  }
  for (const path of empty) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) return `${path} has appeared`;
  }
  for (const [folder, names] of watched) {
    const intruder = await intruderIn(folder, names);
    if (intruder !== undefined) return `${intruder} has appeared`;
  }
  for (const [path, digest] of files) {
    try {
      const now = links.has(path) ? ((await linkedDigest(path)) ?? ABSENT) : await digestOf(path);
      if (now === digest) continue;
      if (now === ABSENT) return `${path} is gone`;
      return digest === ABSENT ? `${path} has appeared` : `${path} has changed`;
    } catch (error) {
      return `${path} cannot be read: ${messageOf(error)}`;
    }
  }
  return undefined;
}

/**
 * Changes with any write to one of the files and with any swap, also one that is undone: the system's own time of change
 * is in it. What a whole folder's swap undoes does not show here. Never rejects.
 */
export async function stampOf({ files }: Pick<Reached, "files">): Promise<string> {
  const stamps = [...files.keys()].map(async (path) => {
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    const own = await lstat(path, { bigint: true }).catch(() => undefined);
    return [found?.dev, found?.ino, found?.size, found?.ctimeNs, own?.ino, own?.ctimeNs].join(":");
  });
  return (await Promise.all(stamps)).join("\n");
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
