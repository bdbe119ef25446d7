/** Looks whether what may be removed without a question really lies where its name says. Judges no command by itself. */
import type { FileSystem } from "../../ports";
import { inFolder } from "../paths/changeFolder";
import { resolvePath } from "../paths/resolvePath";
import { tempPlaces } from "../paths/tempPlaces";
import { commandWords } from "./commandWords";
import { isDisposable } from "./disposable";
import type { ShellFinding } from "./judgeShell";
import type { ReadCommand } from "./readCommands";
import { removalOf } from "./removedFiles";
import { shownCommand } from "./shownCommand";

const LINKED: ShellFinding["rule"] = {
  id: "files.remove_linked",
  reason: "A link leads from there to files of another place, and these are removed.",
  suggestion: "Remove the link itself, without a slash behind it.",
  onceOnly: true,
};
const MAX_LOOKS = 64;

interface On {
  readonly cwd: string | undefined;
  readonly fs: FileSystem;
}

export async function linkedAway(
  commands: readonly ReadCommand[],
  { cwd, fs }: On,
): Promise<readonly ShellFinding[]> {
  let looks = MAX_LOOKS;
  for (const read of commands) {
    const words = commandWords(read.argv);
    if (read.elsewhere || !/^(rm|remove-item|ri|rd|rmdir|del)$/.test(words.program)) continue;
    const { paths, deep } = removalOf(words, read);
    if (!deep) continue;
    for (const path of paths) {
      if (looks-- <= 0 || path.includes("\u0001")) break;
      if (await leadsAway(path, { cwd, fs }))
        return [{ rule: LINKED, shown: shownCommand(read.argv, read.located), read }];
    }
  }
  return [];
}

/** What is removed below a link lies where the link leads. A link that is named itself is removed alone. */
async function leadsAway(path: string, { cwd, fs }: On): Promise<boolean> {
  const folder = path.replace(/[/\\]*[^/\\]*$/, "");
  if (folder === "" || cwd === undefined) return false;
  const end = await resolvePath({ path: folder, cwd, fs });
  const base = await resolvePath({ path: cwd, cwd, fs });
  if (!end.ok || !base.ok) return true;
  const below = `${base.real.text.replace(/\/$/, "")}/`;
  const own = end.real.text.startsWith(below) ? end.real.text.slice(below.length) : end.real.text;
  if (tempPlaces.at(end.real, { own: undefined }) !== undefined) return false;
  // The folder itself need not be one that is made anew: `packages/a/dist`.
  const last = path.slice(folder.length).replace(/^[/\\]+/, "");
  return !isDisposable(inFolder(last === "" ? "." : last, own), { cwd: base.real.text, taken: "deep" });
}
