/** The text of a statement as a person reads it in a prompt: one line, without comments, cut in its middle. Judges nothing. */
import type { Statement } from "./statements";
import { setOf } from "./wordList";

export interface Cut {
  readonly source: string;
  /** Index of the first token. */
  readonly from: number;
  /** Index of the token behind the last one; absent = the end of the statement. */
  readonly to?: number;
  /** `a = 1, b = 2`: a secret ends with its own value. Absent = it goes on to the end, as in a list of columns and their values. */
  readonly list?: "assignments";
  /** Characters at most. */
  readonly max: number;
}

/** A text behind one of these may be a password; prompts are shown and recorded. */
const SECRET = setOf("PASSWORD IDENTIFIED SECRET CREDENTIAL CREDENTIALS TOKEN AUTH CONNECTION");
/** Columns whose new value is not shown. */
const SECRET_COLUMN = /passw|passphrase|pwd|secret|credential|token|salt|api_?key|private_?key/i;
const SPACE = /\s/;
const SPACES = /\s+/g;
const MAX_TOKENS = 400;
const MAX_LITERAL = 80;

export function sourceWords(statement: Statement, { source, from, to, list, max }: Cut): string {
  const tokens = statement.tokens.slice(from, to);
  const half = MAX_TOKENS / 2;
  const shown = tokens.length <= MAX_TOKENS ? tokens : [...tokens.slice(0, half), ...tokens.slice(-half)];
  const depth = statement.depth[from] ?? 0;
  let out = "";
  let secret = false;
  let before = shown[0]?.start ?? 0;
  for (const [place, { kind, text, start, end }] of shown.entries()) {
    if (before !== start) out += " ";
    before = end;
    const own = source.slice(start, end);
    // Double quotes hold a text in some engines and a name in others.
    const isText = kind === "string" || (list === "assignments" && kind === "name");
    const hidden = secret;
    secret ||= kind === "word" && SECRET.has(text);
    if (list === "assignments") {
      const at = place < half ? from + place : from + place + tokens.length - shown.length;
      // The next column has a value of its own.
      if (text === "," && kind === "op" && statement.depth[at] === depth) secret = false;
      secret ||= (kind === "word" || kind === "name") && SECRET_COLUMN.test(own);
    }
    if ((secret && kind === "string") || (hidden && secret && isText)) out += "'…'";
    else if (kind === "op" || kind === "number") out += shorten(own, MAX_LITERAL);
    else out += shorten(SPACE.test(own) ? own.replace(SPACES, " ") : own, MAX_LITERAL);
  }
  return shorten(out, max);
}

/** What stands at the end can widen what stands before it, so the end is kept. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 3);
  return `${text.slice(0, max - tail - 3)} … ${text.slice(-tail)}`;
}
