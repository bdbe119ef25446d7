/** A hint at the word that was meant, as the end of a sentence. Pure. */
import { nearest } from "../rules/suggest";

/** `; did you mean \`deny\`?` without its full stop, or nothing where no known word is near. */
export function didYouMeanText(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined ? "" : `; perhaps \`${near}\` is meant`;
}
