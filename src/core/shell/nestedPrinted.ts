/** Shell texts that a command prints for another one to run: `. <(echo ..)`, `sh -c "$(echo ..)"`, `echo .. | xargs sh -c`. Knows no client. */
import type { SimpleCommand } from "./command";
import { quote } from "./nestedText";
import { stdinText } from "./stdin";
import { effectiveArgv } from "./wrappers";

type Argv = readonly (string | null)[];

const MAX_LINES = 20;

/** As written: `<(echo '..')`, `"$(printf '..')"`, back-ticks. Printing words and running them is `eval` with these words. */
const PRINTS = /^"?(?:<\(|\$\(|`)\s*(?:echo\s+(?:-[neE]+\s+)*|printf\s+(?:--\s+)?)([\s\S]*?)[)`]"?$/;
/** A format that only says where the words go. */
const FORMAT = /^(['"]?)(?:%[sb]|\\n|\s)+\1\s+/;

/** What the word's command prints, as a text for the same shell. */
export function printedBy(word: string | undefined): readonly string[] {
  const printed = PRINTS.exec(word ?? "")?.[1];
  return printed === undefined ? [] : [`eval ${printed.replace(FORMAT, "")}`];
}

/** The written word behind `argv[at]`. */
export function written(argv: Argv, at: number, command: SimpleCommand): string | undefined {
  return command.words[command.words.length - argv.length + at];
}

/** `xargs` with lines that can be seen, as the commands it runs. */
export function xargsTexts(argv: Argv, command: SimpleCommand): readonly string[] {
  const stdin = stdinText(command);
  const inner = effectiveArgv({ argv });
  if (stdin.kind !== "text" || inner === argv) return [];
  const lines = stdin.texts
    .flatMap((text) => text.split(/[\n\0]/))
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(0, MAX_LINES);
  const own = argv.slice(1, argv.length - inner.length + 1);
  const at = own.findIndex((word) => /^-[Ii]|^--replace/.test(word ?? ""));
  if (at < 0) {
    const words = lines.flatMap((line) => line.split(/\s+/)).map(bare);
    return lines.length === 0 ? [] : [closed([...inner.slice(0, -1), ...words])];
  }
  const sign =
    (own[at] ?? "").replace(/^-[Ii]|^--replace=?/, "") || (own[at] === "-I" ? own[at + 1] : "{}") || "{}";
  const tail = argv.slice(argv.length - inner.length);
  return lines.map((line) => closed(tail.map((word) => word?.replaceAll(sign, () => line) ?? null)));
}

/** xargs takes quotes away. */
function bare(word: string): string {
  return word.replace(/["']/g, "");
}

/** What xargs runs is given no standard input of its own. */
function closed(words: Argv): string {
  return `${words.map((word) => (word === null ? '"$UNKNOWN"' : quote(word))).join(" ")} </dev/null`;
}
