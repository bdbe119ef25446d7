/** Whether a statement only reads, and may take a limit at its top level. Knows no limit clause's form. */
import type { Dialect } from "./dialects";
import type { Statement } from "./statements";

/** Text to put in at an offset of the source. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export interface TopWord {
  /** Upper case. */
  readonly text: string;
  readonly index: number;
  /** The next token's word, "" when that is none. */
  readonly next: string;
}

export interface Reading {
  readonly statement: Statement;
  /** Words outside all brackets that are no part of a qualified name. */
  readonly top: readonly TopWord[];
  /** SELECT, VALUES, TABLE or FROM behind the common table expressions; absent for a bracketed query. */
  readonly main?: TopWord;
}

const MAIN = new Set(["SELECT", "VALUES", "TABLE", "FROM", "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"]);
const STARTS: Readonly<Record<Dialect["family"], readonly string[]>> = {
  postgres: ["SELECT", "VALUES", "TABLE"],
  mysql: ["SELECT", "VALUES", "TABLE"],
  duckdb: ["SELECT", "VALUES", "TABLE", "FROM"],
  sqlite: ["SELECT"],
  tsql: ["SELECT"],
  oracle: ["SELECT"],
  bigquery: ["SELECT"],
  snowflake: ["SELECT"],
  databricks: ["SELECT"],
  other: [],
};
/** Where a query in brackets may stand alone and take a limit behind them. */
const BRACKETED = new Set<Dialect["family"]>(["postgres", "mysql", "duckdb"]);
export const SET_OPERATORS = new Set(["UNION", "EXCEPT", "INTERSECT", "MINUS"]);

/** Null when it is no query, or has or may have a limit already. */
export function readingOf(statement: Statement, dialect: Dialect): Reading | null {
  const top = topWords(statement);
  const first = statement.tokens[0];
  if (top.some(({ text }) => limits(text, dialect)) || hasPipe(statement) || locksWithin(top)) return null;
  if (first?.kind === "op" && first.text === "(")
    return BRACKETED.has(dialect.family) && !limitedWithin(statement, top, dialect)
      ? { statement, top }
      : null;
  if (top[0]?.index !== 0) return null;
  const main = top[0].text === "WITH" ? top.find(({ text }) => MAIN.has(text)) : top[0];
  if (main === undefined || !beginsQuery(statement, main) || !STARTS[dialect.family].includes(main.text))
    return null;
  // SQLite takes no limit behind VALUES.
  const core = top.filter(({ text }) => text === "SELECT" || text === "VALUES").at(-1);
  if (dialect.family === "sqlite" && core?.text === "VALUES") return null;
  return { statement, top, main };
}

function topWords({ tokens, depth }: Statement): readonly TopWord[] {
  return tokens.flatMap((token, index) => {
    const before = tokens[index - 1];
    if (token.kind !== "word" || depth[index] !== 0) return [];
    if (before?.kind === "op" && before.text === ".") return [];
    const next = tokens[index + 1];
    return [{ text: token.text, index, next: next?.kind === "word" ? next.text : "" }];
  });
}

/** Behind the common table expressions nothing else may come first, such as a word that sums the query up. */
function beginsQuery({ tokens }: Statement, { index }: TopWord): boolean {
  return index === 0 || tokens[index - 1]?.text === ")";
}

/** Any such word at the top level leaves the statement alone, a name of that spelling too. */
function limits(word: string, { name, family }: Dialect): boolean {
  if (/^(?:LIMIT|OFFSET|FETCH|PROCEDURE)$/.test(word)) return true;
  if (word === "TOP") return family === "tsql" || family === "snowflake" || name === "redshift";
  return word === "ROWNUM" && family === "oracle";
}

/** `FROM t |> WHERE ..`: there a limit is a step of its own. */
function hasPipe({ tokens }: Statement): boolean {
  return tokens.some((token, i) => token.text === "|" && tokens[i + 1]?.text === ">" && token.kind === "op");
}

/** `(SELECT .. LIMIT 5)`: what stands behind the brackets of one query is read as that query's own. */
function limitedWithin({ tokens }: Statement, top: readonly TopWord[], dialect: Dialect): boolean {
  if (top.some(({ text }) => SET_OPERATORS.has(text))) return false;
  return tokens.some(({ kind, text }) => kind === "word" && (text === "FOR" || limits(text, dialect)));
}

/** A lock before a set operator belongs to one of the queries only. */
function locksWithin(top: readonly TopWord[]): boolean {
  const lock = top.findIndex(({ text, next }) => text === "FOR" && /^(?:UPDATE|SHARE|NO|KEY)$/.test(next));
  return lock >= 0 && top.slice(lock).some(({ text }) => SET_OPERATORS.has(text));
}

const WRITING = new Set(["INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "REPLACE"]);

/** False for whatever may write, at any depth: a limit would change what is written. */
export function isReading({ tokens }: Statement): boolean {
  return tokens.every((token, index) => {
    if (token.kind !== "word" || !WRITING.has(token.text)) return true;
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (before?.kind === "op" && before.text === ".") return true;
    if (token.text === "UPDATE" && /^(?:FOR|KEY)$/.test(before?.text ?? "")) return true;
    return (
      (token.text === "INSERT" || token.text === "REPLACE") &&
      next?.kind === "op" &&
      next.text === "(" &&
      index > 0
    );
  });
}
