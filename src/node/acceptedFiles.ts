/** Copies of the files that rules reached when a person accepted them, so that the next review can show what changed. For the eye alone: no trust follows from them. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { DATA_FOLDER } from "./dataFolder";
import type { FileDigests } from "./handlers/fileDigest";
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from "./privateFile";

export interface AcceptedFile {
  /** SHA-256 of 64 hex digits, or "absent". */
  readonly digest: string;
  /** Absent where it is too large or no text. */
  readonly text?: string;
}

export interface AcceptedFiles {
  /** Never rejects: without copies a review shows less. */
  keep(
    root: string,
    files: FileDigests,
    config?: { readonly path: string; readonly text: string },
  ): Promise<void>;
  /** By absolute path; empty where nothing was kept or it cannot be read. */
  read(root: string): Promise<ReadonlyMap<string, AcceptedFile>>;
}

/** Bytes of one text, and of all of a folder together. */
const MAX_TEXT = 131_072;
const MAX_ALL = 524_288;

const kept = z.object({
  version: z.literal(1),
  files: z.array(z.object({ path: z.string(), digest: z.string(), text: z.string().exactOptional() })),
});
type Kept = z.output<typeof kept>["files"];

const hashOf = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

export function createAcceptedFiles({ home }: { readonly home: string }): AcceptedFiles {
  const base = join(home, DATA_FOLDER);
  const pathOf = (root: string) => join(base, "accepted", `${hashOf(root)}.files.json`);
  return {
    async keep(root, digests, config) {
      try {
        const files = await copies(digests);
        if (config !== undefined) files.unshift({ ...config, digest: hashOf(config.text) });
        await ensurePrivateFolder(base);
        await writePrivateFile(pathOf(root), JSON.stringify({ version: 1, files }));
      } catch {
        // What is shown next time then has nothing to be compared with.
      }
    },
    async read(root) {
      try {
        const { files } = kept.parse(JSON.parse((await readPrivateFile(pathOf(root))) ?? ""));
        return new Map(files.map(({ path, ...rest }) => [path, rest]));
      } catch {
        return new Map();
      }
    },
  };
}

async function copies(digests: FileDigests): Promise<Kept> {
  let left = MAX_ALL;
  const files: Kept = [];
  for (const [path, digest] of digests) {
    const text = left > 0 ? await textOf(path, digest) : undefined;
    left -= text?.length ?? 0;
    files.push({ path, digest, ...(text === undefined ? {} : { text }) });
  }
  return files;
}

/** Only what was accepted: a file that has changed since is not it. */
async function textOf(path: string, digest: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MAX_TEXT) return undefined;
    const bytes = await readFile(path);
    if (hashOf(bytes) !== digest) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
