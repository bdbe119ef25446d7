/** Rows for the other version controls, and for git by another name. Pure data. */
import { hasOption } from "./commandWords";
import { names, type ShellRule } from "./shellRule";

const SEE_FIRST = "Look first with its status and diff.";

/** First words of each program that throw work away, with what they need behind them. */
const LOSES: Readonly<Record<string, RegExp>> = {
  hg: /^(?:purge|clean|strip|rollback|(?:update|up|checkout|co)\b.*\s(?:-\w*C\w*|--cle\w*)(?:\s|$)|revert(?!.*\s(?:-n|--dry-run))\b|push\b.*\s(?:-f|--force)|(?:debugstrip|histedit|prune)\b)/,
  svn: /^(?:revert(?!.*--help)\b|cleanup\b.*--remove-|(?:delete|del|remove|rm)\b.*(?:--force|:\/\/)|switch\b.*--force|update\b.*--force)/,
  jj: /^(?:abandon|restore|undo|revert|op(?:eration)?\s+(?:restore|abandon|undo|revert)|git\s+push\b.*--delete|(?:bookmark|branch)\s+(?:delete|forget)|workspace\s+forget|squash\b.*--use-destination)/,
  bzr: /^(?:revert|clean-tree|uncommit)/,
  brz: /^(?:revert|clean-tree|uncommit)/,
  fossil: /^(?:revert|clean|undo|purge|close\b.*--force)/,
  p4: /^(?:revert|clean|obliterate|delete)/,
  cvs: /^(?:update|up)\b.*\s-\w*C/,
  sl: /^(?:purge|clean|strip|hide|(?:goto|go|update)\b.*\s(?:-\w*C\w*|--clean)|revert)/,
};

export const OTHER_GIT_ROWS: readonly ShellRule[] = [
  {
    id: "vcs.loses_work",
    programs: names("hg svn jj bzr brz fossil p4 cvs sl"),
    when: ({ program, words }) => {
      const verb = words.findIndex(
        (word, at) => !word.startsWith("-") && !/^(?:--config|-R|--cwd)$/.test(words[at - 1] ?? ""),
      );
      return verb >= 0 && LOSES[program]?.test(words.slice(verb).join(" ")) === true;
    },
    without: "--help",
    reason: "It throws away work that is not committed, or commits that nothing else holds.",
    suggestion: SEE_FIRST,
    onceOnly: true,
    firesOn: [
      "hg purge --all",
      "hg update -C",
      "svn revert -R .",
      "jj abandon",
      "fossil clean -f",
      "p4 revert ...",
    ],
    staysQuietOn: ["hg status", "hg update default", "svn update", "jj log", "jj git push", "p4 sync"],
  },
  {
    id: "git.other_name",
    programs: names("hub"),
    when: (command) => {
      const [verb = ""] = command.operands.map(({ text }) => text);
      if (verb === "push") return hasOption(command, "-f|--force|--force-with-lease|--mirror|--delete|-d");
      if (verb === "reset") return hasOption(command, "--hard|--keep|--merge");
      return verb === "clean" && !hasOption(command, "-n|--dry-run");
    },
    reason: "It throws away changes, or overwrites what others may have fetched.",
    suggestion: "Look first with git status and git log.",
    onceOnly: true,
    firesOn: ["hub push -f", "hub reset --hard", "hub clean -fdx"],
    staysQuietOn: ["hub push origin topic", "hub reset", "hub pull-request"],
  },
  {
    id: "git.reset_keep",
    programs: names("git"),
    verbs: ["reset"],
    options: ["--keep|--merge"],
    reason: "It moves the branch away from commits, and may throw changes away.",
    suggestion: "Make a branch here first: git branch keep.",
    onceOnly: true,
    firesOn: ["git reset --keep HEAD~3", "git reset --merge"],
    staysQuietOn: ["git reset --mixed HEAD~1", "git reset --soft HEAD~1"],
  },
  {
    id: "git.move_ref",
    programs: names("git"),
    verbs: ["update-ref"],
    when: ({ rest }) => /^(?:refs\/(?:heads|remotes)\/|HEAD$|refs\/stash)/.test(rest[0]?.text ?? ""),
    reason: "It moves or removes a branch without a look at the commits that it held.",
    suggestion: "Make a new branch: git branch NAME COMMIT.",
    onceOnly: true,
    firesOn: ["git update-ref refs/heads/main HEAD~5", "git update-ref HEAD HEAD~3"],
    staysQuietOn: ["git update-ref refs/tags/a HEAD"],
  },
  {
    id: "git.ref_removed",
    programs: names("git"),
    when: ({ operands, ...command }) => {
      const [verb = "", second = ""] = operands.map(({ text }) => text);
      if (verb === "symbolic-ref") return hasOption(command, "-d|--delete");
      if (verb === "notes") return /^(?:remove|prune)$/.test(second);
      return verb === "lfs" && second === "migrate" && operands[2]?.text !== "info";
    },
    without: "-n|--dry-run",
    reason: "It removes or moves a name that commits are found by.",
    suggestion: "Write down where it points first: git show-ref.",
    firesOn: ["git symbolic-ref -d HEAD", "git notes remove", "git lfs migrate import --everything"],
    staysQuietOn: ["git symbolic-ref HEAD", "git notes show", "git lfs migrate info"],
  },
  {
    id: "git.fetch_force",
    programs: names("git"),
    verbs: ["fetch|pull"],
    when: ({ rest, options }) =>
      rest.some(
        ({ text }) =>
          /^\+?[\w./-]+:[\w./-]+$/.test(text) &&
          !/:\/\//.test(text) &&
          (text.startsWith("+") || hasOption({ options }, "-f|--force")),
      ) ||
      (rest.length === 0 && options.includes("--force") && !options.includes("--tags")),
    reason: "It overwrites a branch of this copy that may hold commits of its own.",
    suggestion: "Fetch without a branch's name, then look at git log.",
    onceOnly: true,
    firesOn: ["git fetch origin +main:main", "git fetch -f origin main:main", "git pull --force"],
    staysQuietOn: [
      "git fetch origin main",
      "git fetch --prune",
      "git fetch --tags --force",
      "git fetch origin main:main",
    ],
  },
];
