/** The words a command may really get: one value of each variable, and split as the shell splits them. Knows no program. */

import type { LocatedCommand } from "../paths/locatedCommand";
import { rememberLast } from "../shell/rememberLast";

export interface WordVariant {
  readonly argv: readonly string[];
  /** As each word stands in the text; "" where `xargs` has put it. */
  readonly written: readonly string[];
}

const MAX_VARIANTS = 16;
/** Of a longer command the values are not tried one by one. */
const MANY_WORDS = 200;
/** All values at once: `"${A[@]}"`, `$@`, `$*`. */
const ALL_VALUES = /\[[@*]\]|\$[@*]|\$\{[@*]/;

export function wordVariants(
  { argv: all, command }: Pick<LocatedCommand, "argv" | "command">,
  text: string,
): readonly WordVariant[] {
  const values = leadingValues(all, command.words);
  const [argv, words] = [all.slice(values), command.words.slice(values)];
  const from = words.length - argv.length;
  const written = argv.map((_, at) => words[from + at] ?? "");
  if (!written.some((word) => /[$`]/.test(word))) return [{ argv, written }];
  const most = argv.length > MANY_WORDS ? 1 : MAX_VARIANTS;
  let variants: readonly Draft[] = [{ argv: [], written: [] }];
  for (let at = 0; at < argv.length; ) {
    const own = written[at] ?? "";
    let end = at + 1;
    const chooses = /[$`]/.test(own) && !ALL_VALUES.test(own) && !/\{[^{}$:]*,/.test(own);
    while (chooses && end < argv.length && written[end] === own) end++;
    const options = argv.slice(at, end).map((word) => split(word, own, text));
    // Too many to be tried one by one: all of them stand beside one another.
    const tried = variants.length * options.length <= most ? options : [options.flat()];
    if (tried.length > 1)
      variants = variants.flatMap((head) => tried.map((words) => add(copied(head), words, own)));
    else for (const head of variants) add(head, tried[0] ?? [], own);
    at = end;
  }
  return variants;
}

/** `BASH_ENV=<(echo x) bash`: the parser takes the value for the program. */
function leadingValues(argv: readonly string[], words: readonly string[]): number {
  if (words.length !== argv.length) return 0;
  const first = words.findIndex((word) => !/^[<>]\(/.test(word));
  return first === -1 ? words.length : first;
}

/** Grows with each word: a copy for each would take the square of their number. */
interface Draft {
  readonly argv: string[];
  readonly written: string[];
}

const copied = ({ argv, written }: Draft): Draft => ({ argv: [...argv], written: [...written] });

function add(head: Draft, words: readonly string[], own: string): Draft {
  for (const word of words) {
    head.argv.push(word);
    head.written.push(own);
  }
  return head;
}

/** What the text splits words at instead of blanks; each word of a text asks for the whole of it. */
const ownSeparator = rememberLast((text) => /\bIFS=(?:\$?['"])?([^\s\w'"/\\-])/.exec(text)?.[1]);

/** `O="-rf src"; rm $O`: what stands for a variable without quotes becomes several words, or none. */
function split(word: string, written: string, text: string): readonly string[] {
  if (!/^[^"']*(\$|`)/.test(written)) return [word];
  const own = ownSeparator(text, "bash");
  const parts = (own === undefined ? word : word.replaceAll(own, " ")).split(/\s+/);
  return parts.filter((part) => part !== "");
}
