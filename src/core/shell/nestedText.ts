/** A shell text inside a command, and how words are put together to one. Knows no program. */
import type { Shell } from "../call";

export interface NestedText {
  readonly text: string;
  readonly shell: Shell;
}

export function joined(words: readonly (string | null)[], shell: Shell): readonly NestedText[] {
  const texts = words.filter((word): word is string => word !== null);
  // A word nobody can see is kept as a variable, so that what stands around it is still read.
  if (texts.length === 0) return [];
  return [{ text: words.map((word) => word ?? '"$UNKNOWN"').join(" "), shell }];
}

export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
