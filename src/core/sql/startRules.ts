/** How a statement may begin. Knows the words that need a second look. */
import { copiesOut } from "./copyRule";
import type { Family } from "./dialects";
import { pragmaRule } from "./pragmaRule";
import { type Hit, isNameAt, opAt, type RuleContext, wordAt } from "./rule";
import type { Statement } from "./statements";
import { isReadingProcedure } from "./systemProcedures";
import {
  ASKING_STARTS,
  EXPLAIN_OPTIONS,
  EXPLAINABLE,
  HARMLESS_CHARSETS,
  HARMLESS_SETTINGS,
  READING_STARTS,
  TRANSACTION_WORDS,
} from "./verbs";

export interface Start {
  readonly hit: Hit | null;
  /** What follows stands in a block, if this statement is asked about. */
  readonly opensBlock: boolean;
  /** What follows stands in a block in any case. */
  readonly declares?: true;
}

const FINE: Start = { hit: null, opensBlock: false };

export function startRule(statement: Statement, context: RuleContext): Start {
  const at = firstIndex(statement);
  const first = wordAt(statement, at);
  if (context.family === "postgres" && at === 0 && copiesOut(statement) >= 0) return FINE;
  if (context.family === "tsql" && at === 0 && isReadingProcedure(statement)) return FINE;
  if (context.dialect !== null && at === 0 && isHarmlessThere(statement, context.family)) return FINE;
  const other = otherStart(statement, context);
  if (other !== null) return other;
  if (ASKING_STARTS.has(first)) return asks(first, at, `${first} changes something, or could`);
  if (!READING_STARTS.has(first)) {
    if (context.inBlock) return asks(first || "BLOCK", at, "a statement inside a block is not read");
    return {
      hit: { verdict: "deny", rule: "not_sql", op: first, at, reason: "this does not begin as SQL does" },
      opensBlock: false,
    };
  }
  switch (first) {
    case "BEGIN":
      return begin(statement, at);
    case "START":
    case "COMMIT":
    case "ROLLBACK":
    case "END":
    case "ABORT":
      return transaction(statement, at, first);
    case "PRAGMA":
      return { hit: pragmaRule(statement, at, context), opensBlock: false };
    case "EXPLAIN":
    case "DESC":
    case "DESCRIBE":
      return explain(statement, at, first);
    case "SET":
      return settings(statement, at);
    case "WITH":
      return /^(FUNCTION|PROCEDURE)$/.test(wordAt(statement, at + 1))
        ? asks("WITH", at, "WITH FUNCTION runs a body of its own")
        : FINE;
    case "CREATE":
      return { hit: null, opensBlock: true };
    case "DECLARE":
      // PL/SQL and Snowflake have it only in front of a block, whose declarations end with semicolons as statements do.
      if (context.family === "oracle" || context.family === "snowflake")
        return { hit: null, opensBlock: true, declares: true };
      return {
        hit: null,
        opensBlock: statement.tokens.some((token) => token.kind === "word" && token.text === "BEGIN"),
      };
    default:
      return FINE;
  }
}

/** Statements of one family that change nothing, by their own words alone. */
function isHarmlessThere(statement: Statement, family: Family): boolean {
  const { tokens } = statement;
  switch (wordAt(statement, 0)) {
    case "LISTEN":
    case "UNLISTEN":
      return (
        family === "postgres" && tokens.length === 2 && (isNameAt(statement, 1) || opAt(statement, 1) === "*")
      );
    case "CHECKSUM":
      return family === "mysql" && /^TABLES?$/.test(wordAt(statement, 1)) && onlyNames(statement, 2);
    case "HELP":
      return family === "mysql" && tokens.length === 2 && tokens[1]?.kind === "string";
    case "LIST":
    case "LS":
      return family === "snowflake" && tokens[1]?.text.startsWith("@") === true;
    default:
      return false;
  }
}

/** One at least. */
function onlyNames(statement: Statement, from: number): boolean {
  let at = from;
  while (isNameAt(statement, at) || /^[.,]$/.test(opAt(statement, at))) at++;
  return at > from && at === statement.tokens.length;
}

const CALLS = /^(?:CALL|EXEC|EXECUTE)$/;
const LABELLED = /^(?:LOOP|BEGIN|WHILE|REPEAT|FOR)$/;
/** What begins a statement of one family alone: a word, and the only one that may follow it. */
const OWN_STARTS: Readonly<Partial<Record<Family, readonly [first: string, next?: string]>>> = {
  mysql: ["HELP"],
  databricks: ["CLEAR", "CACHE"],
  snowflake: ["DEFINE"],
};

/** What begins with no word of its own: a driver's `{call p()}`, a label, and one family's own words. */
function otherStart(statement: Statement, { family, dialect }: RuleContext): Start | null {
  const first = wordAt(statement, 0);
  if (opAt(statement, 0) === "{") {
    const result = statement.tokens[1]?.kind === "param" && opAt(statement, 2) === "=" ? 3 : 1;
    const call = wordAt(statement, result);
    return CALLS.test(call) ? asks("CALL", result, "a driver's call escape runs a procedure") : null;
  }
  if (first !== "" && opAt(statement, 1) === ":") {
    const any = family === "tsql" && dialect !== null && !READING_STARTS.has(first);
    if (any || LABELLED.test(wordAt(statement, 2)))
      return asks(first, 0, "a label stands before statements that are not read", true);
  }
  const [own, next] = OWN_STARTS[family] ?? [];
  if (own === undefined || first !== own || (next !== undefined && wordAt(statement, 1) !== next))
    return null;
  return asks(first, 0, `${first} changes something, or could`);
}

function firstIndex(statement: Statement): number {
  let at = 0;
  while (opAt(statement, at) === "(") at++;
  return at;
}

function asks(op: string, at: number, reason: string, opensBlock = false): Start {
  return { hit: { verdict: "ask", rule: "start", op, at, reason }, opensBlock };
}

function begin(statement: Statement, at: number): Start {
  const next = wordAt(statement, at + 1);
  if (statement.tokens.length === at + 1) return FINE;
  const transaction =
    TRANSACTION_WORDS.has(next) || (next === "NOT" && wordAt(statement, at + 2) === "DEFERRABLE");
  if (transaction) return FINE;
  return asks("BEGIN", at, "a block of statements is not read", true);
}

function transaction(statement: Statement, at: number, first: string): Start {
  const second = statement.tokens[at + 1];
  if (second === undefined || (first === "END" && second.kind !== "word")) return FINE;
  const next = wordAt(statement, at + 1);
  if (first === "START" ? next === "TRANSACTION" : TRANSACTION_WORDS.has(next)) return FINE;
  return asks(first, at, `${first} ${next || ".."} is not the end of a plain transaction`);
}

/** EXPLAIN of a statement, or of a plain table name. */
function explain(statement: Statement, start: number, first: string): Start {
  let at = start + 1;
  for (;;) {
    if (
      opAt(statement, at) === "(" &&
      !EXPLAINABLE.has(wordAt(statement, at + 1)) &&
      opAt(statement, at + 1) !== "("
    )
      at = (statement.partner[at] ?? at) + 1;
    else if (opAt(statement, at) === "(") at++;
    else if (opAt(statement, at) === "=" || EXPLAIN_OPTIONS.has(wordAt(statement, at))) at++;
    else break;
    if (at <= start) break;
  }
  const word = wordAt(statement, at);
  if (statement.tokens[at] === undefined || EXPLAINABLE.has(word)) return FINE;
  if (ASKING_STARTS.has(word)) return asks(word, at, `${first} ${word} may run it`);
  // MySQL: EXPLAIN of a plain table name, of one of its columns, or of a connection.
  const marks = first !== "EXPLAIN" && /^(?:FUNCTION|PROCEDURE|RESULT)$/.test(word) ? /^[.,()]$/ : /^\.$/;
  const plain = statement.tokens
    .slice(at)
    .every((token) => /^(word|name|number|string)$/.test(token.kind) || marks.test(token.text));
  return plain && !READING_STARTS.has(word) ? FINE : asks(first, at, `what ${first} is given cannot be read`);
}

function settings(statement: Statement, start: number): Start {
  let at = start + 1;
  if (/^(LOCAL|SESSION)$/.test(wordAt(statement, at))) at++;
  const name = wordAt(statement, at);
  const token = statement.tokens[at];
  const several = statement.tokens.some((one) => one.kind === "op" && one.text === ",");
  const server = statement.tokens.some((one) => one.kind === "param" && one.text.startsWith("@@"));
  // `@` stands alone where the dialect has no such names; then SET of it is a syntax error.
  if (opAt(statement, at) === "@" && !several && !server) return FINE;
  if (token?.kind === "param" && token.text.startsWith("@") && !several && !server) return FINE;
  if (
    name === "NAMES" &&
    HARMLESS_CHARSETS.has(wordAt(statement, at + 1)) &&
    statement.tokens.length === at + 2
  )
    return FINE;
  if (name === "TIME" && wordAt(statement, at + 1) === "ZONE" && !several) return FINE;
  if (HARMLESS_SETTINGS.has(name) && !several && statement.tokens.length <= at + 4) return FINE;
  if (name === "TRANSACTION" && isIsolation(statement, at + 1)) return FINE;
  return asks("SET", start, "SET may change how later statements are read or run");
}

const ISOLATION = /^ISOLATION LEVEL (?:READ (?:UN)?COMMITTED|REPEATABLE READ|SERIALIZABLE|SNAPSHOT)$/;

/** Nothing but the level: READ WRITE would open a transaction again that was closed to writes. */
function isIsolation(statement: Statement, from: number): boolean {
  const words = statement.tokens.slice(from).map((_, step) => wordAt(statement, from + step));
  return ISOLATION.test(words.join(" "));
}
