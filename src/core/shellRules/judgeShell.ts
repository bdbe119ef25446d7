/** Judges a terminal text by the rows of the shell guard. Knows no file system and no person. */
import type { Shell } from "../call";
import { UNKNOWN } from "../paths/shellWords";
import { isWindowsShell, programName } from "../shell/command";
import { parseShell } from "../shell/parse";
import { INTERPRETERS } from "../shell/sqlInCode";
import { PROSE_OPTION, TEXT_TOOLS } from "../shell/unknownPrograms";
import { codeFindings, foreignFindings } from "./codeFindings";
import { commandWords } from "./commandWords";
import { filesRun, isCodeProgram } from "./filesRun";
import { BOMB, CODE, FETCHED, type FindingRule, HIDDEN_CODE, UNREAD } from "./fixedFindings";
import { isForkBomb } from "./forkBomb";
import { plainWindows } from "./plainWindows";
import { quotedWord } from "./quotedWord";
import { type Budget, newBudget, type ReadCommand, readCommands } from "./readCommands";
import { fires } from "./shellRule";
import { hasRows, rowsFor } from "./shellTable";
import { shownCommand } from "./shownCommand";
import { LOUD, SPEAKS } from "./spokenNames";
import { aliasesOf, DOWNLOADED, filesOf, grouped, textsOfFile } from "./textNames";
import { callsHidden, callsRemove } from "./windowsCalls";

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
/** Commands that are judged of a text that was not read through. */
const MAX_OF_CUT = 200;
/** Words of a command that are tried as a command of their own. */
const MAX_TRIED = 40;

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
    files: filesOf(commands, on.files),
    depth: on.depth + 1,
  };
  // What cannot be read through is asked about whatever else stands in it.
  const judged = cut ? commands.slice(0, MAX_OF_CUT) : commands;
  const findings = judged.flatMap((read) => judgeOne(read, inside));
  findings.push(...windowsFindings(text, inside));
  if (isForkBomb(text)) findings.push({ rule: BOMB, shown: shownCommand([text]) });
  if (cut || (LOUD.test(text) && !parseShell(text, on.shell).ok))
    findings.push({ rule: UNREAD, shown: shownCommand([text]) });
  const worst = findings.filter(({ rule }) => rule.verdict === "deny");
  return { findings: [...worst, ...findings.filter((one) => !worst.includes(one))], commands };
}

/** What PowerShell and cmd hide behind calls, joined texts and variables. */
function windowsFindings(text: string, on: Judging): readonly ShellFinding[] {
  if (!isWindowsShell(on.shell) || on.depth > MAX_DEPTH) return [];
  const plain = plainWindows(text);
  const found = plain === text ? [] : judge(plain, on).findings;
  if (found.length > 0) return found;
  const shown = shownCommand([text]);
  if (callsRemove(text)) return [{ rule: CODE, shown }];
  return callsHidden(text) ? [{ rule: HIDDEN_CODE, shown }] : [];
}

function judgeOne(read: ReadCommand, on: Judging): ShellFinding[] {
  const own = rowFinding(read);
  if (own.length > 0) return own;
  if (on.depth > MAX_DEPTH) {
    on.budget.cut = true;
    return [];
  }
  const name = read.argv[0] ?? "";
  const [key, behind] = aliasUsed(read.argv, on.aliases);
  const alias = on.aliases.get(key);
  if (alias !== undefined) {
    const rest = { ...on, aliases: new Map([...on.aliases].filter(([known]) => known !== key)) };
    const given = behind.map(quotedWord).join(" ");
    return alias.flatMap((text) => [...judge(`${text} ${given}`, rest).findings]);
  }
  if (on.functions.has(name) && read.argv.length > 1) return [...calledFindings(read, on)];
  return [
    ...packageFindings(read, on),
    ...fileFindings(read, on),
    ...codeFindings(read, inShell(on)),
    ...foreignFindings(read, inShell(on)),
    ...givenFindings(read, on),
    ...behindFindings(read, on),
  ];
}

/** The name of an alias as it would be known, and the words behind it: `x a b`, `git x a b`. */
function aliasUsed(
  argv: readonly string[],
  known: ReadonlyMap<string, readonly string[]>,
): readonly [string, readonly string[]] {
  const name = (argv[0] ?? "").replace(/^\.\//, "");
  const runner = programName(name) ?? "";
  if (/^(?:npm|pnpm|yarn|bun)$/.test(runner)) {
    const script = argv.findIndex((word, i) => i > 0 && known.has(`npm ${word === "t" ? "test" : word}`));
    return argv.includes("set")
      ? [name, []]
      : [`npm ${argv[script] === "t" ? "test" : (argv[script] ?? "")}`, argv.slice(script + 1)];
  }
  if (runner !== "git") return [name, argv.slice(1)];
  const at = argv.findIndex((word, i) => i > 0 && known.has(`git ${word}`));
  return [`git ${argv[at] ?? ""}`, argv.slice(at + 1)];
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
  return judge(`set -- ${read.argv.slice(1).map(quotedWord).join(" ")}; ${body}`, rest).findings;
}

/** A file that the text itself has written or brought. */
function fileFindings(read: ReadCommand, on: Judging): readonly ShellFinding[] {
  if (on.files.size === 0) return [];
  const program = programName(read.argv[0]) ?? "";
  const folders = read.located.folders.map((folder) => folder ?? "");
  const texts = filesRun(read).flatMap((file) =>
    folders.flatMap((folder) => textsOfFile(file, on.files, folder)),
  );
  const inner = { ...on, shell: "sh" as const, files: new Map<string, readonly string[]>() };
  return [...new Set(texts)].flatMap((text): readonly ShellFinding[] => {
    if (text === DOWNLOADED) return [{ rule: FETCHED, shown: shownCommand(read.argv, read.located), read }];
    if (!isCodeProgram(program)) return judge(text, inner).findings;
    return codeFindings({ ...read, argv: [read.argv[0] ?? "", "-c", text] }, inShell(inner));
  });
}

function inShell(on: Judging): (text: string) => readonly ShellFinding[] {
  return (text) => judge(text, { ...on, shell: "sh" }).findings;
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
    const plain = withoutVersion(word);
    if (at === 0 || !/^[\w./-]*\w$/.test(plain) || !hasRows(programName(plain) ?? "")) continue;
    const found = judgeOne(from(read, at), { ...on, depth: on.depth + 1 });
    if (found.length > 0) return found;
  }
  return [];
}

/** The command from one of its words on. */
function from(read: ReadCommand, at: number): ReadCommand {
  const argv = read.argv.slice(at).map((word, i) => (i === 0 ? withoutVersion(word) : word));
  return { ...read, argv, written: read.written.slice(at) };
}

/** `rimraf@5` */
function withoutVersion(word: string): string {
  return word.replace(/(?<=\w)@[\w.^~*-]+$/, "");
}

/** `npm exec -- rimraf src`, `pnpm dlx rimraf src` */
function packageFindings(read: ReadCommand, on: Judging): readonly ShellFinding[] {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(programName(read.argv[0]) ?? "")) return [];
  const verb = read.argv.findIndex((word, at) => at > 0 && /^(?:exec|x|dlx)$/.test(word));
  const at = read.argv.findIndex((word, i) => verb > 0 && i > verb && !word.startsWith("-"));
  return at < 0 ? [] : judgeOne(from(read, at), { ...on, depth: on.depth + 1 });
}
