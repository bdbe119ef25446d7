/** What program text in the words or on standard input would run and remove. Knows languages by their words alone. */

import { UNKNOWN } from "../paths/shellWords";
import { programName, UNKNOWN_COMMAND } from "../shell/command";
import { INTERPRETERS } from "../shell/sqlInCode";
import { seenTexts, sqlOfCode } from "../shell/unknownPrograms";
import { codeIntent, foreignRemoves, textsForShell } from "./codeIntent";
import { foreignCode } from "./codeOptions";
import { removingCall } from "./codeRemoves";
import { CODE, HIDDEN_CODE } from "./fixedFindings";
import type { ShellFinding } from "./judgeShell";
import { plainCode } from "./plainCode";
import { quotedWord } from "./quotedWord";
import type { ReadCommand } from "./readCommands";
import { hasRows } from "./shellTable";
import { shownCommand } from "./shownCommand";

/** Judges a text that the code gives to a shell. */
type JudgeText = (text: string) => readonly ShellFinding[];
/** Lines of a text that are tried as a command of their own. */
const MAX_TRIED = 40;

/** Program text in the words or on standard input: what it runs, and what it removes itself. */
export function codeFindings(read: ReadCommand, on: JudgeText): ShellFinding[] {
  const name = programName(read.argv[0]) ?? "";
  if (!INTERPRETERS.test(name)) return [];
  const argv = read.argv.map((word) => (word.includes(UNKNOWN) ? null : word));
  const { command } = read.located;
  const shell = sqlOfCode(name, argv, command).shell.flatMap((text) => [...on(text)]);
  if (shell.length > 0) return shell;
  // `perl -e 'system(shift)' 'rm -rf src'`
  const runsWords = read.argv.some(
    (word) =>
      /\b(?:ARGV|argv|shift)\b/.test(word) &&
      /\b(?:system|exec\w*|popen|run|call|spawn\w*|check_output)\b/.test(word),
  );
  const given = runsWords
    ? read.argv.slice(2).flatMap((_, at) =>
        on(
          read.argv
            .slice(at + 2)
            .map(quotedWord)
            .join(" "),
        ),
      )
    : [];
  const words = runsWords
    ? read.argv
        .slice(2)
        .filter((word) => /\s/.test(word))
        .flatMap((word) => on(word))
    : [];
  if (given.length + words.length > 0) return [...given, ...words];
  return intentFindings(read, on, seenTexts(argv, command));
}

/** Calls under another name, words put together, and texts that run what is read. */
function intentFindings(read: ReadCommand, on: JudgeText, codes: readonly string[]): ShellFinding[] {
  const name = programName(read.argv[0]) ?? "";
  const shown = shownCommand(read.argv, read.located);
  for (const code of codes.map(plainCode)) {
    const shell = sqlOfCode(name, [name, code], UNKNOWN_COMMAND).shell.flatMap((text) => [...on(text)]);
    if (shell.length > 0) return shell;
    const given = shellTextFindings(code, on);
    if (given.length > 0) return given;
    const intent = codeIntent(code);
    if (removingCall(code, name) !== undefined || intent.kind === "removes")
      return [{ rule: CODE, shown, read }];
    if (intent.kind === "hides") return [{ rule: HIDDEN_CODE, shown, read }];
  }
  return [];
}

/** Texts in quotes, where the code starts programs at all. */
function shellTextFindings(code: string, on: JudgeText): ShellFinding[] {
  return textsForShell(code)
    .flatMap((text) => [...on(text)])
    .filter(({ rule }) => !/^run\.(unread|unknown|piped)/.test(rule.id));
}

/** Code of a language that is known by its words alone. */
export function foreignFindings(read: ReadCommand, on: JudgeText): ShellFinding[] {
  const codes = foreignCode(read.argv, read.located.command);
  const shown = shownCommand(read.argv, read.located);
  for (const code of codes.map(plainCode)) {
    const given = [...shellTextFindings(code, on), ...plainLines(code, on)];
    if (given.length > 0) return given;
    if (foreignRemoves(code) || codeIntent(code).kind === "removes") return [{ rule: CODE, shown, read }];
  }
  return [];
}

/** `tclsh <<< 'exec rm -rf src'`, `nu -c 'rm -rf src'` */
function plainLines(code: string, on: JudgeText): ShellFinding[] {
  return code
    .split(/[\n;]/)
    .slice(0, MAX_TRIED)
    .map((line) => line.trim().replace(/^(?:exec|spawn|!|\$\[|sh:)\s*/, ""))
    .filter((line) => /^[\w./-]+ /.test(line) && hasRows(programName(line.split(/\s/)[0]) ?? ""))
    .flatMap((line) => [...on(line)])
    .filter(({ rule }) => !/^run\./.test(rule.id));
}
