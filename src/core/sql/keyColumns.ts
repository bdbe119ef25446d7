/** Keys among the columns of a CREATE TABLE or INDEX, whose columns may carry lengths that look like calls. Judges nothing. */
import type { Family } from "./dialects";
import { qualifiedName } from "./names";
import { opAt, wordAt } from "./rule";
import type { Statement } from "./statements";

/** A key has at most 16 (MySQL) or 32 (MariaDB) columns; looking back further for each call would be quadratic. */
const MAX_KEY_TOKENS = 32 * 6;

/** Begins a line of `CREATE TABLE t (a text, FULLTEXT (a))`. In every other place it would be an expression. */
export function isTableElement(statement: Statement, at: number): boolean {
  return /^[(,]$/.test(opAt(statement, at - 1)) && isInTableList(statement, at);
}

/** Directly within the brackets behind the table's name. */
function isInTableList(statement: Statement, at: number): boolean {
  if (statement.depth[at] !== 1) return false;
  const table = [1, 2, 3].find((step) => wordAt(statement, step) === "TABLE");
  if (table === undefined) return false;
  const name = table + 1 + (wordAt(statement, table + 1) === "IF" ? 3 : 0);
  const { next } = qualifiedName(statement, name);
  return opAt(statement, next) === "(" && at > next && at < (statement.partner[next] ?? -1);
}

const INDEX_KINDS =
  /^(?:OR|REPLACE|ONLINE|OFFLINE|UNIQUE|BITMAP|FULLTEXT|SPATIAL|VECTOR|CLUSTERED|NONCLUSTERED|COLUMNSTORE|PRIMARY|XML|SEARCH|NULL_FILTERED|MULTIVALUE)$/;

/** `CREATE [UNIQUE ..] INDEX`; a table may be called `index`. */
export function isCreateIndex(statement: Statement): boolean {
  if (wordAt(statement, 0) !== "CREATE") return false;
  let at = 1;
  while (at <= 5 && INDEX_KINDS.test(wordAt(statement, at))) at++;
  return wordAt(statement, at) === "INDEX";
}

/** MySQL's `KEY (title(20))` takes the first characters of a column; `CREATE INDEX i ON t (title(20))` is a call elsewhere. */
export function isPrefixLength(statement: Statement, at: number, family: Family): boolean {
  const { tokens, depth } = statement;
  if (
    wordAt(statement, 0) !== "CREATE" ||
    tokens[at + 2]?.kind !== "number" ||
    statement.partner[at + 1] !== at + 3
  )
    return false;
  let open = at - 1;
  const farthest = Math.max(0, at - MAX_KEY_TOKENS);
  while (open > farthest && (depth[open] ?? 0) >= (depth[at] ?? 0)) open--;
  if (opAt(statement, open) !== "(" || !/^[(,]$/.test(opAt(statement, at - 1))) return false;
  if ((depth[open] ?? 0) > 0) return isInTableList(statement, open) && isKey(statement, open);
  return family === "mysql" && isCreateIndex(statement) && wordAt(statement, open - 2) === "ON";
}

const KEY_WORDS = /^(?:KEY|INDEX|UNIQUE|FULLTEXT|SPATIAL|PRIMARY)$/;
const AROUND_NAME = /^(?:KEY|INDEX|IF|NOT|EXISTS|USING|BTREE|HASH|RTREE)$/;
/** Of a column that is named like a key. */
const COLUMN_WORDS = /^(?:DEFAULT|CHECK|AS|GENERATED|CONSTRAINT)$/;
const MAX_KEY_WORDS = 10;

/** The brackets at `open` hold a key's columns: the line has nothing but the words for one and its name. */
function isKey(statement: Statement, open: number): boolean {
  let first = open - 1;
  while (open - first <= MAX_KEY_WORDS && !/^[(,]$/.test(opAt(statement, first - 1))) first--;
  if (wordAt(statement, first) === "CONSTRAINT") first += 2;
  if (!KEY_WORDS.test(wordAt(statement, first))) return false;
  const others = statement.tokens
    .slice(first + 1, open)
    .filter(({ kind, text }) => kind !== "word" || !AROUND_NAME.test(text));
  return (
    others.length <= 1 &&
    others.every(({ kind, text }) => kind === "name" || (kind === "word" && !COLUMN_WORDS.test(text)))
  );
}
