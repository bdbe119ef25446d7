/** Says in data what a statement does: operation, kind of object, tables, condition. Judges nothing. */
import { nameText, qualifiedName } from "./names";
import { clausesOf, type OwnClauses, ownWord, reachEnd } from "./ownClauses";
import { opAt, wordAt } from "./rule";
import { sourceWords } from "./sourceWords";
import type { Statement } from "./statements";
import { setOf } from "./wordList";

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
  /** What an UPDATE or a DELETE names beside its condition, and what stands in front of a verb; null for all else. */
  readonly own: OwnClauses | null;
}

const SKIPPED = setOf(
  "FROM INTO TABLE ONLY IF EXISTS NOT LOW_PRIORITY QUICK IGNORE CONCURRENTLY OR REPLACE ROLLBACK ABORT FAIL COLUMN MATERIALIZED TEMPORARY TEMP UNIQUE EXTERNAL",
);
const KINDS = setOf(
  "TABLE VIEW INDEX SEQUENCE TYPE DOMAIN SCHEMA DATABASE CATALOG FUNCTION PROCEDURE TRIGGER RULE EXTENSION USER ROLE COLUMN EVENT TABLESPACE POLICY PUBLICATION SUBSCRIPTION SERVER LOGIN PACKAGE SYNONYM STAGE TASK STREAM WAREHOUSE AGGREGATE OPERATOR CAST COLLATION CONSTRAINT",
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
    own: SAYS_ALL.has(op) ? clausesOf(statement, { at, end, source }) : null,
  };
}

/** All but the words: nobody reads those of a statement that passes. `where` is a token's index, -1 = there is none. */
export function outline(
  statement: Statement,
  at: number,
  source: string,
): Pick<Description, "kind" | "tables" | "hasWhere"> & { readonly where: number } {
  const op = wordAt(statement, at);
  let next = behindTop(statement, at + 1);
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

/** Transact-SQL: `DELETE TOP (10) PERCENT FROM t`. */
function behindTop(statement: Statement, at: number): number {
  if (wordAt(statement, at) !== "TOP" || opAt(statement, at + 1) !== "(") return at;
  const close = statement.partner[at + 1] ?? -1;
  if (close < 0) return at;
  return wordAt(statement, close + 1) === "PERCENT" ? close + 2 : close + 1;
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

/** All names behind FROM, JOIN, INTO, UPDATE and TABLE. */
function tablesRead(statement: Statement, source: string): readonly string[] {
  const out: string[] = [];
  for (const at of statement.sources) {
    if (out.length === MAX_TABLES) break;
    const name = nameAt(statement, at + 1, source);
    if (name !== null && !out.includes(name.text)) out.push(name.text);
  }
  return out;
}

function nameAt(statement: Statement, at: number, source: string): { text: string; next: number } | null {
  const { parts, next } = qualifiedName(statement, at);
  if (parts.length === 0) return null;
  let text = "";
  for (let index = at; index < next; index++) {
    const token = statement.tokens[index];
    if (token === undefined) break;
    const quoted = token.kind === "name" || token.kind === "string";
    text += quoted ? nameText(token) : source.slice(token.start, token.end);
  }
  return { text: text.slice(0, 200), next };
}

const MAX_WORDS = 160;
/** Verbs that say with what follows them what is done, wherever they stand. */
const SAYS_ALL = setOf("DELETE UPDATE INSERT TRUNCATE DROP ALTER");
/** What may stand in a condition that is the same for every row. */
const NO_COLUMN = setOf("TRUE FALSE AND OR NOT NULL IS LIKE IN BETWEEN RETURNING");

const SET = new Set(["SET"]);
const BEHIND_SET = setOf("WHERE RETURNING OUTPUT ORDER LIMIT OPTION");
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
  const depth = statement.depth[at] ?? 0;
  const where = statement.wheres.find((index) => index > at && statement.depth[index] === depth) ?? -1;
  const end = where < 0 ? 0 : reachEnd(statement, at);
  if (where < 0 || where >= end) return { hasWhere: false, where: -1 };
  const hasWhere = statement.tokens
    .slice(where + 1, end)
    .some(
      ({ kind, text }) => kind === "name" || kind === "param" || (kind === "word" && !NO_COLUMN.has(text)),
    );
  return { hasWhere, where };
}
