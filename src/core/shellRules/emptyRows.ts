/** Rows for what empties files, or moves them out of the folder, without a word that says so. Pure data over readings kept elsewhere. */

import { stdinText } from "../shell/stdin";
import { isUnknown } from "./commandWords";
import { isDisposable, takesMany } from "./disposable";
import { emptiesMany } from "./emptiedFiles";
import type { ReadCommand } from "./readCommands";
import { takesSought } from "./removedFiles";
import { names, type RuleCommand, type ShellRule } from "./shellRule";

const COPY_FIRST = "Copy the files first.";
/** What is given on standard input is nothing. */
function readsNothing({ located }: ReadCommand): boolean {
  const stdin = stdinText(located.command);
  if (stdin.kind === "text") return stdin.texts.every((text) => text.trim() === "");
  const from = located.command.pipedFrom?.argv ?? [];
  return from.length === 1 && /^(?::|true)$/.test(from[0] ?? "");
}

/** Scripts of sed that leave no line: `d`, `1,$d`, `/./d`, `-n` without a `p`. */
function sedLeavesNothing({ words, options }: RuleCommand): boolean {
  if (!options.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word))) return false;
  const scripts = words.filter((word) => !word.startsWith("-"));
  const quiet = options.some((word) => /^-[a-hj-zA-Z]*n|^--(?:quiet|silent)$/.test(word));
  const [script = ""] = scripts;
  return (
    /^\s*(?:(?:0|1),\$|\/(?:\.\*?|\^|\$|)\/(?:,\$)?)?\s*\{?\s*d\s*;?\}?\s*$/.test(script) ||
    (quiet && !/[pPiacwrR=]/.test(script))
  );
}

function perlLeavesNothing({ words, options }: RuleCommand): boolean {
  if (!options.some((word) => /^-[a-zA-Z]*i/.test(word))) return false;
  const at = words.findIndex((word) => /^-\w*e$/.test(word));
  const code = words[at + 1] ?? "";
  if (options.some((word) => /^-\w*p/.test(word)))
    return /\$_\s*=\s*(?:""|''|undef)|undef\s+\$_|^\s*s\/\.\*\/\/s?\s*;?$/.test(code);
  return options.some((word) => /^-\w*n/.test(word)) && !/\b(?:print|say|printf|write)\b/.test(code);
}

/** Words that name files, behind the script of sed and perl and the options. */
function touchesKept({ rest, read }: RuleCommand, from: number): boolean {
  const files = rest.slice(from).map(({ text }) => text);
  if (files.length === 0) return false;
  if (files.every((text) => isUnknown(text))) return !takesSought(read);
  return !files.every((text) => isDisposable(text));
}

const LEAVES =
  /^(?:\/(?:private\/)?(?:tmp|var\/tmp|dev\/shm)(?:\/|$)|~(?:\/|$)|\.\.(?:\/|$)|\/(?:home|Users|root|mnt|media|Volumes)\/)/;

function leavesOnWindows(target: string, raw: string): boolean {
  return (
    /^[a-z]:[\\/]/i.test(target) ||
    /^["']?\$(?:env:(?:temp|tmp|userprofile|home\w*|appdata|localappdata)|home)\b/i.test(raw)
  );
}

/** `mv src /tmp/x`: a whole folder, or many files, out of the folder in which the work is. */
function leavesFolder({ words, rest, read }: RuleCommand): boolean {
  const at = words.findIndex((word) => /^-\w*t$|^--target-directory$/.test(word));
  const joined = words
    .find((word) => word.startsWith("--target-directory="))
    ?.slice("--target-directory=".length);
  const target = joined ?? (at >= 0 ? words[at + 1] : rest.at(-1)?.text) ?? "";
  const { cwd } = read;
  const isInside = cwd !== undefined && target.startsWith(`${cwd}/`);
  const away =
    LEAVES.test(target) || (read.family === "windows" && leavesOnWindows(target, read.written.at(-1) ?? ""));
  if (!away || isInside || read.elsewhere) return false;
  const sources =
    at >= 0 || joined !== undefined ? rest.filter(({ text }) => text !== target) : rest.slice(0, -1);
  if (read.located.folders.some((folder) => folder === null || /^(?:[/~]|\.\.)/.test(folder))) return false;
  return sources.some(({ text }) => {
    if (isUnknown(text)) return (read.fed || read.outers.length > 0) && !takesSought(read);
    if (/^(?:[/~]|\.\.)/.test(text) || isDisposable(text, { taken: "deep" })) return false;
    const last = text.replace(/\/+$/, "").split("/").at(-1) ?? "";
    return takesMany(text) || /^\.git$/.test(last) || /\/$/.test(text) || !/\.\w+$/.test(last);
  });
}

const EMPTY_FILE = /^\/dev\/(?:null|zero|full|u?random)$/;

export const EMPTY_ROWS: readonly ShellRule[] = [
  {
    id: "files.empty_many",
    programs: /^/,
    when: emptiesMany,
    reason: "It empties many files.",
    suggestion: COPY_FIRST,
    onceOnly: true,
    firesOn: ['for f in src/*; do > "$f"; done', 'git ls-files | while read f; do : > "$f"; done'],
    staysQuietOn: [
      ": > debug.log",
      "> a.txt",
      'for f in src/*; do echo x > "$f.new"; done',
      "for i in 1 2; do : > out$i.txt; done",
    ],
  },
  {
    id: "files.tee_nothing",
    programs: names("tee sponge"),
    when: (command) =>
      readsNothing(command.read) &&
      !command.words.some((word) => /^-\w*a|^--append/.test(word)) &&
      (command.read.fed ||
        command.rest.some(({ text }) => (isUnknown(text) || takesMany(text)) && !isDisposable(text))),
    reason: "It empties many files.",
    suggestion: COPY_FIRST,
    onceOnly: true,
    firesOn: ["tee src/*.ts < /dev/null", ": | tee src/*", "git ls-files | xargs tee < /dev/null"],
    staysQuietOn: ["echo hi | tee a.txt", "make | tee build.log", "echo | tee a.txt"],
  },
  {
    id: "files.edit_nothing",
    programs: names("sed gsed perl"),
    when: (command) =>
      command.program === "perl"
        ? perlLeavesNothing(command) && touchesKept(command, 1)
        : sedLeavesNothing(command) && touchesKept(command, 1),
    reason: "It leaves nothing in the files that it edits.",
    suggestion: COPY_FIRST,
    onceOnly: true,
    firesOn: [
      "sed -i d src/*.ts",
      "sed -i '1,$d' a.ts",
      "perl -i -ne '' src/*.ts",
      "git ls-files | xargs sed -i d",
    ],
    staysQuietOn: [
      "sed -i '/debug/d' a.ts",
      "sed -i 1d a.csv",
      "perl -i -pe 's/a/b/' a.ts",
      "sed -n '1,5p' a.ts",
    ],
  },
  {
    id: "files.copy_nothing",
    programs: names("cp install ln dd"),
    when: ({ program, rest, words, read }) => {
      if (program === "dd") {
        const from = words.some((word) => /^if=\/dev\/(?:null|zero|u?random)$/.test(word));
        const to = words.find((word) => word.startsWith("of="))?.slice(3) ?? "";
        return (
          from &&
          to !== "" &&
          /^(?!\/dev\/)/.test(to) &&
          /\.\w+$/.test(to) &&
          takesMany(`*.${to.split(".").at(-1) ?? ""}`) &&
          !isDisposable(to)
        );
      }
      const [first, ...others] = rest.map(({ text }) => text);
      if (first === undefined || !EMPTY_FILE.test(first)) return false;
      return others.length === 0
        ? read.fed
        : others.some((text) =>
            isUnknown(text) ? !takesSought(read) : !isDisposable(text) && !/^\/dev\//.test(text),
          );
    },
    reason: "It overwrites files with nothing.",
    suggestion: COPY_FIRST,
    onceOnly: true,
    firesOn: ["git ls-files | xargs -n1 cp /dev/null", "cp /dev/null src/a.ts", "ln -sf /dev/null src/a.ts"],
    staysQuietOn: ["cp /dev/null app.log", "cp a b", "dd if=/dev/zero of=disk.img bs=1M count=1"],
  },
  {
    id: "files.move_out",
    programs: names("mv move-item mi"),
    when: leavesFolder,
    reason: "It moves whole folders or many files away from where they belong.",
    suggestion: "Copy them, and leave the originals.",
    onceOnly: true,
    firesOn: ["mv src /tmp/x", "mv .git /tmp/", "mv * /tmp/", "mv -t /tmp src test", "mv src ../"],
    staysQuietOn: [
      "mv src lib",
      "mv dist /tmp/dist-old",
      "mv a.log /tmp/",
      "mv /tmp/a.txt .",
      "mv a.txt b.txt docs/",
    ],
  },
  {
    id: "files.cmake_remove",
    programs: names("cmake"),
    when: ({ words }) => {
      const at = words.indexOf("-E");
      if (at < 0 || !/^(?:remove_directory|rm|remove)$/.test(words[at + 1] ?? "")) return false;
      const deep = words[at + 1] === "remove_directory" || words.some((word) => /^-\w*[rR]/.test(word));
      const paths = words.slice(at + 2).filter((word) => !word.startsWith("-"));
      return paths.some((path) => (deep ? !isDisposable(path, { taken: "deep" }) : takesMany(path)));
    },
    reason: "It removes files that nothing brings back.",
    suggestion: "Name the files one by one.",
    onceOnly: true,
    firesOn: ["cmake -E remove_directory src", "cmake -E rm -rf src"],
    staysQuietOn: ["cmake -E remove_directory build", "cmake -E copy a b", "cmake -E rm a.txt"],
  },
];
