/** Says in data what a statement does: operation, kind of object, tables, condition. Judges nothing. */
import { nameText, qualifiedName } from "./names";
import { opAt, wordAt } from "./rule";
import { sourceWords } from "./sourceWords";
import type { Statement } from "./statements";

export interface Description {
  /** TABLE, INDEX, VIEW, ... or ROWS. */
  readonly kind: string;
  /** As written, without quotes; words in lower case where the source text is not at hand. */
  readonly tables: readonly string[];
  /** False too where the condition names no column, and so holds for every row or for none. */
  readonly hasWhere: boolean;
  /** From WHERE on, without comments, cut; null = there is none. */
  readonly condition: string | null;
  /** An UPDATE's own `SET ..` up to its condition, without comments and secrets, cut; null for all else. */
  readonly assigned: string | null;
  /** The statement, or what of it does the harm: one line, without comments and passwords, cut in its middle. */
  readonly words: string;
}

const SKIPPED = new Set(
  "FROM INTO TABLE ONLY IF EXISTS NOT LOW_PRIORITY QUICK IGNORE CONCURRENTLY OR REPLACE ROLLBACK ABORT FAIL COLUMN MATERIALIZED TEMPORARY TEMP UNIQUE EXTERNAL".split(
    " ",
  ),
);
const KINDS = new Set(
  "TABLE VIEW INDEX SEQUENCE TYPE DOMAIN SCHEMA DATABASE CATALOG FUNCTION PROCEDURE TRIGGER RULE EXTENSION USER ROLE COLUMN EVENT TABLESPACE POLICY PUBLICATION SUBSCRIPTION SERVER LOGIN PACKAGE SYNONYM STAGE TASK STREAM WAREHOUSE AGGREGATE OPERATOR CAST COLLATION CONSTRAINT".split(
    " ",
  ),
);
const MAX_TABLES = 20;

export function describe(statement: Statement, at: number, source: string): Description {
  const { where, ...what } = outline(statement, at, source);
  const op = wordAt(statement, at);
  const end = reachEnd(statement, at);
  return {
    ...what,
    condition: where < 0 ? null : sourceWords(statement, { source, from: where, to: end, max: MAX_WORDS }),
    assigned: op === "UPDATE" ? assignedBy(statement, { at, end, source }) : null,
    words: sourceWords(statement, { source, from: SAYS_ALL.has(op) ? at : 0, max: MAX_WORDS }),
  };
}

/** All but the words: nobody reads those of a statement that passes. `where` is a token's index, -1 = there is none. */
export function outline(
  statement: Statement,
  at: number,
  source: string,
): Pick<Description, "kind" | "tables" | "hasWhere"> & { readonly where: number } {
  const op = wordAt(statement, at);
  let next = at + 1;
  let kind = "ROWS";
  for (; SKIPPED.has(wordAt(statement, next)) || KINDS.has(wordAt(statement, next)); next++) {
    if (kind === "ROWS" && KINDS.has(wordAt(statement, next)) && op !== "UPDATE" && op !== "DELETE")
      kind = wordAt(statement, next);
  }
  if (op === "DELETE" || op === "UPDATE") kind = "ROWS";
  if (op === "TRUNCATE") kind = "TABLE";
  const tables = namesFrom(statement, next, source);
  return {
    kind,
    tables: tables.length > 0 ? tables : tablesRead(statement, source),
    ...conditionOf(statement, at),
  };
}

function namesFrom(statement: Statement, from: number, source: string): readonly string[] {
  const out: string[] = [];
  let at = from;
  while (out.length < MAX_TABLES) {
    const name = nameAt(statement, at, source);
    if (name === null) break;
    out.push(name.text);
    at = name.next;
    if (opAt(statement, at) !== ",") break;
    at++;
  }
  return out;
}

const BEFORE_TABLES = new Set(["FROM", "JOIN", "INTO", "UPDATE", "TABLE"]);

/** All names behind FROM, JOIN, INTO, UPDATE and TABLE. */
function tablesRead(statement: Statement, source: string): readonly string[] {
  const out = new Set<string>();
  for (let at = 0; at < statement.tokens.length && out.size < MAX_TABLES; at++) {
    if (!BEFORE_TABLES.has(wordAt(statement, at))) continue;
    const name = nameAt(statement, at + 1, source);
    if (name !== null) out.add(name.text);
  }
  return [...out];
}

function nameAt(statement: Statement, at: number, source: string): { text: string; next: number } | null {
  const { parts, next } = qualifiedName(statement, at);
  if (parts.length === 0) return null;
  const text = statement.tokens
    .slice(at, next)
    .map((token) =>
      token.kind === "name" || token.kind === "string"
        ? nameText(token)
        : source.slice(token.start, token.end),
    )
    .join("");
  return { text: text.slice(0, 200), next };
}

const MAX_WORDS = 160;
/** Verbs that say with what follows them what is done, wherever they stand. */
const SAYS_ALL = new Set("DELETE UPDATE INSERT TRUNCATE DROP ALTER".split(" "));
/** What may stand in a condition that is the same for every row. */
const NO_COLUMN = new Set("TRUE FALSE AND OR NOT NULL IS LIKE IN BETWEEN RETURNING".split(" "));

/** A query of its own, where no separator is needed before it. */
const NEXT_STATEMENT = new Set("SELECT DELETE EXEC EXECUTE".split(" "));

/** Where the verb's own clauses end: with its brackets, or where another statement begins. Index of the token behind them. */
function reachEnd(statement: Statement, at: number): number {
  const own = statement.depth[at] ?? 0;
  const alone = /^(?:UPDATE|DELETE)$/.test(wordAt(statement, at));
  let end = at + 1;
  for (; end < statement.tokens.length; end++) {
    const depth = statement.depth[end] ?? 0;
    if (depth < own) break;
    if (depth !== own || !alone || opAt(statement, end - 1) === ".") continue;
    if (NEXT_STATEMENT.has(wordAt(statement, end))) break;
  }
  return end;
}

/** The first of the words at the depth of the verb itself: one in a subquery is not its own. -1 = none. */
function ownWord(
  statement: Statement,
  words: ReadonlySet<string>,
  [at, end]: readonly [number, number],
): number {
  const depth = statement.depth[at] ?? 0;
  for (let index = at + 1; index < end; index++)
    if (statement.depth[index] === depth && words.has(wordAt(statement, index))) return index;
  return -1;
}

const WHERE = new Set(["WHERE"]);
const SET = new Set(["SET"]);
const BEHIND_SET = new Set("WHERE RETURNING OUTPUT ORDER LIMIT OPTION".split(" "));
const MAX_ASSIGNED = 100;

function assignedBy(
  statement: Statement,
  { at, end, source }: { readonly at: number; readonly end: number; readonly source: string },
): string | null {
  const from = ownWord(statement, SET, [at, end]);
  if (from < 0) return null;
  const behind = ownWord(statement, BEHIND_SET, [from, end]);
  return sourceWords(statement, {
    source,
    from,
    to: behind < 0 ? end : behind,
    list: "assignments",
    max: MAX_ASSIGNED,
  });
}

function conditionOf(statement: Statement, at: number): { hasWhere: boolean; where: number } {
  const end = reachEnd(statement, at);
  const where = ownWord(statement, WHERE, [at, end]);
  if (where < 0) return { hasWhere: false, where };
  const hasWhere = statement.tokens
    .slice(where + 1, end)
    .some(
      ({ kind, text }) => kind === "name" || kind === "param" || (kind === "word" && !NO_COLUMN.has(text)),
    );
  return { hasWhere, where };
}
