/** Decides whether a text is short and plain enough to be shown to a parser, and prepares it. Asks no parser. */
import { findDialect } from "../../core/sql/dialects";
import { lex } from "../../core/sql/lexer";
import type { Token } from "../../core/sql/lexState";
import { splitStatements } from "../../core/sql/statements";
import type { ParseQuestion } from "./parseMessages";

/** Parsers take exponential or quadratic time on some short texts; what is longer, deeper or odder is not shown to them at all. */
const MAX_BYTES = 16_384;
const MAX_DEPTH = 50;
/** PostgreSQL's scanner takes quadratic time in the comments that are opened and in runs of operator characters, of which it takes 63. */
const MAX_COMMENTS = 200;
const MAX_OPERATOR = 63;

/** Undefined = not to be shown to a parser. */
export function parserText(text: string, dialect: string): ParseQuestion | undefined {
  const profile = findDialect(dialect)?.readings[0];
  if (profile === undefined || Buffer.byteLength(text) > MAX_BYTES) return undefined;
  if (text.split("/*", MAX_COMMENTS + 2).length > MAX_COMMENTS + 1) return undefined;
  const { tokens } = lex(text, profile);
  const statements = splitStatements(tokens);
  if (statements.some((statement) => statement.depth.some((depth) => depth > MAX_DEPTH))) return undefined;
  if (longestOperator(tokens) > MAX_OPERATOR) return undefined;
  const filled = fillPlaces(text, tokens);
  return {
    text,
    dialect,
    statements: statements.map((one) => text.slice(one.tokens[0]?.start ?? 0, one.tokens.at(-1)?.end ?? 0)),
    ...(filled === text ? {} : { filled }),
  };
}

function longestOperator(tokens: readonly Token[]): number {
  let longest = 0;
  let run = 0;
  for (const [at, { kind, text, start }] of tokens.entries()) {
    if (kind !== "op" || /[()[\],;.]/.test(text)) {
      run = 0;
      continue;
    }
    run = tokens[at - 1]?.end === start ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** `?`, `:name`, `:'name'` and `%(name)s` become a parameter, `:"name"` a name. Only seen outside quotes and comments. */
function fillPlaces(text: string, tokens: readonly Token[]): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < tokens.length; at++) {
    const first = tokens[at];
    // Parameters with a number or a name of their own are what PostgreSQL takes.
    const isMark = first?.kind === "param" && text[first.start] === "?";
    const place = isMark ? { length: 1, value: PARAMETER } : placeAt(tokens, at);
    const last = place === undefined ? undefined : tokens[at + place.length - 1];
    if (place === undefined || first === undefined || last === undefined) continue;
    parts.push(text.slice(from, first.start), place.value);
    from = last.end;
    at += place.length - 1;
  }
  return [...parts, text.slice(from)].join("");
}

interface Place {
  /** In tokens. */
  readonly length: number;
  readonly value: string;
}

const PARAMETER = " $1 ";

function placeAt(tokens: readonly Token[], at: number): Place | undefined {
  const token = tokens[at];
  if (token?.kind !== "op") return undefined;
  const next = tokens[at + 1];
  const glued = next !== undefined && next.start === token.end;
  if (token.text === ":" && glued && !isColonBefore(tokens, at)) {
    if (next.kind === "name") return { length: 2, value: " filled " };
    return next.kind === "word" || next.kind === "string" ? { length: 2, value: PARAMETER } : undefined;
  }
  const named = tokens.slice(at + 1, at + 5);
  const isNamed =
    token.text === "%" &&
    glued &&
    named.map(({ kind, text }) => (kind === "word" ? "w" : text)).join("") === "(w)w" &&
    named[3]?.text === "S";
  return isNamed ? { length: 5, value: PARAMETER } : undefined;
}

function isColonBefore(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before?.kind === "op" && before.text === ":" && before.end === tokens[at]?.start;
}
