/** Shell texts that the scripts of awk, sed, ed and their kind run, as far as the script says them. Judges nothing. */
import { codeParts } from "../shell/codeLiterals";
import { programName, type SimpleCommand } from "../shell/command";
import type { NestedText } from "../shell/nestedText";
import { shellInCode } from "../shell/shellInCode";
import { stdinText } from "../shell/stdin";

export const AWK = /^(?:g|m|n)?awk$/;
const SED = /^(?:g?sed|ssed)$/;
const LINE_EDITORS = /^(?:r?ed|ex|vi|vim|nvim)$/;
const CLIENTS = /^(?:sqlite3|psql|mysql|mariadb|duckdb)$/;
/** awk runs a text by one of these. */
const AWK_RUNS = /\bsystem\s*\(|\|&?\s*(?:getline\b|"|[A-Za-z_]\w*)|\|&/;

/** `s/x/rm -rf src/e`, with any sign for the slash. */
const REPLACES_AND_RUNS =
  /(?:^|[;{}\n\s\d$/])s([^\w\s\\])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1[gpiImM\d]*e/gs;

export function scriptTexts(argv: readonly string[], command: SimpleCommand): readonly NestedText[] {
  const name = programName(argv[0]) ?? "";
  if (AWK.test(name))
    return argv
      .slice(1)
      .flatMap((code) => awkTexts(code, name))
      .concat(awkValues(argv));
  if (SED.test(name)) return argv.slice(1).flatMap(sedTexts).map(sh);
  if (LINE_EDITORS.test(name))
    return linesBehind(command, /^\s*(?:\d+|[$.,%])*\s*(?:[rw]\s*|e\s*)?!(.+)$/gm).map(sh);
  return CLIENTS.test(name)
    ? linesBehind(command, /^\s*(?:\.(?:shell|system)|\\!|system)\s+(.+)$/gm).map(sh)
    : [];
}

function sh(text: string): NestedText {
  return { text, shell: "sh" };
}

function awkTexts(code: string, name: string): NestedText[] {
  const { literals } = codeParts(code, name);
  const piped = literals.filter(
    ({ before, end }) => /\|&?\s*$/.test(before) || /^\s*\|&?\s*getline/.test(code.slice(end)),
  );
  const texts = [...shellInCode(literals), ...piped.map(({ text }) => text)];
  // `print "rm -rf " $1 | "sh"`: what is printed goes on with what nobody can tell.
  if (!AWK_RUNS.test(code)) return texts.map(sh);
  return [...texts, ...literals.map(({ text }) => `${text} "$UNKNOWN"`)].map(sh);
}

/** `awk -v c='rm -rf src' '{system(c)}'` */
function awkValues(argv: readonly string[]): NestedText[] {
  if (!argv.some((word) => AWK_RUNS.test(word))) return [];
  return argv.flatMap((word, at) => {
    const set = argv[at - 1] === "-v" ? word : /^(?:-v|--assign=)?(\w+=.*)$/s.exec(word)?.[1];
    const value = /^\w+=(.*)$/s.exec(set ?? "")?.[1];
    return value === undefined || value === "" ? [] : [sh(value)];
  });
}

function sedTexts(script: string): readonly string[] {
  const own = [...script.matchAll(/(?:^|[;{}\n]|[\d$/])\s*e\s+([^\n]+)/g)].map((found) => found[1] ?? "");
  const replaced = [...script.matchAll(REPLACES_AND_RUNS)].map((found) => found[3] ?? "");
  return [...own, ...replaced];
}

function linesBehind(command: SimpleCommand, line: RegExp): readonly string[] {
  const stdin = stdinText(command);
  if (stdin.kind !== "text") return [];
  return stdin.texts.flatMap((text) => [...text.matchAll(line)].map((found) => found[1] ?? ""));
}

/** awk runs a field, or a name that the script gives no text of its own. */
export function awkRunsInput(argv: readonly string[]): boolean {
  const values = argv.flatMap((word, at) =>
    argv[at - 1] === "-v" ? [word.split("=")[0]] : /^-v\w+=/.test(word) ? [word.slice(2).split("=")[0]] : [],
  );
  return argv.slice(1).some((code) => {
    if (/\$\d+\s*\|\s*getline/.test(code) || /\bsystem\s*\(\s*(?:\$|ENVIRON|ARGV)/.test(code)) return true;
    if (/\bprint\s*(?:\$\w+)?\s*\|\s*"(?:\/bin\/)?(?:ba|z|da)?sh"/.test(code)) return true;
    const name = /\bsystem\s*\(\s*([A-Za-z_]\w*)\s*[)]/.exec(code)?.[1];
    return name !== undefined && !values.includes(name) && !new RegExp(`\\b${name}\\s*=\\s*["(s]`).test(code);
  });
}

/** sed is told to run what it has read: `e` alone, or a replacement that repeats what was found. */
export function sedRunsInput(argv: readonly string[]): boolean {
  const marked = argv.some((word) => /^(?:-\w*e|--expression(?:=.*)?)$/.test(word));
  const first = argv.findIndex((word, at) => at > 0 && !word.startsWith("-"));
  return argv.some((script, at) => {
    const isScript = marked ? /^(?:-\w*e|--expression)$/.test(argv[at - 1] ?? "") : at === first;
    if (!isScript) return false;
    if (
      /(?:^|[;{}\n]|^[\d$]+!?|\/[!]?)\s*e\s*(?:$|[;}\n])/.test(script) &&
      !/^s?[^\w\s].*[^\w\s].*[^\w\s;]/.test(script)
    )
      return true;
    return [...script.matchAll(REPLACES_AND_RUNS)].some((found) => /^\s*(?:&|\\\d)/.test(found[3] ?? ""));
  });
}
