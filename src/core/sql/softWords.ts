/** Words of clauses and types that users may give their functions too: which of the two one is, by its place. Knows no statement's meaning. */
import { isTableElement } from "./keyColumns";
import { opAt, wordAt } from "./rule";
import type { Statement } from "./statements";
import { setOf } from "./wordList";

/** Of the keywords that few engines reserve whose users' functions can write: clauses, which begin no expression anywhere. */
const CLAUSES = setOf(`
  exclude rename force storing store options separator measures pattern dimension rules seek positional anti semi asof
  comment distkey sortkey diststyle clustered include buckets partitions subpartition nothing begin returns charset engine fts(3 4 4aux 5vocab) rtree vec0 spellfix1 btree gin gist brin spgist hnsw ivfflat bloom
`);
/** Types and other words, which do in some engine. */
const OTHERS = setOf(`
  cluster distributed fields object encode columns identity apply return tables hash range list match top if tuple enum
  bernoulli number string image int(16 32 64) uint(8 16 32 64) float(32 64) mediumint tinytext mediumtext longtext ntext clob nclob blob raw bytea
  varbinary variant fixedstring lowcardinality nullable
`);

const BEFORE_EXPRESSION =
  /^(?:SELECT|WHERE|AND|OR|NOT|ON|HAVING|WHEN|THEN|ELSE|CASE|DISTINCT|ALL|RETURNING|IN|LIKE|BETWEEN|IS|DEFAULT|FROM|JOIN|LATERAL|LIMIT|OFFSET)$/;

/**
 * `SELECT rules(1)` calls a function of that name; `SELECT * EXCLUDE (a)` and `a number(10)` do not. Where no dialect is
 * named, `SELECT range(1)` may be an engine's own.
 */
export function isSoftCall(statement: Statement, at: number, dialect: string | null): boolean {
  const name = wordAt(statement, at).toLowerCase();
  if (!CLAUSES.has(name) && (dialect === null || !OTHERS.has(name))) return false;
  const before = statement.tokens[at - 1];
  if (before?.kind === "word") return BEFORE_EXPRESSION.test(before.text) && !isStyle(statement, at - 1);
  if (isTop(statement, at - 1)) return true;
  if (before?.kind !== "op" || /^[).\]}@]$/.test(before.text)) return false;
  if (before.text === "*") return multiplies(statement, at - 1);
  return wordAt(statement, 0) !== "CREATE" || !isTableElement(statement, at);
}

/** Redshift: `CREATE TABLE t DISTSTYLE ALL SORTKEY (a)`. */
function isStyle(statement: Statement, at: number): boolean {
  return (
    wordAt(statement, at) === "ALL" &&
    wordAt(statement, at - 1) === "DISTSTYLE" &&
    wordAt(statement, 0) === "CREATE"
  );
}

/** The count of `SELECT TOP 5 ..`; `top (5)` may be a call. */
function isTop(statement: Statement, at: number): boolean {
  return (
    statement.tokens[at]?.kind === "number" &&
    wordAt(statement, at - 1) === "TOP" &&
    /^(?:SELECT|DISTINCT|ALL)$/.test(wordAt(statement, at - 2))
  );
}

/** False for the star of all columns. */
function multiplies(statement: Statement, star: number): boolean {
  if (/^[,.(]$/.test(opAt(statement, star - 1)) || isTop(statement, star - 1)) return false;
  return !/^(?:SELECT|DISTINCT|ALL)$/.test(wordAt(statement, star - 1));
}
