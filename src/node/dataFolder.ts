/** Where the data of a call's workspace lies: `<root>/.countersign`. Knows folders, nothing of what is kept in them. */
import { lstat, open, realpath } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Result } from "../core/errors";
import { CountersignError } from "../core/errors";
import { CONFIG_JSON, CONFIG_TOML } from "./configFiles";
import { ensurePrivateFolder, hasCode } from "./privateFile";

export const DATA_FOLDER = ".countersign";

export interface DataFolderQuery {
  /** Absolute; absent where the call has none. */
  readonly cwd?: string;
  readonly workspaceFolders: readonly string[];
  readonly home: string;
}

export interface DataFolder {
  /** Real path of the workspace the call belongs to, or the home folder. */
  readonly root: string;
  /** `<root>/.countersign`; need not exist. */
  readonly folder: string;
}

/**
 * The workspace folder that holds the cwd, else the nearest ancestor of the cwd with a configuration or data folder
 * (the home folder and its parents never count), else the home folder. Without a cwd: the first workspace folder.
 */
export async function findDataFolder({ cwd, workspaceFolders, home }: DataFolderQuery): Promise<DataFolder> {
  const [realHome, realCwd, ...folders] = await Promise.all([
    realOf(home),
    cwd === undefined ? undefined : realOf(cwd),
    ...workspaceFolders.map(realOf),
  ]);
  if (realCwd === undefined) return at(folders[0] ?? realHome);
  const holding = folders.filter((folder) => holds(folder, realCwd)).sort((a, b) => b.length - a.length);
  return at(holding[0] ?? (await marked(realCwd, realHome)) ?? realHome);
}

const at = (root: string): DataFolder => ({ root, folder: join(root, DATA_FOLDER) });

/** True when `path` is the folder or lies in it. */
export function holds(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function marked(from: string, home: string): Promise<string | undefined> {
  for (let folder = from; !holds(folder, home); folder = dirname(folder)) {
    for (const name of [CONFIG_TOML, CONFIG_JSON, DATA_FOLDER]) {
      if (await isThere(join(folder, name))) return folder;
    }
    if (dirname(folder) === folder) return undefined;
  }
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The real path; of a folder that does not exist, that of its deepest existing ancestor and the rest. */
export async function realOf(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(await realOf(parent), absolute.slice(parent.length));
  }
}

/** Makes the folder, closed to other users and unseen by git. A problem where it is a link or somebody else's. */
export async function ensureDataFolder(root: string): Promise<Result<string>> {
  const { folder } = at(root);
  try {
    await ensurePrivateFolder(folder);
    await ignoreAll(join(folder, ".gitignore"));
    return { ok: true, value: folder };
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    const { code, message, hint } = error;
    const suggestion = hint === undefined ? {} : { suggestion: hint };
    return { ok: false, problems: [{ code, file: folder, line: 1, column: 1, message, ...suggestion }] };
  }
}

async function ignoreAll(path: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile("*\n").finally(() => file.close());
  } catch (error) {
    // A read-only disk is the audit log's to report; without the file git shows the folder, nothing worse.
    if (!hasCode(error, "EEXIST", "EROFS", "EACCES", "ENOSPC", "EPERM")) throw error;
  }
}
