/** Texts inside a command that a shell, awk or sed will run, beside those that the walk of the tree reads. Judges nothing. */

import type { Shell } from "../call";
import type { LocatedCommand } from "../paths/locatedCommand";
import { UNKNOWN } from "../paths/shellWords";
import { codeParts } from "../shell/codeLiterals";
import { programName } from "../shell/command";
import { nestedTexts } from "../shell/nested";
import type { NestedText } from "../shell/nestedText";
import { shellInCode } from "../shell/shellInCode";
import { stdinText } from "../shell/stdin";
import { SHELLS } from "./unseenText";
import type { WordVariant } from "./wordVariants";

const AWK = /^(?:g|m|n)?awk$/;
const SED = /^g?sed$/;
/** These read an index as arithmetic, and run what stands in it. */
const READS_INDEX =
  /^(?:test|\[|\[\[|printf|read|unset|let|declare|typeset|local|export|readonly|wait|mapfile|readarray|expr|getopts|set)$/;
/** Settings whose text a program runs. */
const RUN_SETTINGS =
  /^(?:PS[0-4]|PROMPT_COMMAND|BASH_COMMAND|GIT_(?:SSH_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS)|PAGER|EDITOR|VISUAL|SSH_ASKPASS|LESSOPEN|MANPAGER)$/;

export function innerTexts(
  located: LocatedCommand,
  shell: Shell,
  variants: readonly WordVariant[],
): readonly NestedText[] {
  const argv = located.argv.map(asVariable);
  return [
    ...leftOut(located, argv, shell),
    ...(variants.length > 1 ? variants.flatMap((one) => ofVariant(located, one, shell)) : []),
    ...withArguments(argv),
    ...ofCode(argv),
    ...ofIndexes(argv),
    ...ofSettings(located, argv),
    ...ofStart(argv),
    ...ofOptions(argv),
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

function ofCode(argv: readonly string[]): readonly NestedText[] {
  const name = programName(argv[0]) ?? "";
  if (AWK.test(name)) {
    return argv.slice(1).flatMap((code) => {
      const { literals } = codeParts(code, name);
      const piped = literals.filter(
        ({ before, end }) => /\|&?\s*$/.test(before) || /^\s*\|&?\s*getline/.test(code.slice(end)),
      );
      return [...shellInCode(literals), ...piped.map(({ text }) => text)].map((text) => ({
        text,
        shell: "sh" as const,
      }));
    });
  }
  if (!SED.test(name)) return [];
  return argv.slice(1).flatMap((script) =>
    [...script.matchAll(/(?:^|[;{}\n]|[\d$/])\s*e\s+([^\n]+)/g)].map((found) => ({
      text: found[1] ?? "",
      shell: "sh" as const,
    })),
  );
}

/** Options whose value a program runs, as words: alone, or behind `=`. */
const RUNS_VALUE: Readonly<Record<string, RegExp>> = {
  vim: /^(?:\+|:|-c\b|--cmd\b).*!|^:?(?:silent\s*)?!/s,
  gdb: /^(?:!|shell\s)/,
  tar: /^--(?:checkpoint-action=exec=|to-command=|use-compress-program=|info-script=|new-volume-script=)/,
  rsync: /^--rsh=/,
  ssh: /^-?o?\s*(?:Proxy|Local|Remote|KnownHosts)Command[= ]/i,
  git: /^(?:core|sequence|diff|merge|filter|pager|credential|gpg|difftool|mergetool|interactive)\.[\w.-]+=/,
  split: /^--filter=/,
  sort: /^--compress-program=/,
  man: /^--(?:pager|html)=/,
  socat: /(?:EXEC|SYSTEM):/i,
};
const AFTER: Readonly<Record<string, RegExp>> = {
  vim: /^(?:-c|--cmd)$/,
  gdb: /^-(?:ex|eval-command)$/,
  tar: /^-I$/,
  rsync: /^-e$/,
  man: /^-[PH]$/,
  zip: /^-TT$/,
  complete: /^-C$/,
  ncat: /^(?:-e|-c|--exec|--sh-exec)$/,
};
const SAME: Readonly<Record<string, string>> = {
  vi: "vim",
  nvim: "vim",
  view: "vim",
  ex: "vim",
  gvim: "vim",
  bsdtar: "tar",
  gtar: "tar",
  scp: "ssh",
  sftp: "ssh",
  lldb: "gdb",
  nc: "ncat",
  netcat: "ncat",
  compgen: "complete",
};

/** `tar --checkpoint-action=exec='rm -rf src'`, `vim -c ':!rm -rf src'` */
function ofOptions(argv: readonly string[]): readonly NestedText[] {
  const name = programName(argv[0]) ?? "";
  const known = Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name;
  const value = Object.hasOwn(RUNS_VALUE, known) ? RUNS_VALUE[known] : undefined;
  const after = Object.hasOwn(AFTER, known) ? AFTER[known] : undefined;
  if (value === undefined && after === undefined) return [];
  return argv.slice(1).flatMap((word, at): readonly NestedText[] => {
    if (value?.test(word) !== true && after?.test(argv[at] ?? "") !== true) return [];
    const text = word
      .replace(/^(?:--?[\w-]+=)?(?:exec=)?(?:-?o?\s*\w+Command[= ])?/, "")
      .replace(/^[a-z]+\.[\w.-]+=/, "")
      .replace(/^[+:\s]*(?:silent\s*)?!|^shell\s|^.*?(?:EXEC|SYSTEM):/is, "");
    return text === "" ? [] : [{ text, shell: "sh" }];
  });
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

/** `test -v 'a[$(rm -rf src)]'` */
function ofIndexes(argv: readonly string[]): readonly NestedText[] {
  if (!READS_INDEX.test(argv[0] ?? "")) return [];
  return argv
    .slice(1)
    .filter((word) => /\[[^\]]*(\$\(|`)/.test(word) || (argv[0] === "let" && /\$\(|`/.test(word)))
    .map((word) => ({ text: `: <<COUNTERSIGN_END\n${word}\nCOUNTERSIGN_END\n`, shell: "bash" as const }));
}

/** `PS4='$(rm -rf src)' bash -x a.sh` */
function ofSettings({ command }: LocatedCommand, argv: readonly string[]): readonly NestedText[] {
  const given = /^(export|declare|typeset|readonly|local|env)$/.test(argv[0] ?? "") ? argv.slice(1) : [];
  const set = [
    ...command.assignments.map(({ name, value }) => [name, value ?? ""] as const),
    ...given.map((word) => [word.split("=")[0] ?? "", word.slice(word.indexOf("=") + 1)] as const),
  ];
  return set.flatMap(([name, value]): readonly NestedText[] => {
    if (!RUN_SETTINGS.test(name)) return [];
    return /^PS\d$/.test(name)
      ? [{ text: `: <<COUNTERSIGN_END\n${value}\nCOUNTERSIGN_END\n`, shell: "bash" }]
      : [{ text: value, shell: "bash" }];
  });
}

function asWord(word: string): string {
  if (word.includes("$UNKNOWN")) return `"${word.replace(/(?<!\\)["`\\]/g, "\\$&")}"`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
