/** A word put into a shell text again, so that nothing in it is read as shell. Judges nothing. */
import { UNKNOWN } from "../paths/shellWords";

export function quotedWord(word: string): string {
  if (word.includes(UNKNOWN)) return word.replaceAll(UNKNOWN, "$UNKNOWN");
  return /^[\w@%+=:,./*?~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
