/** Where an offset lies in a text. Knows no file. */

/** Counts from 1; a column is a UTF-16 unit, as editors count them. */
export function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}
