/** Rows for git: what rewrites or removes what others have or nothing else holds, or lets git run programs. Pure data. */
import { hasOption } from "./commandWords";
import { RUN_SETTING } from "./gitProgramTexts";
import { names, type ShellRule } from "./shellRule";

const GIT = names("git");
const SEE_FIRST = "Look first with git status and git diff, or keep the work with git stash.";
/** `+main`, `:topic`: a forced and an emptied reference. */
const FORCED_REF = /^\+|^:[^/]/;
const RUNS_PROGRAMS =
  /^(?:alias\.[^=]+=\s*!|credential\.[^=]*helper=\s*[!./~]|(?:core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|askpass)|diff\.external|diff\.[^=]*\.(?:command|textconv)|filter\.[^=]*\.(?:clean|smudge|process)|merge\.[^=]*\.driver|gpg\.program|sequence\.editor|init\.templatedir|uploadpack\.[^=]*|protocol\.ext\.allow)=(?!(?:false|true|:|0|1|cat|less|store|cache|difft|)$|ssh\s(?!.*Command)|sed -i\s|code --wait$))/i;

export const GIT_HISTORY_ROWS: readonly ShellRule[] = [
  {
    id: "git.push_force",
    programs: GIT,
    verbs: ["push"],
    options: ["-f|--force|--force-with-lease|--force-if-includes|--mirror|--delete|-d|--prune"],
    without: "-n|--dry-run",
    reason: "It overwrites or removes what others may have fetched.",
    suggestion: "Push a new branch, or let a person push.",
    onceOnly: true,
    firesOn: [
      "git push --force",
      "git push -uf origin main",
      "git push --force-with-lease=main origin",
      "git push origin --delete a",
      "git push --mirror x",
    ],
    staysQuietOn: [
      "git push",
      "git push -u origin feature/delete-account",
      "git push --dry-run --force",
      "git push --follow-tags",
    ],
  },
  {
    id: "git.push_ref",
    programs: GIT,
    verbs: ["push"],
    operand: FORCED_REF,
    without: "-n|--dry-run",
    reason: "It overwrites or removes a branch on the server.",
    suggestion: "Push a new branch, or let a person push.",
    onceOnly: true,
    firesOn: ["git push origin +main", "git push origin :topic"],
    staysQuietOn: ["git push origin main", "git push origin HEAD:topic"],
  },
  {
    id: "git.branch_force",
    programs: GIT,
    verbs: ["branch"],
    when: (command) => hasOption(command, "-D|-f|--force") && !hasOption(command, "-r|--remotes|--list"),
    reason: "It removes or moves a branch with commits that no other branch may hold.",
    suggestion: "git branch -d removes only what is merged.",
    firesOn: [
      "git branch -D a",
      "git branch --delete --force a",
      "git branch -f main HEAD~5",
      "git branch -df a",
    ],
    staysQuietOn: ["git branch -d a", "git branch --list 'D*'", "git branch -a"],
  },
  {
    id: "git.rewrite",
    programs: GIT,
    verbs: ["filter-branch|filter-repo"],
    reason: "It rewrites the whole history.",
    suggestion: "Work on a fresh clone.",
    onceOnly: true,
    firesOn: ["git filter-branch --tree-filter 'rm -f a' HEAD", "git filter-repo --path src --force"],
    staysQuietOn: ["git log --oneline"],
  },
  {
    id: "git.rewrite_program",
    programs: names("bfg git-filter-repo git-filter-branch"),
    reason: "It rewrites the whole history.",
    suggestion: "Work on a fresh clone.",
    onceOnly: true,
    firesOn: ["bfg --delete-files id_rsa", "git-filter-repo --force"],
    staysQuietOn: ["git log bfg"],
  },
  {
    id: "git.reflog",
    programs: GIT,
    verbs: ["reflog", "expire|delete"],
    without: "-n|--dry-run",
    reason: "It removes the record by which lost commits are found again.",
    suggestion: "Leave it to git gc, which waits 90 days.",
    onceOnly: true,
    firesOn: ["git reflog expire --expire=now --all", "git reflog delete HEAD@{1}"],
    staysQuietOn: ["git reflog", "git reflog show delete"],
  },
  {
    id: "git.gc_now",
    programs: GIT,
    verbs: ["gc"],
    options: ["--prune"],
    when: ({ options }) =>
      options.some(
        (word) =>
          /^--pru\w*(=(now|all|0|\d+\.(s|m)))?/i.test(word) && !/=\d+\.(day|week|month|year)/.test(word),
      ),
    reason: "It removes commits that nothing points to, at once.",
    suggestion: "git gc without --prune keeps what is younger than two weeks.",
    onceOnly: true,
    firesOn: ["git gc --prune=now --aggressive", "git gc --prune=all"],
    staysQuietOn: ["git gc", "git gc --auto", "git gc --prune=2.weeks.ago"],
  },
  {
    id: "git.prune",
    programs: GIT,
    verbs: ["prune"],
    without: "-n|--dry-run",
    reason: "It removes commits that nothing points to, at once.",
    suggestion: "See what would go: git prune -n.",
    onceOnly: true,
    firesOn: ["git prune", "git prune --expire now"],
    staysQuietOn: ["git prune -n", "git remote prune origin", "git worktree prune", "git prune-packed"],
  },
  {
    id: "git.update_ref",
    programs: GIT,
    verbs: ["update-ref"],
    options: ["-d|--stdin"],
    reason: "It removes a branch or tag without a question.",
    suggestion: "git branch -d removes only what is merged.",
    onceOnly: true,
    firesOn: ["git update-ref -d refs/heads/main"],
    staysQuietOn: ["git update-ref refs/tags/a HEAD"],
  },
  {
    id: "git.force_others",
    programs: GIT,
    verbs: [/^(submodule|replace|lfs)$/],
    options: ["-f|--force|--all"],
    when: ({ rest, words }) => words.includes("replace") || /^(deinit|prune)$/.test(rest[0]?.text ?? ""),
    reason: "It removes or replaces things in the repository by force.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: ["git submodule deinit -f --all", "git lfs prune --force", "git replace --force HEAD HEAD~1"],
    staysQuietOn: [
      "git submodule update --init --force",
      "git lfs prune --dry-run",
      "git lfs ls-files --all",
    ],
  },
  {
    id: "git.runs_programs",
    programs: GIT,
    when: ({ words }) =>
      words.some((word, at) => {
        const set = words[at - 1] === "-c" ? word : /^-c(.+)$/.exec(word)?.[1];
        if (set !== undefined && RUNS_PROGRAMS.test(set)) return true;
        // What the variable holds, nobody can tell.
        const named = words[at - 1] === "--config-env" ? word : /^--config-env=(.+)$/.exec(word)?.[1];
        return named !== undefined && RUN_SETTING.test(named.split("=")[0] ?? "");
      }),
    reason: "It gives git a setting that runs a program.",
    suggestion: "Run the program itself, so that it can be seen.",
    firesOn: [
      "git -c alias.x='!rm -rf src' x",
      "git -c core.sshCommand='sh -c x' fetch",
      "git -c core.fsmonitor=./x status",
      "git --config-env=alias.x=AL x",
    ],
    staysQuietOn: [
      "git -c color.ui=never log",
      "git -c user.name=a commit -m b",
      "git -c core.pager=cat log",
      "git -c alias.l=log l",
      "git -c sequence.editor=: rebase -i main",
      "git --config-env=user.name=N commit",
    ],
  },
  {
    id: "git.config_program",
    programs: GIT,
    verbs: ["config"],
    when: ({ rest, ...command }) =>
      !hasOption(command, "--get|--get-all|--get-regexp|-l|--list|--unset|--unset-all") &&
      rest.some(
        ({ text }, at) => RUNS_PROGRAMS.test(`${text}=${rest[at + 1]?.text ?? ""}`) && rest.length > at + 1,
      ),
    reason: "It sets what git will run later.",
    suggestion: "Let a person change git's settings.",
    firesOn: [
      "git config alias.nuke '!git reset --hard'",
      "git config --global core.hooksPath /tmp/hooks",
      "git config set core.hooksPath x",
    ],
    staysQuietOn: [
      "git config --get core.hooksPath",
      "git config user.email a@b",
      "git config core.hooksPath",
      "git config alias.st status",
    ],
  },
];
