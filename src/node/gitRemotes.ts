/** Reads the remotes of the repository that holds a folder, from its settings on disk. Runs no git; judges nothing. */
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Remote } from "../core/guards/egress";

const MAX_BYTES = 1024 * 1024;
const MAX_UP = 64;

/** Undefined = no repository, or one whose settings cannot be read. Never rejects. */
export async function gitRemotes(
  cwd: string | undefined,
  folder: string,
): Promise<readonly Remote[] | undefined> {
  try {
    const home = folder.replace(/^~(?=[/\\]|$)/, homedir());
    if (cwd === undefined && !isAbsolute(home)) return undefined;
    const settings = await settingsAbove(resolve(cwd ?? "/", home));
    if (settings === undefined) return undefined;
    const { size } = await stat(settings);
    return size > MAX_BYTES ? undefined : remotesIn(await readFile(settings, "utf8"));
  } catch {
    return undefined;
  }
}

/** `.git` is a folder, or in worktrees and submodules a file that names one. */
async function settingsAbove(start: string): Promise<string | undefined> {
  let folder = start;
  for (let up = 0; up < MAX_UP; up++) {
    const found = await stat(join(folder, ".git")).catch(() => undefined);
    if (found?.isDirectory()) return join(folder, ".git", "config");
    if (found?.isFile()) return join(await commonOf(join(folder, ".git")), "config");
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}

async function commonOf(file: string): Promise<string> {
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(await readFile(file, "utf8"))?.[1] ?? "";
  const own = resolve(dirname(file), named);
  const common = await readFile(join(own, "commondir"), "utf8").catch(() => undefined);
  return common === undefined ? own : resolve(own, common.trim());
}

/** Every address of each remote, the one for pushing included: both are the repository's own. */
export function remotesIn(text: string): readonly Remote[] {
  const out: Remote[] = [];
  let name: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section !== null)
      name = section[1]?.toLowerCase() === "remote" ? section[2]?.replace(/\\(.)/g, "$1") : undefined;
    const value = /(?:^|\])\s*(?:push)?url\s*=\s*(.*?)\s*$/i.exec(line)?.[1];
    if (name !== undefined && value !== undefined) out.push({ name, url: value.replace(/^"(.*)"$/, "$1") });
  }
  return out;
}
