/** Lists of words, each kept as one text. Knows none of the words. */

/** Words parted by blanks; `st_(area buffer)` stands for `st_area st_buffer`. */
export function wordsOf(text: string): readonly string[] {
  let prefix = "";
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const open = word.indexOf("(");
      if (open >= 0) prefix = word.slice(0, open);
      const whole = prefix + word.slice(open + 1).replace(")", "");
      if (word.endsWith(")")) prefix = "";
      return whole;
    });
}

export function setOf(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text));
}
