/** Rows for git: what throws away work that is not committed. Pure data with small readings of git's words. */
import { hasOption } from "./commandWords";
import { isDisposable } from "./disposable";
import { names, type RuleCommand, type ShellRule } from "./shellRule";

const GIT = names("git");
const SEE_FIRST = "Look first with git status and git diff, or keep the work with git stash.";

/** Every named path is made anew by tools. */
function onlyLeftovers({ rest }: RuleCommand): boolean {
  return rest.length > 0 && rest.every(({ text }) => isDisposable(text));
}

/** `git checkout -- a`, `git checkout main a`, `git checkout src/a.ts`: files, not a branch. */
function checksOutFiles(command: RuleCommand): boolean {
  if (hasOption(command, "-b|-B|--orphan|--track|-t|--detach|-d|-p|--patch")) return false;
  const { rest, words } = command;
  const at = words.indexOf("--");
  const paths = at >= 0 ? words.slice(at + 1) : rest.length > 1 ? rest.slice(1).map(({ text }) => text) : [];
  if (paths.length > 0) return !paths.every((text) => isDisposable(text));
  const only = rest[0]?.text ?? "";
  if (hasOption(command, "--ours|--theirs")) return !onlyLeftovers(command);
  return /^(\.{1,2}|:\/|\*)$|\/$|[*?]|\.(?!\d)[a-z]\w{0,8}$/i.test(only) && !isDisposable(only);
}

export const GIT_ROWS: readonly ShellRule[] = [
  {
    id: "git.reset_hard",
    programs: GIT,
    verbs: ["reset"],
    options: ["--hard"],
    reason: "It throws away all changes that are not committed.",
    suggestion: "Keep them first: git stash.",
    onceOnly: true,
    firesOn: ["git reset --hard", "git -C ../x reset --hard HEAD~1", "git reset HEAD~1 --har"],
    staysQuietOn: ["git reset", "git reset --soft HEAD~1", "git log --grep 'reset --hard'"],
  },
  {
    id: "git.clean",
    programs: GIT,
    verbs: ["clean"],
    without: "-n|--dry-run",
    reason: "It removes files that git does not know; nothing brings them back.",
    suggestion: "See what would go: git clean -n.",
    onceOnly: true,
    firesOn: ["git clean -fd", "git clean -xdf", "git -c clean.requireForce=false clean"],
    staysQuietOn: ["git clean -n", "git clean -ndx", "git clean --dry-run -fd"],
  },
  {
    id: "git.checkout_files",
    programs: GIT,
    verbs: ["checkout"],
    when: checksOutFiles,
    reason: "It overwrites files with another version; changes in them are lost.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: [
      "git checkout -- .",
      "git checkout .",
      "git checkout HEAD -- src",
      "git checkout main src/a.ts",
      "git checkout src/a.ts",
    ],
    staysQuietOn: [
      "git checkout main",
      "git checkout -b fix/a",
      "git checkout v1.2.0",
      "git checkout main -- package-lock.json",
    ],
  },
  {
    id: "git.checkout_force",
    programs: GIT,
    verbs: ["checkout|switch"],
    options: ["-f|--force|--discard-changes"],
    reason: "It changes the branch and throws away what is not committed.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: ["git checkout -f main", "git switch --discard-changes main", "git switch -f main"],
    staysQuietOn: ["git switch main", "git checkout main"],
  },
  {
    id: "git.checkout_index",
    programs: GIT,
    verbs: ["checkout-index"],
    options: ["-f|--force"],
    without: "-n|--no-create",
    reason: "It overwrites files with what the index holds.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: ["git checkout-index -f -a"],
    staysQuietOn: ["git checkout-index -n a"],
  },
  {
    id: "git.read_tree",
    programs: GIT,
    verbs: ["read-tree"],
    options: ["--reset", "-u"],
    reason: "It overwrites the work tree; what is not committed is lost.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: ["git read-tree --reset -u HEAD"],
    staysQuietOn: ["git read-tree -m HEAD"],
  },
  {
    id: "git.reset_branch",
    programs: GIT,
    verbs: ["checkout|switch"],
    options: ["-B|-C|--force-create"],
    when: (command) =>
      command.options.some((word) => /^-[a-z]*[BC]/i.test(word) && /[BC]/.test(word)) ||
      hasOption(command, "--force-create"),
    reason: "It moves a branch that may hold commits of its own.",
    suggestion: "Make a branch with another name: git switch -c NAME.",
    onceOnly: true,
    firesOn: ["git checkout -B main origin/main", "git switch -C main"],
    staysQuietOn: ["git checkout -b topic", "git switch -c topic"],
  },
  {
    id: "git.restore",
    programs: GIT,
    verbs: ["restore"],
    when: (command) =>
      (!hasOption(command, "-S|--staged") || hasOption(command, "-W|--worktree")) && !onlyLeftovers(command),
    without: "-p|--patch",
    reason: "It throws away changes in the work tree.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: [
      "git restore .",
      "git restore src/a.ts",
      "git restore -s@ -SW hello.c",
      "git restore --staged --worktree .",
    ],
    staysQuietOn: ["git restore --staged .", "git restore -S a", "git restore package-lock.json"],
  },
  {
    id: "git.stash_drop",
    programs: GIT,
    verbs: ["stash", "drop|clear"],
    reason: "It throws away stashed work.",
    suggestion: "git stash show -p shows it; git stash pop brings it back.",
    onceOnly: true,
    firesOn: ["git stash drop", "git stash clear"],
    staysQuietOn: ["git stash", "git stash pop", "git stash push -m 'drop'"],
  },
  {
    id: "git.worktree_force",
    programs: GIT,
    verbs: ["worktree", "remove"],
    options: ["-f|--force"],
    reason: "It removes a work tree with changes that are not committed.",
    suggestion: "Without --force git refuses where work would be lost.",
    onceOnly: true,
    firesOn: ["git worktree remove --force ../wt"],
    staysQuietOn: ["git worktree remove ../wt", "git worktree add -f ../wt main"],
  },
  {
    id: "git.rm",
    programs: GIT,
    verbs: ["rm"],
    without: "--cached|-n|--dry-run",
    when: ({ rest, ...command }) =>
      hasOption(command, "-f|--force") ||
      (hasOption(command, "-r") && rest.some(({ text }) => /^(\.|\*|:\/|\.\/)$/.test(text))),
    reason: "It removes files, with changes that are not committed.",
    suggestion: "Without -f git refuses where work would be lost.",
    onceOnly: true,
    firesOn: ["git rm -rf src", "git rm -r .", "git rm --force a"],
    staysQuietOn: ["git rm a", "git rm --cached .env", "git rm -r --cached .", "git rm -r old"],
  },
];
