/** Keeps the last answers of a reader of terminal texts: several guards ask for the same text one after the other. Knows no reader. */
import type { Shell } from "../call";

/** Of longer texts, in UTF-16 units, only the last one is kept. */
const SHORT = 2048;
/** Short texts: those of one call, and the texts inside them. */
const MANY = 64;

/** `read` must answer by its arguments alone, and nobody may change what it answers. */
export function rememberLast<Answer, Kind extends string = Shell>(
  read: (text: string, shell: Kind) => Answer,
): (text: string, shell: Kind) => Answer {
  let last: { readonly text: string; readonly shell: Kind; readonly answer: Answer } | undefined;
  const short = new Map<string, { readonly answer: Answer }>();
  return (text, shell) => {
    if (text.length < SHORT) {
      const key = `${shell}\n${text}`;
      let known = short.get(key);
      if (known === undefined) {
        known = { answer: read(text, shell) };
        if (short.size >= MANY) short.clear();
        short.set(key, known);
      }
      return known.answer;
    }
    if (last?.text !== text || last.shell !== shell) last = { text, shell, answer: read(text, shell) };
    return last.answer;
  };
}
