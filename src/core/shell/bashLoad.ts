/** Says whether a bash text can be read in bounded time, before the parser sees it. Knows no command. */
import { openers } from "./bashNesting";
import { isConfirmed, withoutBodies } from "./dataHeredocs";

/** Longer texts are not read, in UTF-16 units; bodies of heredocs that are data do not count. */
export const MAX_SHELL_TEXT = 65_536;
/** With the bodies. */
const MAX_WHOLE = 262_144;
/** The parser is linear in length times nesting; this keeps the product bounded (about 50 ms of one processor). */
const MAX_WORK = 700_000;

/** Here-documents whose bodies are taken for data: as many as commands are read. */
const MAX_HEREDOCS = 500;

/** UTF-16 units of shell in the text; why not = the text is not to be parsed. */
export type BashLoad = { readonly length: number } | { readonly tooMuch: string };

export const TOO_LONG = "the command is longer than 64 KiB";
export const TOO_DEEP = "too deeply nested to be read";

export function bashLoad(text: string): BashLoad {
  const own = loadOf(text);
  if ("length" in own || text.length > MAX_WHOLE) return own;
  const reduced = withoutBodies(text);
  if (reduced === undefined || reduced.expected.length > MAX_HEREDOCS) return own;
  // A heredoc that is closed is read once.
  const load = loadOf(reduced.text, reduced.expected.length);
  try {
    return "length" in load && isConfirmed(reduced) ? load : own;
  } catch (error) {
    // The parser recurses in a few places; a text that overflows the stack is not a command anyone wrote.
    if (error instanceof RangeError) return { tooMuch: TOO_DEEP };
    throw error;
  }
}

function loadOf(text: string, closed = 0): BashLoad {
  if (text.length > MAX_SHELL_TEXT) return { tooMuch: TOO_LONG };
  const enough = closed + MAX_WORK / text.length;
  return openers(text, { enough }) > enough ? { tooMuch: TOO_DEEP } : { length: text.length };
}
