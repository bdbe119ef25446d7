/** Dangerous verbs wherever they stand outside quotes. Knows the few places where such a word is harmless. */
import { type Hit, isNameAt, opAt, type RuleContext, wordAt } from "./rule";
import type { Statement } from "./statements";
import { isReadingProcedure } from "./systemProcedures";
import { ACTING_ANYWHERE, ACTING_ANYWHERE_TSQL, ACTING_PAIRS_TSQL, WHOLE_DATABASES } from "./verbs";

export function verbRule(statement: Statement, context: RuleContext): Hit | null {
  const tsql = context.family === "tsql";
  let first: Hit | null = null;
  for (const at of statement.notable) {
    const token = statement.tokens[at];
    if (token === undefined) continue;
    const glued =
      statement.tokens[at - 1]?.kind === "number" && statement.tokens[at - 1]?.end === token.start;
    const verb = glued
      ? gluedVerb(token.text, tsql)
      : acts(token.text, tsql) || (tsql && pairs(statement, at))
        ? token.text
        : null;
    if (verb === null) continue;
    if (!glued && harmless(statement, at, tsql)) continue;
    // The first hit speaks; after it only a whole database's DROP says more. Nothing is looked up twice.
    if (first !== null && verb !== "DROP") continue;
    const hit = verbHit(statement, at, verb);
    if (hit.verdict === "deny") return hit;
    first ??= hit;
  }
  return first;
}

function acts(word: string, tsql: boolean): boolean {
  return ACTING_ANYWHERE.has(word) || (tsql && ACTING_ANYWHERE_TSQL.has(word));
}

function pairs(statement: Statement, at: number): boolean {
  return ACTING_PAIRS_TSQL.has(`${wordAt(statement, at)}_${wordAt(statement, at + 1)}`);
}

/** `1DELETE`, `1EDELETE`: the number may take a letter or two with it. */
function gluedVerb(word: string, tsql: boolean): string | null {
  for (const skip of [0, 1, 2]) {
    const rest = word.slice(skip);
    if (acts(rest, tsql) || rest === "CREATE" || rest === "INTO") return rest;
  }
  return null;
}

const RUNS_CODE = "it runs code that cannot be seen";
const REASONS: Readonly<Record<string, string>> = {
  GRANT: "GRANT changes rights",
  REVOKE: "REVOKE changes rights",
  DENY: "DENY changes rights",
  CALL: RUNS_CODE,
  EXEC: RUNS_CODE,
  EXECUTE: RUNS_CODE,
  REPLACE: "REPLACE removes what is there before",
  MERGE: "MERGE may insert, update and delete rows",
  ALTER: "ALTER changes an object for good",
  OVERWRITE: "OVERWRITE removes the rows that are there",
};

/** `INSERT .. ON CONFLICT DO UPDATE`, `INSERT .. ON DUPLICATE KEY UPDATE`: index of the INSERT, or -1. */
function upsertStart(statement: Statement, update: number): number {
  if (!/^(DO|KEY)$/.test(wordAt(statement, update - 1))) return -1;
  const depth = statement.depth[update];
  for (let at = update - 1; at >= 0; at--)
    if (wordAt(statement, at) === "INSERT" && statement.depth[at] === depth) return at;
  return -1;
}

function verbHit(statement: Statement, at: number, verb: string): Hit {
  if (verb === "UPDATE") {
    const insert = upsertStart(statement, at);
    if (insert >= 0)
      return {
        verdict: "ask",
        rule: "verb",
        op: "UPSERT",
        at: insert,
        reason: "a row that exists is updated",
      };
  }
  if (verb !== "DROP")
    return { verdict: "ask", rule: "verb", op: verb, at, reason: REASONS[verb] ?? `${verb} changes data` };
  const kind = [1, 2].map((step) => wordAt(statement, at + step)).find((word) => WHOLE_DATABASES.has(word));
  const whole =
    kind !== undefined &&
    (WHOLE_DATABASES.has(wordAt(statement, at + 1)) || wordAt(statement, at + 1) === "EXTERNAL");
  if (!whole)
    return { verdict: "ask", rule: "verb", op: verb, at, reason: "DROP removes an object for good" };
  return { verdict: "deny", rule: "drop_database", op: verb, at, reason: `DROP ${kind} is never run` };
}

function harmless(statement: Statement, at: number, tsql: boolean): boolean {
  const word = wordAt(statement, at);
  const before = wordAt(statement, at - 1);
  const next = wordAt(statement, at + 1);
  if (!tsql && opAt(statement, at - 1) === "." && isNameAt(statement, at - 2)) return true;
  if (word === "REPLACE" && isColumnList(statement, at)) return true;
  if (word === "TRUNCATE" && isOverflow(statement, at)) return true;
  if (tsql && at === 0 && /^EXEC/.test(word)) return isReadingProcedure(statement);
  if ((word === "REPLACE" || word === "TRUNCATE") && at > 0) {
    // `REPLACE(a, b, c)` computes; `REPLACE (a) VALUES` would begin the statement.
    return opAt(statement, at + 1) === "(" && !["ANALYZE", "EXPLAIN", "DESC", "DESCRIBE"].includes(before);
  }
  // A verb only in front of INTO; else somebody's table.
  if (word === "UPSERT" && at > 0 && next !== "INTO") return true;
  if (word === "MERGE" && next === "VIEW")
    return before === "" && wordAt(statement, at - 2) === "ALGORITHM" && wordAt(statement, 0) === "CREATE";
  if (word === "MERGE" && next === "JOIN")
    return (
      ["INNER", "LEFT", "RIGHT", "FULL", "OUTER"].includes(before) || /^[(,]$/.test(opAt(statement, at - 1))
    );
  if (word === "IF" && tsql)
    return (before === "TABLE" || next === "EXISTS" || next === "NOT") && wordAt(statement, 0) === "CREATE";
  if (word === "UPDATE" && isRowLock(statement, at)) return true;
  return inCreate(statement, at);
}

/** `SELECT * EXCLUDE a REPLACE 3 AS b`: the columns of a star, of which a statement never begins. */
function isColumnList(statement: Statement, at: number): boolean {
  if (/^(?:SELECT|WITH|VALUES|SET|INTO|TABLE)$/.test(wordAt(statement, at + 1))) return false;
  const isExcept = (index: number) => /^(?:EXCLUDE|EXCEPT)$/.test(wordAt(statement, index));
  const star = isExcept(at - 1) ? at - 2 : isExcept(at - 2) && isNameAt(statement, at - 1) ? at - 3 : at - 1;
  if (opAt(statement, star) !== "*") return false;
  return wordAt(statement, star - 1) !== "" || /^[,.]$/.test(opAt(statement, star - 1));
}

/** `LISTAGG(a, ',' ON OVERFLOW TRUNCATE '..' WITH COUNT)` */
function isOverflow(statement: Statement, at: number): boolean {
  if (wordAt(statement, at - 1) !== "OVERFLOW" || wordAt(statement, at - 2) !== "ON") return false;
  const next = statement.tokens[at + 1];
  if ((statement.depth[at] ?? 0) === 0) return false;
  return (
    opAt(statement, at + 1) === ")" || next?.kind === "string" || /^WITH(?:OUT)?$/.test(next?.text ?? "")
  );
}

/** `FOR [NO KEY] UPDATE` at the end of a query. */
function isRowLock(statement: Statement, at: number): boolean {
  const before = wordAt(statement, at - 1);
  const locks =
    before === "FOR" ||
    (before === "KEY" && wordAt(statement, at - 2) === "NO" && wordAt(statement, at - 3) === "FOR");
  if (!locks) return false;
  const next = statement.tokens[at + 1];
  if (next === undefined || (next.kind === "op" && next.text === ")")) return true;
  return next.kind === "word" && ["OF", "NOWAIT", "SKIP", "WAIT", "LIMIT"].includes(next.text);
}

const REFERENTIAL = [
  "CASCADE",
  "SET",
  "RESTRICT",
  "NO",
  "CURRENT_TIMESTAMP",
  "NOW",
  "LOCALTIME",
  "LOCALTIMESTAMP",
];

function inCreate(statement: Statement, at: number): boolean {
  if (wordAt(statement, 0) !== "CREATE") return false;
  const word = wordAt(statement, at);
  const before = wordAt(statement, at - 1);
  if (before === "ON" && (word === "DELETE" || word === "UPDATE")) {
    return (statement.depth[at] ?? 0) > 0 && REFERENTIAL.includes(wordAt(statement, at + 1));
  }
  return before === "COMMIT" && wordAt(statement, at - 2) === "ON" && (word === "DROP" || word === "DELETE");
}
