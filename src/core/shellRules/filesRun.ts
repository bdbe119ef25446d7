/** Which files a command runs as programs, by its words and its standard input. Judges nothing. */
import { programName } from "../shell/command";
import { effectiveArgv } from "../shell/wrappers";
import type { ReadCommand } from "./readCommands";
import { upstream } from "./removedFiles";
import { SHELLS } from "./unseenText";

const CODE =
  /^(?:i?python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|luajit|rscript|julia|groovy|elixir|osascript|tclsh|expect|awk|gawk)$/;

export function isCodeProgram(program: string): boolean {
  return CODE.test(program);
}

/** Names as they stand in the text. */
export function filesRun(read: ReadCommand): readonly string[] {
  const program = programName(read.argv[0]) ?? "";
  const words = read.argv.slice(1);
  const runs =
    SHELLS.test(program) ||
    isCodeProgram(program) ||
    /^(?:\.|source|exec|eval|pwsh|powershell|call)$/.test(program);
  if (!runs)
    return read.argv.slice(0, 1).filter((word) => /^\.{0,2}\/|\//.test(word) || read.family === "windows");
  const inputs = read.located.redirects.filter(({ op }) => op === "<").map(({ word }) => word.text);
  return [
    ...scriptOf(words),
    ...inputs,
    ...printed(read.written),
    ...(words.every((word) => /^-/.test(word)) ? fedFiles(read) : []),
  ];
}

/** The first word that is no option; what stands behind it is given to the script. */
function scriptOf(words: readonly string[]): readonly string[] {
  if (words.some((word) => /^-\w*[ce]$|^--eval$/.test(word))) return [];
  const at = words.findIndex((word) => !word.startsWith("-") && word !== "run");
  return at < 0 ? [] : [words[at] ?? ""];
}

/** `bash -c "$(cat q.txt)"`, `eval "$(<q.txt)"`, `. <(cat q.txt)` */
function printed(written: readonly string[]): readonly string[] {
  return written.flatMap((word) =>
    [...word.matchAll(/(?:[$<]\(|`)\s*(?:(?:cat|head|tail)\s+(?:-\S+\s+)*|<\s*)["']?([^\s)`"']+)/g)].map(
      (found) => found[1] ?? "",
    ),
  );
}

/** `cat q.txt | sh` */
function fedFiles({ located }: ReadCommand): readonly string[] {
  return upstream(located.command).flatMap((one) => {
    const argv = effectiveArgv(one);
    if (!/^(?:cat|head|tail|tac|pv|envsubst|get-content|gc|type)$/.test(programName(argv[0]) ?? ""))
      return [];
    return argv.slice(1).flatMap((word) => (word === null || word.startsWith("-") ? [] : [word]));
  });
}
