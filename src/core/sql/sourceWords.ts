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
const SECRET = /^(?:PASSWORD|IDENTIFIED|SECRET|CREDENTIALS?|TOKEN|AUTH|CONNECTION)$/;
const MAX_TOKENS = 400;
const MAX_LITERAL = 80;

export function sourceWords(statement: Statement, { source, from, max }: Cut): string {
  const tokens = statement.tokens.slice(from);
  const half = MAX_TOKENS / 2;
  const shown = tokens.length <= MAX_TOKENS ? tokens : [...tokens.slice(0, half), ...tokens.slice(-half)];
  let out = "";
  let secret = false;
  for (const [index, token] of shown.entries()) {
    const before = shown[index - 1];
    if (before !== undefined && before.end !== token.start) out += " ";
    secret ||= token.kind === "word" && SECRET.test(token.text);
    if (secret && token.kind === "string") out += "'…'";
    else out += shorten(source.slice(token.start, token.end).replace(/\s+/g, " "), MAX_LITERAL);
  }
  return shorten(out, max);
}

/** What stands at the end can widen what stands before it, so the end is kept. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 3);
  return `${text.slice(0, max - tail - 3)} … ${text.slice(-tail)}`;
}
