/** Takes back a finding about a folder that does not exist yet: the same text makes it, and removes it again. Judges nothing else. */
import type { FileSystem } from "../../ports";
import { resolvePath } from "../paths/resolvePath";
import { programName } from "../shell/command";
import { commandWords } from "./commandWords";
import type { ShellFinding } from "./judgeShell";
import type { ReadCommand } from "./readCommands";
import { removalOf } from "./removedFiles";

/** These bring what was there before under another name. */
const BRINGS =
  /^(?:mv|ln|rename|rsync|link|mount|move-item|mi|ren|move|robocopy|git-worktree|bindfs|sshfs|stow)$/;
const MAKES = /^(?:mkdir|mktemp|cp|tar|unzip|md|new-item|install)$/;
/** Other verbs of git may bring work back that lies nowhere else: a stash, files of another branch. */
const GIT_MAKES = /^(?:clone|init)$/;

interface On {
  readonly cwd: string | undefined;
  readonly fs: FileSystem;
}

export async function withoutMadeHere(
  findings: readonly ShellFinding[],
  commands: readonly ReadCommand[],
  on: On,
): Promise<readonly ShellFinding[]> {
  const named = (pattern: RegExp) => commands.some(({ argv }) => pattern.test(programName(argv[0]) ?? ""));
  const made = named(MAKES) || commands.some(({ argv }) => makesByGit(argv));
  if (findings.every(({ rule }) => rule.id !== "files.remove") || !made || named(BRINGS)) return findings;
  const out: ShellFinding[] = [];
  for (const finding of findings) if (!(await isMadeHere(finding, on))) out.push(finding);
  return out;
}

function makesByGit(argv: ReadCommand["argv"]): boolean {
  return programName(argv[0]) === "git" && GIT_MAKES.test(argv[1] ?? "");
}

async function isMadeHere({ rule, read }: ShellFinding, { cwd, fs }: On): Promise<boolean> {
  if (rule.id !== "files.remove" || read === undefined || read.elsewhere || cwd === undefined) return false;
  const { paths } = removalOf(commandWords(read.argv), read);
  if (paths.length === 0 || paths.some((path) => /[\u0001*?[]/.test(path))) return false;
  for (const path of paths) {
    const end = await resolvePath({ path, cwd, fs });
    if (!end.ok || end.existed) return false;
  }
  return true;
}
