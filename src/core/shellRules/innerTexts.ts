/** Texts inside a command that a shell, awk or sed will run, beside those that the walk of the tree reads. Judges nothing. */

import type { Shell } from "../call";
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import { programName } from "../shell/command";
import { nestedTexts } from "../shell/nested";
import type { NestedText } from "../shell/nestedText";
import { stdinText } from "../shell/stdin";
import { evaluatedTexts } from "./evaluatedTexts";
import { gitProgramTexts } from "./gitProgramTexts";
import { optionTexts } from "./optionTexts";
import { scriptTexts } from "./scriptTexts";
import { settingTexts } from "./settingTexts";
import { SHELLS } from "./unseenText";
import type { WordVariant } from "./wordVariants";

interface ReadIn {
  readonly variants: readonly WordVariant[];
  /** The text in which the command stands. */
  readonly text: string;
}

export function innerTexts(
  located: LocatedCommand,
  shell: Shell,
  { variants, text: whole }: ReadIn,
): readonly NestedText[] {
  const argv = located.argv.map(asVariable);
  return [
    ...leftOut(located, argv, shell),
    ...(variants.length > 1 ? variants.flatMap((one) => ofVariant(located, one, shell)) : []),
    ...withArguments(argv),
    ...scriptTexts(argv, located.command),
    ...evaluatedTexts(located, argv, whole),
    ...settingTexts(located, argv),
    ...ofStart(argv),
    ...gitProgramTexts(argv),
    ...optionTexts(located.command.argv.map((word) => asVariable(word ?? UNKNOWN))),
    ...(located.command.argv.length === argv.length ? [] : optionTexts(argv)),
    ...ofMakefile(located, argv),
  ];
}

/** The walk puts all values of a variable side by side. */
function ofVariant(
  { command }: LocatedCommand,
  { argv, written }: WordVariant,
  shell: Shell,
): readonly NestedText[] {
  return nestedTexts({ ...command, argv: argv.map(asVariable), words: written }, shell);
}

function asVariable(word: string): string {
  return word.replaceAll(UNKNOWN, "$UNKNOWN");
}

/** Those that run elsewhere, and those with a piece that nobody can tell. */
function leftOut(located: LocatedCommand, argv: readonly string[], shell: Shell): readonly NestedText[] {
  const { command, elsewhere = [] } = located;
  if (located.elsewhere === undefined && !command.argv.includes(null)) return [];
  const known = located.elsewhere === undefined ? nestedTexts(command, shell).map(({ text }) => text) : [];
  const words = command.words.slice(-argv.length);
  // ssh puts its words together to one text.
  const overSsh = elsewhere.some((word) => /(^|\/)ssh$/.test(word)) && argv.some((word) => /\s/.test(word));
  const whole = nestedTexts({ ...command, argv, words }, shell);
  return [...whole, ...(overSsh ? [{ text: argv.join(" "), shell: "sh" as const }] : [])].filter(
    ({ text }) => !known.includes(text),
  );
}

/** `sh -c '"$@"' _ rm -rf src`: the words behind the text are its arguments. */
function withArguments(argv: readonly string[]): readonly NestedText[] {
  if (!SHELLS.test(programName(argv[0]) ?? "")) return [];
  const at = argv.findIndex((word, i) => i > 0 && /^-\w*c$/.test(word));
  const from = argv.findIndex((word, i) => i > at && !/^[-+]\w/.test(word));
  const text = argv[from];
  if (at < 0 || from < 0 || text === undefined || argv.length <= from + 1) return [];
  const [zero = "sh", ...given] = argv.slice(from + 1).map(asWord);
  const body = text.replaceAll(/\$0|\$\{0\}/g, () => zero);
  return [{ text: `set -- ${given.join(" ")}; ${body}`, shell: "sh" }];
}

/** `make -f - <<E`: the lines behind a tab. */
function ofMakefile({ command }: LocatedCommand, argv: readonly string[]): readonly NestedText[] {
  if (
    !/^(?:g?make|bmake)$/.test(programName(argv[0]) ?? "") ||
    !argv.some((word) => /^-?(?:f?-|\/dev\/stdin)$/.test(word))
  )
    return [];
  const stdin = stdinText(command);
  if (stdin.kind !== "text") return [];
  return stdin.texts.flatMap((text) =>
    [...text.matchAll(/^\t[@+-]*([^\n]+)/gm)].map((found) => ({
      text: found[1] ?? "",
      shell: "sh" as const,
    })),
  );
}

/** `Start-Process powershell -ArgumentList '-c','…'` */
function ofStart(argv: readonly string[]): readonly NestedText[] {
  if (!/^(?:start-process|saps|start)$/.test(programName(argv[0]) ?? "")) return [];
  const words = argv
    .slice(1)
    .filter(
      (word) =>
        !/^-(?:argumentlist|args|filepath|verb|wait|nonewwindow|windowstyle|hidden|runas)$/i.test(word),
    );
  return [{ text: words.join(" ").replaceAll(",", " "), shell: "pwsh" }];
}

function asWord(word: string): string {
  if (word.includes("$UNKNOWN")) return `"${word.replace(/(?<!\\)["`\\]/g, "\\$&")}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
