/** Texts that git is told to run by its options, settings, addresses and aliases. Judges nothing. */
import { programName, type SimpleCommand } from "../shell/command";
import { type NestedText, quote } from "../shell/nestedText";

/** Options of a verb whose value a shell or git runs: alone, joined by `=`, or stuck to a short letter. */
const RUN_OPTIONS: Readonly<Record<string, RegExp>> = {
  rebase: /^(?:--exec|-[a-wyz]*x)$/,
  difftool: /^(?:--ext(?:c(?:md?)?)?|-[a-wyz]*x)$/,
  grep: /^(?:--open(?:-[a-z-]*)?|-[a-z]*O)$/,
  clone: /^(?:--upload-pack|-u)$/,
  fetch: /^--upload-pack$/,
  pull: /^--upload-pack$/,
  "ls-remote": /^--(?:upload-pack|exec)$/,
  "fetch-pack": /^--(?:upload-pack|exec)$/,
  push: /^--(?:receive-pack|exec)$/,
  "send-pack": /^--(?:receive-pack|exec)$/,
  archive: /^--exec$/,
  mergetool: /^(?:--tool|-t)$/,
  "filter-branch": /^--\w+-filter$/,
};
/** Its own value is only joined to it. */
const ONLY_JOINED = /^(?:--open|-\w*O$)/;
/** Settings whose value is a program's text. */
export const RUN_SETTING =
  /^(?:core\.(?:editor|pager|askpass|sshcommand|gitproxy|fsmonitor|alternaterefscommand)|pager\.[^=]*|sequence\.editor|diff\.external|(?:diff|merge|filter|difftool|mergetool|browser|man|guitool|trailer)\.[^=]*\.?(?:command|textconv|clean|smudge|process|driver|cmd|path)|interactive\.difffilter|gpg\.(?:[^=]*\.)?program|credential\.[^=]*helper|credential\.helper|remote\.[^=]*\.(?:uploadpack|receivepack|vcs)|uploadpack\.[^=]*|sendemail\.[^=]*cmd|web\.browser|help\.browser|alias\.[^=]*)$/i;

export function gitProgramTexts(argv: readonly string[]): readonly NestedText[] {
  if (programName(argv[0]) !== "git") return [];
  return [...ofOptions(argv), ...ofSettings(argv), ...ofAddresses(argv)];
}

function ofOptions(argv: readonly string[]): readonly NestedText[] {
  const verb = argv.findIndex((word) => Object.hasOwn(RUN_OPTIONS, word));
  const option = RUN_OPTIONS[argv[verb] ?? ""];
  if (option === undefined) return [];
  return argv.slice(verb + 1).flatMap((word, at) => {
    const behind = argv[verb + 2 + at];
    const [name = "", ...value] = word.split("=");
    if (value.length > 0 && name.startsWith("--")) return option.test(name) ? sh(value.join("=")) : [];
    if (option.test(word)) return ONLY_JOINED.test(word) || behind === undefined ? [] : sh(behind);
    // `-x'rm -rf src'`, `-O'rm -rf src'`
    const letter = /^(-[a-zA-Z]*?[xOu])(.+)$/s.exec(word);
    return letter !== null && option.test(letter[1] ?? "") ? sh(letter[2] ?? "") : [];
  });
}

/** `-c core.editor='rm -rf src'`, `-c alias.x='reset --hard' x`, `config core.pager …` */
function ofSettings(argv: readonly string[]): readonly NestedText[] {
  const given = argv.flatMap((word, at): readonly [string, string][] => {
    const before = argv[at - 1] ?? "";
    const text = /^(?:-c|--config)$/.test(before) ? word : /^(?:-c|--config=)([\w].*)$/s.exec(word)?.[1];
    if (text === undefined) return [];
    const cut = text.indexOf("=");
    return cut < 0 ? [] : [[text.slice(0, cut), text.slice(cut + 1)]];
  });
  const config = argv.indexOf("config");
  const stored = argv.flatMap((word, at): readonly [string, string][] =>
    config > 0 && at > config && RUN_SETTING.test(word) && argv[at + 1] !== undefined
      ? [[word, argv[at + 1] ?? ""]]
      : [],
  );
  return [...given, ...stored].flatMap(([name, value]) => {
    if (!RUN_SETTING.test(name) || value === "") return [];
    if (!/^alias\./i.test(name)) return sh(value.replace(/^!/, ""));
    if (value.startsWith("!")) return sh(value.slice(1));
    return aliasText(value, behindWord(argv, name.slice("alias.".length)));
  });
}

/** What stands behind the alias where it is used in the same command. */
function behindWord(argv: readonly string[], name: string): readonly string[] {
  const at = argv.lastIndexOf(name);
  return at < 0 ? [] : argv.slice(at + 1);
}

function aliasText(value: string, behind: readonly string[]): readonly NestedText[] {
  return sh(["git", value, ...behind.map(quote)].join(" "));
}

/** Aliases that `git config` sets in the text, for a later `git x`. */
export function gitAliases({ argv }: Pick<SimpleCommand, "argv">): readonly (readonly [string, string])[] {
  if (programName(argv[0]) !== "git" || !argv.includes("config")) return [];
  return argv.flatMap((word, at) => {
    const name = /^alias\.(.+)$/i.exec(word ?? "")?.[1];
    const value = argv[at + 1];
    return name === undefined || value === undefined || value === null
      ? []
      : [[`git ${name}`, value.startsWith("!") ? value.slice(1) : `git ${value}`] as const];
  });
}

/** `ext::sh -c rm% -rf% src`: a transport that is a command. */
function ofAddresses(argv: readonly string[]): readonly NestedText[] {
  return argv.flatMap((word) => {
    const text = /^ext::(.+)$/s.exec(word)?.[1];
    if (text === undefined) return [];
    const words = text.split(/(?<!%)\s+/).map((piece) => quote(piece.replace(/%([ %])/g, "$1")));
    return sh(words.join(" "));
  });
}

function sh(text: string): readonly NestedText[] {
  return text.trim() === "" ? [] : [{ text, shell: "sh" }];
}
