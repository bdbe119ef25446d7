/** PostgreSQL's COPY that only hands rows to whoever asked for them. Knows no other COPY, and no function. */
import { qualifiedName } from "./names";
import { opAt, wordAt } from "./rule";
import type { Statement } from "./statements";
import { setOf } from "./wordList";

/** INSERT and its kind, which COPY takes too, do more than read. */
const QUERIES = new Set(["SELECT", "WITH", "VALUES", "TABLE"]);

/** `E` stands before a text with escapes. */
const OPTIONS = setOf(
  "WITH BINARY OIDS DELIMITER DELIMITERS AS NULL CSV HEADER QUOTE ESCAPE FORCE NOT ENCODING USING E",
);

/**
 * `COPY t [(a, b)] TO STDOUT ..` and `COPY (query) TO STDOUT ..`: index of STDOUT. -1 for every other COPY: a file and a
 * program are the server's own, and FROM writes rows.
 */
export function copiesOut(statement: Statement): number {
  if (wordAt(statement, 0) !== "COPY") return -1;
  const to = sourceEnd(statement);
  if (to < 0 || wordAt(statement, to) !== "TO" || wordAt(statement, to + 1) !== "STDOUT") return -1;
  return onlyOptions(statement, to + 2) ? to + 1 : -1;
}

/** Brackets that follow a name here belong to columns or options, not to a call. `out` as `copiesOut` gives it. */
export function isCopyList(statement: Statement, at: number, out: number): boolean {
  if (out < 0) return false;
  if (statement.depth[at] === 0) return at <= out;
  return at > out && /^FORCE_/.test(wordAt(statement, at));
}

/** Index of the token behind the table or the query; -1 = it is neither. */
function sourceEnd(statement: Statement): number {
  if (opAt(statement, 1) === "(") {
    let first = 2;
    while (opAt(statement, first) === "(") first++;
    return QUERIES.has(wordAt(statement, first)) ? behind(statement, 1) : -1;
  }
  const { parts, next } = qualifiedName(statement, wordAt(statement, 1) === "BINARY" ? 2 : 1);
  if (parts.length === 0 || opAt(statement, next) !== "(") return parts.length === 0 ? -1 : next;
  const end = behind(statement, next);
  return statement.tokens.slice(next + 1, end - 1).every(isListed) ? end : -1;
}

function behind(statement: Statement, open: number): number {
  const close = statement.partner[open] ?? -1;
  return close < 0 ? -1 : close + 1;
}

function isListed({ kind, text }: { readonly kind: string; readonly text: string }): boolean {
  return kind === "word" || kind === "name" || (kind === "op" && (text === "," || text === "*"));
}

/** The old words one after the other, or new ones in brackets. */
function onlyOptions({ tokens, depth }: Statement, from: number): boolean {
  let columns = false;
  return tokens.slice(from).every((token, step) => {
    const { kind, text } = token;
    if (kind === "string") return true;
    if ((depth[from + step] ?? 0) > 0) return kind === "number" || /^[.()+-]$/.test(text) || isListed(token);
    if (kind === "op" && (text === "(" || text === ")")) return true;
    if (kind === "word" && OPTIONS.has(text)) {
      columns ||= text === "FORCE";
      return true;
    }
    return columns && isListed(token);
  });
}
