/** Whether a text that nobody reads could drop a whole database. Knows no statement, no quote and no comment. */

/** What goes on behind the letters is another word. What stands before them may be a number that is glued to it. */
const WORDS = [/drop(?![A-Za-z0-9_])/i, /(?:database|schema|catalog)(?![A-Za-z0-9_])/i];

/** True wherever both words occur, in whatever order and distance. */
export function mayDropWhole(text: string): boolean {
  return WORDS.every((word) => word.test(text));
}
