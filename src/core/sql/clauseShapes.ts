/** Brackets behind a name that no engine reads as a call's, by what stands in and around them. Knows no function. */
import { KEYWORDS } from "./functionNames";
import { isTableElement } from "./keyColumns";
import { isNameAt, opAt, wordAt } from "./rule";
import type { Statement } from "./statements";
import { setOf } from "./wordList";

/** `at` is the name before the bracket. */
export function isClauseShape(statement: Statement, at: number): boolean {
  return (
    isOuterJoin(statement, at) ||
    isOperatorName(statement, at) ||
    isStorage(statement, at) ||
    isPeriod(statement, at) ||
    isPartitionList(statement, at)
  );
}

/** Oracle: `a.id(+) = b.id`. */
function isOuterJoin(statement: Statement, at: number): boolean {
  return opAt(statement, at + 2) === "+" && statement.partner[at + 1] === at + 3;
}

/** PostgreSQL: `1 OPERATOR(pg_catalog.+) 2`. An operator of another schema may be a user's. */
function isOperatorName(statement: Statement, at: number): boolean {
  if (wordAt(statement, at) !== "OPERATOR" || opAt(statement, at - 1) === ".") return false;
  const close = statement.partner[at + 1] ?? -1;
  const from =
    wordAt(statement, at + 2) === "PG_CATALOG" && opAt(statement, at + 3) === "." ? at + 4 : at + 2;
  const marks = statement.tokens.slice(from, Math.max(from, close));
  return (
    marks.length > 0 && marks.every(({ kind, text }) => kind === "op" && /^[-+*/<>=~!@#%^&|]$/.test(text))
  );
}

const STORAGE_WORDS =
  setOf(`INITIAL NEXT MINEXTENTS MAXEXTENTS PCTINCREASE FREELISTS FREELIST GROUPS OPTIMAL BUFFER_POOL FLASH_CACHE CELL_FLASH_CACHE
  MAXSIZE UNLIMITED DEFAULT KEEP RECYCLE NONE K M G T P E`);

/** Oracle: `STORAGE (INITIAL 64K NEXT 1M)`: words and sizes side by side, which no expression is. */
function isStorage(statement: Statement, at: number): boolean {
  if (wordAt(statement, at) !== "STORAGE" || wordAt(statement, 0) !== "CREATE") return false;
  const close = statement.partner[at + 1] ?? -1;
  const inside = statement.tokens.slice(at + 2, Math.max(at + 2, close));
  return (
    inside.length >= 2 &&
    wordAt(statement, at + 2) !== "" &&
    inside.every(({ kind, text }) => kind === "number" || (kind === "word" && STORAGE_WORDS.has(text)))
  );
}

/** `PERIOD FOR SYSTEM_TIME (s, e)` among the columns of a table. */
function isPeriod(statement: Statement, at: number): boolean {
  if (wordAt(statement, at - 1) !== "FOR" || wordAt(statement, at - 2) !== "PERIOD") return false;
  if (wordAt(statement, 0) !== "CREATE" || !isTableElement(statement, at - 2)) return false;
  return (
    statement.partner[at + 1] === at + 5 &&
    isNameAt(statement, at + 2) &&
    opAt(statement, at + 3) === "," &&
    isNameAt(statement, at + 4)
  );
}

/** MariaDB: `PARTITION BY SYSTEM_TIME [INTERVAL ..] (PARTITION p0 HISTORY, ..)`. */
function isPartitionList(statement: Statement, at: number): boolean {
  if (wordAt(statement, 0) !== "CREATE" || statement.depth[at] !== 0) return false;
  const before = [at - 2, at - 1, at].map((index) => wordAt(statement, index)).join(" ");
  if (before !== "PARTITION BY SYSTEM_TIME" || wordAt(statement, at + 2) !== "PARTITION") return false;
  // `partition LIKE history` would be an expression.
  const isName = !KEYWORDS.has(wordAt(statement, at + 3).toLowerCase());
  return isName && /^(?:HISTORY|CURRENT)$/.test(wordAt(statement, at + 4));
}
