/** INTO that is no INSERT's, and INSERTs into places where a row is a command. */

import type { Token } from "./lexState";
import { nameText, qualifiedName } from "./names";
import { type Hit, isNameAt, opAt, type RuleContext, wordAt } from "./rule";
import type { Statement } from "./statements";
import { INSERT_MODIFIERS, SYSTEM_SCHEMAS, SYSTEM_TABLES } from "./verbs";

export function intoRule(statement: Statement, context: RuleContext): Hit | null {
  const first = wordAt(statement, 0);
  // `INSERT ALL INTO a .. INTO b ..` of Oracle and Snowflake.
  const several = first === "INSERT" && /^(ALL|FIRST|OVERWRITE)$/.test(wordAt(statement, 1));
  for (const at of statement.notable) {
    if (wordAt(statement, at) !== "INTO" || opAt(statement, at - 1) === ".") continue;
    if (several || insertStands(statement, at)) continue;
    if (first === "INSERT" && fillsBinds(statement, at)) continue;
    if (first === "CREATE" && isBuckets(statement, at)) continue;
    if (isUnpivot(statement, at)) continue;
    if (context.family === "tsql" && context.dialect !== null && isSessionTable(statement, at + 1)) continue;
    return {
      verdict: "ask",
      rule: "into",
      op: "INTO",
      at,
      reason: "SELECT .. INTO writes a table, a variable or a file",
    };
  }
  return null;
}

/** Hive and Spark: `CLUSTERED BY (a) INTO 4 BUCKETS`. */
function isBuckets(statement: Statement, into: number): boolean {
  return statement.tokens[into + 1]?.kind === "number" && wordAt(statement, into + 2) === "BUCKETS";
}

/** `#t` is this session's own and ends with it; `SELECT .. INTO` only makes it. `##t` is everybody's. */
function isSessionTable(statement: Statement, at: number): boolean {
  return /^#[^#]/.test(wordAt(statement, at)) && opAt(statement, at + 1) !== ".";
}

/** DuckDB: `UNPIVOT t ON a, b INTO NAME m VALUE v`, up to its end. */
function isUnpivot(statement: Statement, into: number): boolean {
  if (wordAt(statement, into + 1) !== "NAME" || wordAt(statement, into + 3) !== "VALUE") return false;
  const { tokens, depth } = statement;
  const begins = tokens.findIndex(
    ({ kind, text }, index) => kind === "word" && text === "UNPIVOT" && depth[index] === depth[into],
  );
  if (begins < 0 || begins > into || !isNameAt(statement, into + 2)) return false;
  let at = into + 4;
  while (isNameAt(statement, at) && opAt(statement, at + 1) === ",") at += 2;
  if (!isNameAt(statement, at)) return false;
  return tokens[at + 1] === undefined || opAt(statement, at + 1) === ")";
}

function insertStands(statement: Statement, into: number): boolean {
  let at = into - 1;
  while (into - at < 5 && INSERT_MODIFIERS.has(wordAt(statement, at))) at--;
  return wordAt(statement, at) === "INSERT";
}

/** Oracle's `RETURNING id INTO :a, :b` at the end of an INSERT hands values to the program that asked. */
function fillsBinds(statement: Statement, into: number): boolean {
  let at = into;
  do {
    at++;
    if (opAt(statement, at) === ":") at++;
    else if (!/^:\w/.test(paramText(statement, at))) return false;
    if (!/^(?:word|number|param)$/.test(statement.tokens[at]?.kind ?? "")) return false;
    at++;
  } while (opAt(statement, at) === ",");
  return statement.tokens[at] === undefined;
}

function paramText(statement: Statement, at: number): string {
  const token = statement.tokens[at];
  return token?.kind === "param" ? token.text : "";
}

export function insertTargetRule(statement: Statement, context: RuleContext): Hit | null {
  for (const at of statement.notable) {
    if (wordAt(statement, at) !== "INTO") continue;
    const name = qualifiedName(statement, wordAt(statement, at + 1) === "TABLE" ? at + 2 : at + 1);
    const parts = name.parts.map((part) => part.toUpperCase());
    const last = parts.pop() ?? "";
    if (SYSTEM_TABLES.has(last) || parts.some((part) => SYSTEM_SCHEMAS.has(part)))
      return target(at, "the table belongs to the server");
    if (context.family === "sqlite" && namesOwnColumn(statement, name.next, last))
      return target(at, "a row in the column named like its full-text table is a command");
  }
  return null;
}

function target(at: number, reason: string): Hit {
  return { verdict: "ask", rule: "insert_target", op: "INSERT", at, reason };
}

const SAFE_PRAGMA_TABLES =
  /^PRAGMA_(?:TABLE_X?INFO|TABLE_LIST|INDEX_X?INFO|INDEX_LIST|FOREIGN_KEY_LIST|FOREIGN_KEY_CHECK|DATABASE_LIST|FUNCTION_LIST|MODULE_LIST|PRAGMA_LIST|COLLATION_LIST|COMPILE_OPTIONS|INTEGRITY_CHECK|QUICK_CHECK)$/;

/** Quoted or not. */
const PRAGMA_TABLE = /^["`[]?PRAGMA_/i;

/** SQLite's pragmas can be read as tables too, with or without brackets; some act. */
export function pragmaTableRule(statement: Statement, context: RuleContext): Hit | null {
  if (context.family !== "sqlite") return null;
  const at = statement.tokens.findIndex(isActingPragma);
  return at < 0
    ? null
    : { verdict: "ask", rule: "function", op: "PRAGMA", at, reason: "this pragma may change the database" };
}

function isActingPragma(token: Token): boolean {
  const { kind, text } = token;
  if ((kind !== "word" && kind !== "name") || text.length < 7 || !PRAGMA_TABLE.test(text)) return false;
  return !SAFE_PRAGMA_TABLES.test(nameText(token).toUpperCase());
}

/** `INSERT INTO ft [AS x] (.., ft, ..)` */
function namesOwnColumn(statement: Statement, from: number, table: string): boolean {
  const open = wordAt(statement, from) === "AS" ? from + 2 : from;
  if (opAt(statement, open) !== "(") return false;
  const close = statement.partner[open] ?? -1;
  return statement.tokens
    .slice(open + 1, close < 0 ? undefined : close)
    .some((token) => nameText(token).toUpperCase() === table);
}
