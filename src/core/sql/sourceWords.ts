/** The text of a statement as a person reads it in a prompt: one line, without comments, cut in its middle. Judges nothing. */
import type { Statement } from "./statements";

export interface Cut {
  readonly source: string;
  /** Index of the first token. */
  readonly from: number;
  /** Characters at most. */
  readonly max: number;
}

/** A text behind one of these may be a password; prompts are shown and recorded. */
const SECRET: ReadonlySet<string> = new Set(
  "PASSWORD IDENTIFIED SECRET CREDENTIAL CREDENTIALS TOKEN AUTH CONNECTION".split(" "),
);
const SPACE = /\s/;
const SPACES = /\s+/g;
const MAX_TOKENS = 400;
const MAX_LITERAL = 80;

export function sourceWords(statement: Statement, { source, from, max }: Cut): string {
  const tokens = statement.tokens.slice(from);
  const half = MAX_TOKENS / 2;
  const shown = tokens.length <= MAX_TOKENS ? tokens : [...tokens.slice(0, half), ...tokens.slice(-half)];
  let out = "";
  let secret = false;
  let before = shown[0]?.start ?? 0;
  for (const { kind, text, start, end } of shown) {
    if (before !== start) out += " ";
    before = end;
    secret ||= kind === "word" && SECRET.has(text);
    const own = source.slice(start, end);
    if (secret && kind === "string") out += "'…'";
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
