/** Keeps the last answer of a reader of terminal texts: several guards ask for the same text one after the other. Knows no reader. */
import type { Shell } from "../call";

/** Shorter texts are read again, in UTF-16 units: that costs less than a millisecond. */
const SHORT = 2048;

/** `read` must answer by its arguments alone, and nobody may change what it answers. */
export function rememberLast<Answer>(
  read: (text: string, shell: Shell) => Answer,
): (text: string, shell: Shell) => Answer {
  let last: { readonly text: string; readonly shell: Shell; readonly answer: Answer } | undefined;
  return (text, shell) => {
    if (text.length < SHORT) return read(text, shell);
    if (last?.text !== text || last.shell !== shell) last = { text, shell, answer: read(text, shell) };
    return last.answer;
  };
}
