/** How deeply substitutions of a bash text may be nested at most, without parsing it. Knows no command. */

/** What opens a text inside the text, or a heredoc. */
const OPENER = /[$<>]\(|<</g;
const PARAMETER = /\$\{(?![\w[\]@*#!]{1,40}\})/g;
/** Parameters with a word of their own cost the parser less than substitutions do. */
const PARAMETERS_TO_OPENER = 6;
const ROUNDS = 4;

const PLAIN = String.raw`[^()'"\\\x60#$<>]|\\.|\$(?![({'"])|\$\{[\w[\]@*#!]{1,40}\}|[<>](?![<(])`;
const SINGLE = "'[^']{0,200}'";
const DOUBLE = String.raw`"(?:[^"\\\x60$]|\\.|\$(?![({])|\$\{[\w[\]@*#!]{1,40}\}){0,200}"`;
/** One that holds no other and is closed for certain, whatever stands around it. */
const CLOSED = new RegExp(String.raw`[$<>]\((?!\()(?:${PLAIN}|${SINGLE}|${DOUBLE}){0,400}\)`, "gs");
const ARITHMETIC = /\$\(\([\w\s+\-*/%<>=!&|^~?:,$]{0,99}\)\)/g;

/** Of parameters likewise. */
const CLOSED_PARAMETER = /\$\{[^{}'"\\`$()<>]{0,200}\}/g;

/** Openers that may stand inside one another. Costs time in step with the length. */
export function openers(text: string, { enough }: { readonly enough: number }): number {
  let rest = text;
  let count = countIn(rest);
  for (let round = 0; round < ROUNDS && count > enough; round++) {
    const shorter = rest
      .replace(CLOSED_PARAMETER, "x")
      .replace(ARITHMETIC, "1")
      .replace(CLOSED, withoutClosed);
    if (shorter === rest) break;
    rest = shorter;
    count = countIn(rest);
  }
  return count;
}

/** A bracket behind a pattern of `case` closes nothing. */
function withoutClosed(whole: string): string {
  return /\bcase\b/.test(whole) ? whole : "x";
}

function countIn(text: string): number {
  return (text.match(OPENER)?.length ?? 0) + (text.match(PARAMETER)?.length ?? 0) / PARAMETERS_TO_OPENER;
}
