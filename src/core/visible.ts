/** Makes characters that a person cannot see, or that reorder what they see, visible. Knows nothing of where the text is shown. */

/** Control, format (bidi, zero width), separator, lone surrogate, private use; then blanks other than the space, and letters that look like nothing. */
const HIDDEN = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]`,
    String.raw`[\u{e0100}-\u{e01ef}]`,
    ...["\\u034f", "\\u17b4", "\\u17b5", "\\u180b", "\\u180c", "\\u180d", "\\u180f"],
  ].join("|"),
  "gu",
);

/** More blanks than this in a row push what follows out of sight. */
const BLANKS = / {9,}/g;
/** In front of a line, behind the mark of a difference too, blanks are indentation up to here. */
const MAX_INDENT = 40;

function escapeOne(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).toUpperCase().padStart(4, "0")}}`;
}

/** One line: line breaks become ⏎, runs of blanks become one. */
export function visibleLine(text: string): string {
  return text
    .replace(/\r\n|\r|\n/g, " ⏎ ")
    .replace(/[ \t]+/g, " ")
    .trim()
    .replace(HIDDEN, escapeOne);
}

/** Keeps line breaks and indentation; a long run of blanks is named by its length instead of shown. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/\t/g, "    ")
    .replace(HIDDEN, (char) => (char === "\n" ? char : escapeOne(char)))
    .replace(BLANKS, (run, at: number, whole: string) =>
      run.length <= MAX_INDENT && isIndent(whole, at) ? run : ` ␠×${run.length} `,
    );
}

function isIndent(whole: string, at: number): boolean {
  const mark = /[+\-~]/.test(whole[at - 1] ?? "") ? at - 1 : at;
  return mark === 0 || whole[mark - 1] === "\n";
}
