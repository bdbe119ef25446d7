/** Judges a terminal text by the rows of the shell guard. Knows no file system and no person. */
import type { Shell } from "../call";
import { UNKNOWN } from "../paths/shellWords";
import { programName } from "../shell/command";
import { parseShell } from "../shell/parse";
import { INTERPRETERS } from "../shell/sqlInCode";
import { PROSE_OPTION, seenTexts, sqlOfCode, TEXT_TOOLS } from "../shell/unknownPrograms";
import { removingCall } from "./codeRemoves";
import { commandWords } from "./commandWords";
import { BOMB, CODE, FETCHED, type FindingRule, UNREAD } from "./fixedFindings";
import { isForkBomb } from "./forkBomb";
import { type Budget, newBudget, type ReadCommand, readCommands } from "./readCommands";
import { fires } from "./shellRule";
import { hasRows, rowsFor } from "./shellTable";
import { shownCommand } from "./shownCommand";
import { aliasesOf, DOWNLOADED, grouped, writtenFiles } from "./textNames";
import { SHELLS } from "./unseenText";

export interface ShellFinding {
  readonly rule: FindingRule;
  /** The command that is meant, as it would run. */
  readonly shown: string;
  readonly read?: ReadCommand;
}

interface ShellJudgement {
  readonly findings: readonly ShellFinding[];
  readonly commands: readonly ReadCommand[];
}

interface Judging {
  readonly shell: Shell;
  readonly cwd: string | undefined;
  readonly depth: number;
  readonly budget: Budget;
  readonly aliases: ReadonlyMap<string, readonly string[]>;
  readonly functions: ReadonlyMap<string, string>;
  /** Files that the text writes, with what they are given. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

const MAX_DEPTH = 6;
/** UTF-16 units; a longer word is a document. */
const LONGEST_WORD = 4000;
/** Words of a command that are tried as a command of their own. */
const MAX_TRIED = 40;

const LOUD =
  /\b(?:rm|rmdir|del|rd|remove-item|shred|dd|mkfs|wipefs|truncate|reset|clean|--force|delete|destroy|drop|purge|prune|terminate|kill|shutdown|reboot|format|unlink|flush\w*|curl|wget|iwr|iex|eval|base64)\b/i;

/** These only name programs, or take words as texts. */
const SPEAKS = new Set(
  (
    "echo printf grep egrep fgrep rg ag ack sed awk gawk git gh glab man which whereis type command tldr info help cat ls test [ [[ logger jq yq write-output " +
    "write-host apropos whatis compgen complete hash pgrep pkill ps alias unalias export declare local readonly typeset set unset read printenv " +
    "apt apt-get apt-cache aptitude brew pip pip3 npm yarn pnpm cargo gem dpkg dnf yum pacman apk snap docker podman kubectl helm terraform aws gcloud az " +
    "get-help help get-command gcm get-alias where-object cd mkdir touch mv cp ln chmod chown tar zip unzip rsync scp curl wget rm for case select function return exit ssh-keygen systemctl service journalctl"
  ).split(" "),
);

/** Everything that the rows find, the worst first. */
export function judgeShell(text: string, shell: Shell, cwd?: string): ShellJudgement {
  const budget = newBudget();
  const judged = judge(text, {
    shell,
    cwd,
    depth: 0,
    budget,
    aliases: new Map(),
    functions: new Map(),
    files: new Map(),
  });
  if (!budget.cut) return judged;
  return { ...judged, findings: [...judged.findings, { rule: UNREAD, shown: shownCommand([text]) }] };
}

function judge(text: string, on: Judging): ShellJudgement {
  // `judgeShell` says it, once.
  if (on.budget.cut) return { findings: [], commands: [] };
  const { commands, cut, functions } = readCommands(text, on.shell, { cwd: on.cwd, budget: on.budget });
  const aliases = grouped(on.aliases, commands.flatMap(aliasesOf));
  const inside: Judging = {
    ...on,
    aliases,
    functions: new Map([...on.functions, ...functions]),
    files: grouped(on.files, commands.flatMap(writtenFiles)),
    depth: on.depth + 1,
  };
  const findings = commands.flatMap((read) => judgeOne(read, inside));
  if (isForkBomb(text)) findings.push({ rule: BOMB, shown: shownCommand([text]) });
  if (cut || (LOUD.test(text) && !parseShell(text, on.shell).ok))
    findings.push({ rule: UNREAD, shown: shownCommand([text]) });
  const worst = findings.filter(({ rule }) => rule.verdict === "deny");
  return { findings: [...worst, ...findings.filter((one) => !worst.includes(one))], commands };
}

function judgeOne(read: ReadCommand, on: Judging): ShellFinding[] {
  const own = rowFinding(read);
  if (own.length > 0) return own;
  if (on.depth > MAX_DEPTH) {
    on.budget.cut = true;
    return [];
  }
  const name = read.argv[0] ?? "";
  const alias = on.aliases.get(name.replace(/^\.\//, ""));
  if (alias !== undefined) {
    const rest = {
      ...on,
      aliases: new Map([...on.aliases].filter(([known]) => known !== name.replace(/^\.\//, ""))),
    };
    const given = read.argv.slice(1).map(quoted).join(" ");
    return alias.flatMap((text) => [...judge(`${text} ${given}`, rest).findings]);
  }
  if (on.functions.has(name) && read.argv.length > 1) return [...calledFindings(read, on)];
  return [
    ...packageFindings(read, on),
    ...fileFindings(read, on),
    ...codeFindings(read, on),
    ...givenFindings(read, on),
    ...behindFindings(read, on),
  ];
}

function rowFinding(read: ReadCommand): ShellFinding[] {
  const words = commandWords(read.argv);
  const program = /[*?[]/.test(words.program) || words.program.includes(UNKNOWN) ? UNKNOWN : words.program;
  const seen = program === UNKNOWN ? { ...read, argv: [UNKNOWN, ...read.argv.slice(1)] } : read;
  const rule = rowsFor(program).find((row) => fires(row, { ...words, program }, seen));
  return rule === undefined ? [] : [{ rule, shown: shownCommand(read.argv, read.located), read }];
}

/** A function of the text, with the words that it is given. */
function calledFindings(read: ReadCommand, on: Judging): readonly ShellFinding[] {
  const name = read.argv[0] ?? "";
  const body = on.functions.get(name);
  if (body === undefined || read.argv.length < 2) return [];
  const rest = { ...on, functions: new Map([...on.functions].filter(([known]) => known !== name)) };
  return judge(`set -- ${read.argv.slice(1).map(quoted).join(" ")}; ${body}`, rest).findings;
}

/** A file that the text itself has written. */
function fileFindings(read: ReadCommand, on: Judging): readonly ShellFinding[] {
  if (on.files.size === 0) return [];
  const program = programName(read.argv[0]) ?? "";
  const runs =
    SHELLS.test(program) || /^(?:\.|source|exec)$/.test(program) ? read.argv.slice(1) : read.argv.slice(0, 1);
  const inputs = SHELLS.test(program)
    ? read.located.redirects.filter(({ op }) => op === "<").map(({ word }) => word.text)
    : [];
  const texts = [...runs, ...inputs].flatMap((word) => on.files.get(word.replace(/^\.\//, "")) ?? []);
  return texts.flatMap((text) =>
    text === DOWNLOADED
      ? [{ rule: FETCHED, shown: shownCommand(read.argv, read.located), read }]
      : judge(text, { ...on, shell: "sh", files: new Map() }).findings,
  );
}

/** Program text in the words or on standard input: what it runs, and what it removes itself. */
function codeFindings(read: ReadCommand, on: Judging): ShellFinding[] {
  const name = programName(read.argv[0]) ?? "";
  if (!INTERPRETERS.test(name)) return [];
  const argv = read.argv.map((word) => (word.includes(UNKNOWN) ? null : word));
  const { command } = read.located;
  const shell = sqlOfCode(name, argv, command).shell.flatMap((text) => [
    ...judge(text, { ...on, shell: "sh" }).findings,
  ]);
  if (shell.length > 0) return shell;
  // `perl -e 'system(shift)' 'rm -rf src'`
  const runsWords = read.argv.some(
    (word) =>
      /\b(?:ARGV|argv|shift)\b/.test(word) &&
      /\b(?:system|exec\w*|popen|run|call|spawn\w*|check_output)\b/.test(word),
  );
  const given = runsWords
    ? read.argv.slice(2).flatMap(
        (_, at) =>
          judge(
            read.argv
              .slice(at + 2)
              .map(quoted)
              .join(" "),
            { ...on, shell: "sh" },
          ).findings,
      )
    : [];
  const words = runsWords
    ? read.argv
        .slice(2)
        .filter((word) => /\s/.test(word))
        .flatMap((word) => judge(word, { ...on, shell: "sh" }).findings)
    : [];
  if (given.length + words.length > 0) return [...given, ...words];
  const call = seenTexts(argv, command)
    .map((code) => removingCall(code, name))
    .find((found) => found !== undefined);
  return call === undefined ? [] : [{ rule: CODE, shown: shownCommand(read.argv, read.located), read }];
}

/** `nodemon --exec 'rm -rf src'`: a word of a program that is not known here may be a shell text. */
function givenFindings(read: ReadCommand, on: Judging): ShellFinding[] {
  const name = programName(read.argv[0]) ?? "";
  if (SPEAKS.has(name) || TEXT_TOOLS.has(name) || INTERPRETERS.test(name) || hasRows(name)) return [];
  return read.argv
    .slice(1, MAX_TRIED)
    .filter(
      (word, at) =>
        /\s/.test(word) &&
        word.length < LONGEST_WORD &&
        !PROSE_OPTION.test(read.argv[at] ?? "") &&
        !PROSE_OPTION.test(word),
    )
    .flatMap((word) => [
      ...judge(word.replace(/^--?[\w-]+=/, "").replaceAll(UNKNOWN, "$UNKNOWN"), { ...on, shell: "sh" })
        .findings,
    ])
    .filter(({ rule }) => !/^run\.(unread|unknown|piped)/.test(rule.id));
}

/** Words of cmd's own in front of a command. */
const CMD_WORDS = /^(?:if|else|do|call|start|in)$/;

/** `chronic rm -rf src`, `f rm -rf src`: what stands behind a program that is not known here may be what it runs. */
function behindFindings(read: ReadCommand, on: Judging): ShellFinding[] {
  const name = programName(read.argv[0]) ?? "";
  const leads = read.family === "windows" && CMD_WORDS.test(name);
  if ((SPEAKS.has(name) || TEXT_TOOLS.has(name) || hasRows(name)) && !leads) return [];
  for (const at of read.argv.slice(0, MAX_TRIED).keys()) {
    const word = read.argv[at] ?? "";
    if (at === 0 || !/^[\w./-]*\w$/.test(word) || !hasRows(programName(word) ?? "")) continue;
    const found = judgeOne(from(read, at), { ...on, depth: on.depth + 1 });
    if (found.length > 0) return found;
  }
  return [];
}

/** The command from one of its words on. */
function from(read: ReadCommand, at: number): ReadCommand {
  return { ...read, argv: read.argv.slice(at), written: read.written.slice(at) };
}

/** `npm exec -- rimraf src`, `pnpm dlx rimraf src` */
function packageFindings(read: ReadCommand, on: Judging): readonly ShellFinding[] {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(programName(read.argv[0]) ?? "")) return [];
  const verb = read.argv.findIndex((word, at) => at > 0 && /^(?:exec|x|dlx)$/.test(word));
  const at = read.argv.findIndex((word, i) => verb > 0 && i > verb && !word.startsWith("-"));
  return at < 0 ? [] : judgeOne(from(read, at), { ...on, depth: on.depth + 1 });
}

function quoted(word: string): string {
  if (word.includes(UNKNOWN)) return word.replaceAll(UNKNOWN, "$UNKNOWN");
  return /^[\w@%+=:,./*?~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
