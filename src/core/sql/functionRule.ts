/** Calls of functions that act, or of which nothing is known. Knows the places where a name before a bracket is no call. */
import { isClauseShape } from "./clauseShapes";
import { copiesOut, isCopyList } from "./copyRule";
import { KEYWORDS } from "./functionNames";
import { isReadingPackage, judgeFunction, SAFE_QUALIFIERS } from "./functions";
import { isCreateIndex, isPrefixLength, isTableElement } from "./keyColumns";
import { nameText } from "./names";
import { type Hit, opAt, type RuleContext, wordAt } from "./rule";
import { isSoftCall } from "./softWords";
import type { Statement } from "./statements";
import { INSERT_MODIFIERS } from "./verbs";

const MANY = 8;

/** Where the engine's functions can write, unknown names ask too. */
export function functionRule(statement: Statement, context: RuleContext): Hit | null {
  const { calls, notable } = statement;
  if (wordAt(statement, 0) === "PRAGMA") return null;
  const script = notable.length === 0 ? null : scriptRun(statement);
  if (script !== null || calls.length === 0) return script;
  const out = context.family === "postgres" ? copiesOut(statement) : -1;
  // Where only names decide, each is looked up once.
  const passed = context.judgesFunctions || calls.length < MANY ? null : new Set<string>();
  for (const at of calls) {
    if (isCopyList(statement, at, out) || isPrefixLength(statement, at, context.family)) continue;
    const name = statement.tokens[at]?.text ?? "";
    if (passed?.has(name)) continue;
    const objection = objectionTo(statement, at, context);
    if (objection !== null) return objection;
    passed?.add(name);
  }
  return null;
}

/** Hive and Spark: `TRANSFORM (..) USING 'script'` runs a program. */
function scriptRun(statement: Statement): Hit | null {
  for (const at of statement.notable)
    if (wordAt(statement, at) === "USING" && statement.tokens[at + 1]?.kind === "string")
      return { verdict: "ask", rule: "function", op: "USING", at, reason: "USING with a text runs a script" };
  return null;
}

function objectionTo(statement: Statement, at: number, question: RuleContext): Hit | null {
  const { family, dialect } = question;
  const token = statement.tokens[at];
  if (token === undefined || (at === 0 && token.text === "EXPLAIN")) return null;
  const name = nameText(token);
  const verdict = judgeFunction(name, family, dialect);
  if (verdict === "acts") return hit(at, name, "acts on more than the query");
  if (!question.judgesFunctions) return null;
  const qualified = opAt(statement, at - 1) === ".";
  if (verdict === "computes" && !qualified) return null;
  if (isClauseShape(statement, at)) return null;
  if (isClause(statement, at, { name, qualified, question, keyword: verdict === "keyword" })) return null;
  if (verdict === "keyword" && token.kind === "word" && !qualified) {
    const isCall = isSoftCall(statement, at, dialect) && !isSoftDeclaration(statement, at, question);
    return isCall ? hit(at, name, "is not a builtin that only computes") : null;
  }
  let head = qualified ? chainStart(statement, at) : at;
  if (opAt(statement, head - 1) === "#") head--;
  if (isDeclaration(statement, head, at)) return null;
  if (family === "postgres" && isAliasWithColumns(statement, head, at)) return null;
  if (qualified && readsByPackage(statement, { head, at, question })) return null;
  const owner = nameText(statement.tokens[head] ?? token).toLowerCase();
  const known =
    verdict === "computes" && (SAFE_QUALIFIERS.has(owner) || isServerFunction(statement, head, at));
  return known ? null : hit(at, name, "is not a builtin that only computes");
}

/** A table or a column that is named like a clause: `CREATE INDEX i ON comment (a)`, `(comment(10))` where nobody says that it is no length. */
function isSoftDeclaration(statement: Statement, at: number, { dialect }: RuleContext): boolean {
  return isDeclaration(statement, at, at) || (dialect === null && isPrefixLength(statement, at, "mysql"));
}

interface Chain {
  readonly head: number;
  readonly at: number;
  readonly question: RuleContext;
}

/** `[sys.]dbms_metadata.get_ddl(..)`: where Oracle is meant, or may be. */
function readsByPackage(statement: Statement, { head, at, question }: Chain): boolean {
  if (question.family !== "oracle" && question.dialect !== null) return false;
  const names = [head, head + 2, head + 4].filter((index) => index <= at);
  const parts = names.map((index) => wordAt(statement, index).toLowerCase());
  if (parts[0] === "sys") parts.shift();
  return at === names.at(-1) && isReadingPackage(parts.join("."));
}

function hit(at: number, name: string, what: string): Hit {
  return {
    verdict: "ask",
    rule: "function",
    op: "CALL",
    at,
    reason: `the function ${name.toLowerCase()}() ${what}`,
  };
}

/** SQL Server's own helpers live in `master.dbo`. */
function isServerFunction(statement: Statement, head: number, at: number): boolean {
  const owners = [wordAt(statement, head), wordAt(statement, head + 2)];
  return owners.join(".") === "MASTER.DBO" && at === head + 4;
}

interface Place {
  readonly name: string;
  readonly qualified: boolean;
  readonly question: RuleContext;
  readonly keyword: boolean;
}

/** Words before a bracket that are no call at this one place, though the same name could be a function elsewhere. */
function isClause(statement: Statement, at: number, { name, qualified, question, keyword }: Place): boolean {
  const { family, dialect } = question;
  const upper = name.toUpperCase();
  const inside = wordAt(statement, at + 2);
  if (upper === "XOR" && family === "mysql") return statement.tokens[at]?.kind === "word" && !qualified;
  // Oracle: `CURSOR(SELECT ..)` is a nested table of rows. A function's argument would need brackets of its own.
  if (upper === "CURSOR") return inside === "SELECT" || inside === "WITH";
  if (upper === "MATERIALIZED")
    return wordAt(statement, at - 1) === "NOT" && wordAt(statement, at - 2) === "AS";
  // SQLite calls no function behind FROM: the name is that of a table whose rows are searched for.
  if (family === "sqlite" && isSource(statement, at)) return true;
  if (wordAt(statement, 0) !== "CREATE") return false;
  if (upper === "FULLTEXT" || upper === "SPATIAL")
    return (family === "mysql" || dialect === null) && isTableElement(statement, at);
  // `[Name] [varchar] (64)`: SQL Server's scripts quote their types too.
  return keyword && statement.tokens[at]?.kind === "name" && isNamedType(statement, at);
}

/** Behind a FROM that is no comparison's (`IS DISTINCT FROM f(a)`). */
function isSource(statement: Statement, at: number): boolean {
  const before = wordAt(statement, at - 1);
  return before === "JOIN" || (before === "FROM" && wordAt(statement, at - 2) !== "DISTINCT");
}

/** Behind a column's name, with nothing but a length in its brackets. */
function isNamedType(statement: Statement, at: number): boolean {
  if (statement.tokens[at - 1]?.kind !== "name" || (statement.depth[at] ?? 0) === 0) return false;
  const close = statement.partner[at + 1] ?? -1;
  return (
    close > at &&
    close - at <= 5 &&
    statement.tokens
      .slice(at + 2, close)
      .every((token) => token.kind === "number" || token.text === "," || token.text === "MAX")
  );
}

function chainStart(statement: Statement, at: number): number {
  let head = at;
  while (opAt(statement, head - 1) === "." && head >= 2) {
    const kind = statement.tokens[head - 2]?.kind;
    if (kind !== "word" && kind !== "name" && kind !== "param") break;
    head -= 2;
  }
  return head;
}

/** A name that is being declared or pointed at with its columns: `INSERT INTO t (`, `WITH x (`, `AS t (`, `ON t (`. */
function isDeclaration(statement: Statement, head: number, at: number): boolean {
  const before = wordAt(statement, head - 1);
  if (/^(INTO|REFERENCES|AS|ORDINALITY|TABLESAMPLE)$/.test(before)) return true;
  if (opAt(statement, head - 1) === ")" && head > 0) return true;
  // MySQL and SQL Server: `INSERT [IGNORE] t (a, b)` without INTO.
  if (head <= 2 && wordAt(statement, 0) === "INSERT" && (head === 1 || INSERT_MODIFIERS.has(before)))
    return true;
  if (wordAt(statement, 0) === "CREATE" && declaredInCreate(statement, head, before)) return true;
  if (
    (before === "WITH" || before === "RECURSIVE" || opAt(statement, head - 1) === ",") &&
    isNamedQuery(statement, at)
  )
    return true;
  return before === "TABLE" && wordAt(statement, head - 2) === "INTO";
}

function declaredInCreate(statement: Statement, head: number, before: string): boolean {
  if (/^(TABLE|EXISTS|VIEW|KEY|INDEX|UNIQUE|TYPE|FULLTEXT|SPATIAL)$/.test(before)) return true;
  // `CREATE TABLE a PARTITION OF b (..)`, `CREATE TABLE a OF type (..)`
  if (before === "OF" && (statement.depth[head] ?? 0) === 0 && head <= 8) return true;
  const isIndex = isCreateIndex(statement);
  if (isIndex && (before === "ON" || before === "ONLY")) return (statement.depth[head] ?? 0) === 0;
  return before === "USING" && isIndex && (statement.depth[head] ?? 0) === 0;
}

/**
 * `FROM t x(a, b)`, `JOIN s.t x(a)`: behind a table's name another name can only be its alias, whose brackets hold names.
 * Words before an expression (`FROM LATERAL f(a)`, `IS DISTINCT FROM NOT f(a)`) are no table's name.
 */
function isAliasWithColumns(statement: Statement, head: number, at: number): boolean {
  if (head !== at || !isTableName(statement, at - 1)) return false;
  const source = chainStart(statement, at - 1) - 1;
  const before = wordAt(statement, source);
  if (before !== "JOIN" && (before !== "FROM" || wordAt(statement, source - 1) === "DISTINCT")) return false;
  const close = statement.partner[at + 1] ?? -1;
  const columns = statement.tokens.slice(at + 2, close < 0 ? at + 2 : close);
  return (
    columns.length % 2 === 1 &&
    columns.every(({ kind, text }, place) =>
      place % 2 === 1 ? kind === "op" && text === "," : kind === "name" || kind === "word",
    )
  );
}

function isTableName(statement: Statement, at: number): boolean {
  const token = statement.tokens[at];
  if (token?.kind === "name") return true;
  return token?.kind === "word" && !KEYWORDS.has(token.text.toLowerCase());
}

/** `x (a, b) AS (SELECT ..`: a function's result columns would be types, never a query. */
function isNamedQuery(statement: Statement, at: number): boolean {
  let next = (statement.partner[at + 1] ?? -1) + 1;
  if (next <= 0 || wordAt(statement, next) !== "AS") return false;
  next++;
  if (wordAt(statement, next) === "NOT") next++;
  if (wordAt(statement, next) === "MATERIALIZED") next++;
  if (opAt(statement, next) !== "(") return false;
  while (opAt(statement, next) === "(") next++;
  return /^(SELECT|WITH|VALUES|TABLE|INSERT|FROM)$/.test(wordAt(statement, next));
}
