/** Words of clauses and types that users may give their functions too: which of the two one is, by its place. Knows no statement's meaning. */
import { isTableElement } from "./keyColumns";
import { opAt, wordAt } from "./rule";
import type { Statement } from "./statements";

/** Of the keywords those that are reserved in no engine whose users' functions can write, or in few of them. */
const SOFT: ReadonlySet<string> = new Set(
  `exclude rename force storing store options fields separator measures pattern dimension rules object seek positional anti semi
  asof encode comment distributed cluster distkey sortkey diststyle clustered include columns buckets partitions subpartition
  identity nothing apply begin return returns tables hash range list match top if charset engine tuple enum bernoulli
  number string image int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 mediumint tinytext mediumtext
  longtext ntext clob nclob blob raw bytea varbinary variant fixedstring lowcardinality nullable
  fts3 fts4 fts4aux fts5vocab rtree vec0 spellfix1 btree gin gist brin spgist hnsw ivfflat bloom`.split(
    /\s+/,
  ),
);

const BEFORE_EXPRESSION =
  /^(?:SELECT|WHERE|AND|OR|NOT|ON|HAVING|WHEN|THEN|ELSE|CASE|DISTINCT|ALL|RETURNING|IN|LIKE|BETWEEN|IS|DEFAULT|FROM|JOIN|LATERAL|LIMIT|OFFSET)$/;

/** `SELECT rules(1)` calls a function of that name; `SELECT * EXCLUDE (a)` and `a number(10)` do not. */
export function isSoftCall(statement: Statement, at: number, name: string): boolean {
  if (!SOFT.has(name.toLowerCase())) return false;
  const before = statement.tokens[at - 1];
  if (before?.kind === "word") return BEFORE_EXPRESSION.test(before.text);
  if (before?.kind !== "op" || /^[).\]}@]$/.test(before.text)) return false;
  if (before.text === "*") return multiplies(statement, at - 1);
  return wordAt(statement, 0) !== "CREATE" || !isTableElement(statement, at);
}

/** False for the star of all columns. */
function multiplies(statement: Statement, star: number): boolean {
  if (/^[,.(]$/.test(opAt(statement, star - 1))) return false;
  return !/^(?:SELECT|DISTINCT|ALL)$/.test(wordAt(statement, star - 1));
}
