/** Texts that programs are given to run by one of their options. Pure data with one reading. Judges nothing. */
import { programName } from "../shell/command";
import { type NestedText, quote } from "../shell/nestedText";

/** Options whose value a program runs, as words: alone, or behind `=`. */
const RUNS_VALUE: Readonly<Record<string, RegExp>> = {
  vim: /^(?:\+|:|-c\b|--cmd\b).*!|^:?(?:silent\s*)?!/s,
  gdb: /^(?:!|shell\s)/,
  tar: /^--(?:checkpoint-action=exec=|to-c[a-z]*=|use-c[a-z-]*=|info-script=|new-volume-script=|rsh-command=|rmt-command=)|^exec=|^-I./,
  rsync: /^--rsh=/,
  ssh: /^-?o?\s*(?:Proxy|Local|Remote|KnownHosts)Command[= ]/i,
  split: /^--filter=/,
  sort: /^--compress-program=/,
  man: /^--(?:pager|html)=/,
  socat: /(?:EXEC|SYSTEM):/i,
  strace: /^(?:-o|--output=)[|!]/,
  zip: /^(?:-TT.|--unzip-command=)/,
};
const AFTER: Readonly<Record<string, RegExp>> = {
  vim: /^(?:-c|--cmd)$/,
  gdb: /^-(?:ex|eval-command)$/,
  tar: /^(?:-I|-F|--to-c[a-z]*|--use-c[a-z-]*|--info-script|--new-volume-script|--rsh-command|--rmt-command)$/,
  rsync: /^-e$/,
  man: /^-[PH]$/,
  zip: /^(?:-TT|--unzip-command)$/,
  complete: /^-C$/,
  ncat: /^(?:-e|-c|--exec|--sh-exec)$/,
  npm: /^--script-shell$/,
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
  ltrace: "strace",
};

/** `tar --checkpoint-action=exec='rm -rf src'`, `vim -c ':!rm -rf src'` */
export function optionTexts(argv: readonly string[]): readonly NestedText[] {
  const name = programName(argv[0]) ?? "";
  const known = Object.hasOwn(SAME, name) ? (SAME[name] ?? name) : name;
  const value = Object.hasOwn(RUNS_VALUE, known) ? RUNS_VALUE[known] : undefined;
  const after = Object.hasOwn(AFTER, known) ? AFTER[known] : undefined;
  const own = [...argv.slice(1)].flatMap((word, at): readonly NestedText[] => {
    if (value?.test(word) !== true && after?.test(argv[at] ?? "") !== true) {
      const piped = known === "strace" && /^(?:-o|--output)$/.test(argv[at] ?? "") && /^[|!]/.test(word);
      return piped ? [{ text: word.slice(1), shell: "sh" }] : [];
    }
    const text = word
      .replace(/^(?:-I|-TT|-o(?=[|!]))/, "")
      .replace(/^(?:--?[\w-]+=)?(?:exec=)?(?:-?o?\s*\w+Command[= ])?/, "")
      .replace(/^[+:\s]*(?:silent\s*)?!|^\||^shell\s|^.*?(?:EXEC|SYSTEM):/is, "");
    return text === "" ? [] : [{ text, shell: "sh" }];
  });
  return [...own, ...programInOption(name, argv)];
}

/** `coreutils --coreutils-prog=rm -rf src`, `ruby -run -e rm -- -rf src` */
function programInOption(name: string, argv: readonly string[]): readonly NestedText[] {
  if (name === "ruby" && argv.includes("-run")) {
    const at = argv.indexOf("-e");
    const words = argv.slice(at + 2).filter((word) => word !== "--");
    return at < 0 ? [] : [{ text: [argv[at + 1] ?? "", ...words].map(asWord).join(" "), shell: "sh" }];
  }
  const own = argv.findIndex((word) => /^--coreutils-prog(?:-shebang)?=/.test(word));
  if (name !== "coreutils" || own < 0) return [];
  const words = [(argv[own] ?? "").replace(/^[^=]*=/, ""), ...argv.slice(own + 1)];
  return [{ text: words.map(asWord).join(" "), shell: "sh" }];
}

function asWord(word: string): string {
  return /\$UNKNOWN/.test(word) ? `"${word}"` : quote(word);
}
