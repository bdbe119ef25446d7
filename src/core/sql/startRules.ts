/** How a statement may begin. Knows the words that need a second look. */
import { copiesOut } from "./copyRule";
import { type Hit, opAt, type RuleContext, wordAt } from "./rule";
import type { Statement } from "./statements";
import {
  ASKING_STARTS,
  EXPLAIN_OPTIONS,
  EXPLAINABLE,
  HARMLESS_CHARSETS,
  HARMLESS_SETTINGS,
  READING_PRAGMAS,
  READING_STARTS,
  TRANSACTION_WORDS,
  VALUELESS_PRAGMAS,
} from "./verbs";

export interface Start {
  readonly hits: readonly Hit[];
  /** What follows stands in a block, if this statement is asked about. */
  readonly opensBlock: boolean;
  /** What follows stands in a block in any case. */
  readonly declares?: true;
}

const FINE: Start = { hits: [], opensBlock: false };

export function startRule(statement: Statement, context: RuleContext): Start {
  const at = firstIndex(statement);
  const first = wordAt(statement, at);
  if (context.family === "postgres" && at === 0 && copiesOut(statement) >= 0) return FINE;
  if (ASKING_STARTS.has(first)) return asks(first, at, `${first} changes something, or could`);
  if (!READING_STARTS.has(first)) {
    if (context.inBlock) return asks(first || "BLOCK", at, "a statement inside a block is not read");
    return {
      hits: [{ verdict: "deny", rule: "not_sql", op: first, at, reason: "this does not begin as SQL does" }],
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
      return pragma(statement, at);
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
      return { hits: [], opensBlock: true };
    case "DECLARE":
      // PL/SQL has it only in front of a block, whose declarations end with semicolons as statements do.
      if (context.family === "oracle") return { hits: [], opensBlock: true, declares: true };
      return {
        hits: [],
        opensBlock: statement.tokens.some((token) => token.kind === "word" && token.text === "BEGIN"),
      };
    default:
      return FINE;
  }
}

function firstIndex(statement: Statement): number {
  let at = 0;
  while (opAt(statement, at) === "(") at++;
  return at;
}

function asks(op: string, at: number, reason: string, opensBlock = false): Start {
  return { hits: [{ verdict: "ask", rule: "start", op, at, reason }], opensBlock };
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

function pragma(statement: Statement, at: number): Start {
  let name = at + 1;
  if (opAt(statement, name + 1) === ".") name += 2;
  const word = wordAt(statement, name);
  const bare = statement.tokens[name + 1] === undefined;
  const assigns = statement.tokens.some((token) => token.kind === "op" && token.text === "=");
  if (!assigns && (READING_PRAGMAS.has(word) || (bare && VALUELESS_PRAGMAS.has(word)))) return FINE;
  return asks("PRAGMA", at, "this PRAGMA may change the database or how it is read");
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
  const plain = statement.tokens
    .slice(at)
    .every((token) => /^(word|name|number|string)$/.test(token.kind) || token.text === ".");
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
  return asks("SET", start, "SET may change how later statements are read or run");
}
