/** The clauses of one UPDATE or DELETE beside its condition, as a person reads them. Judges nothing. */
import { nameText } from "./names";
import { opAt, wordAt } from "./rule";
import { sourceWords } from "./sourceWords";
import type { Statement } from "./statements";
import { ASKING_STARTS } from "./verbs";
import { setOf } from "./wordList";

export interface OwnClauses {
  /** What stands in front of the verb and gives it another meaning: `EXPLAIN`, `CREATE TRIGGER .. BEGIN`. Empty = nothing. */
  readonly lead: string;
  /** From behind the verb to SET or the condition, as written: `from a USING b`. Empty for other verbs. */
  readonly target: string;
  /** The query that the target's name stands for; empty = it is no name from WITH. */
  readonly means: string;
  /** `ORDER BY id LIMIT 10`, where there is no condition to show it with. */
  readonly limit: string;
  /** What narrows the rows where no condition does. */
  readonly narrowed: "no" | "top" | "partition" | "limit" | "join";
}

interface Piece {
  /** Index of the verb. */
  readonly at: number;
  /** Index behind its clauses. */
  readonly end: number;
  readonly source: string;
}

const MAX_LEAD = 80;
const MAX_TARGET = 160;
const EXPLAINS = /^(?:EXPLAIN|DESC|DESCRIBE|CREATE)$/;
const BEHIND_TARGET = setOf("SET WHERE RETURNING ORDER LIMIT OPTION");
const TAIL = setOf("ORDER LIMIT");
const JOINS = setOf("JOIN USING");

export function clausesOf(statement: Statement, piece: Piece): OwnClauses {
  const { at, end, source } = piece;
  const first = wordAt(statement, 0);
  const leads = at > 0 && (EXPLAINS.test(first) || ASKING_STARTS.has(first));
  const lead = leads ? sourceWords(statement, { source, from: 0, to: at, max: MAX_LEAD }) : "";
  if (!/^(?:UPDATE|DELETE)$/.test(wordAt(statement, at)))
    return { lead, target: "", means: "", limit: "", narrowed: "no" };
  const behind = ownWord(statement, BEHIND_TARGET, [at, end]);
  const to = behind < 0 ? end : behind;
  const words = sourceWords(statement, { source, from: at + 1, to, max: MAX_TARGET });
  const tail = ownWord(statement, TAIL, [at, end]);
  return {
    lead,
    target: words.replace(/^from\b/i, "from"),
    means: meaning(statement, piece),
    limit: tail < 0 ? "" : sourceWords(statement, { source, from: tail, to: end, max: MAX_LEAD }),
    narrowed: narrowedBy(statement, [at, end], tail),
  };
}

function narrowedBy(
  statement: Statement,
  [at, end]: readonly [number, number],
  tail: number,
): OwnClauses["narrowed"] {
  if (wordAt(statement, at + 1) === "TOP" && opAt(statement, at + 2) === "(") return "top";
  if (tail >= 0 && ownWord(statement, new Set(["LIMIT"]), [tail - 1, end]) >= 0) return "limit";
  const partition = ownWord(statement, new Set(["PARTITION"]), [at, end]);
  if (partition > at + 2 && opAt(statement, partition + 1) === "(") return "partition";
  return ownWord(statement, JOINS, [at, end]) >= 0 ? "join" : "no";
}

/** `WITH c AS (SELECT * FROM t) DELETE FROM c`: the query in the brackets. */
function meaning(statement: Statement, { at, source }: Piece): string {
  if (wordAt(statement, 0) !== "WITH") return "";
  const name = statement.tokens[wordAt(statement, at + 1) === "FROM" ? at + 2 : at + 1];
  if (name === undefined) return "";
  const wanted = nameText(name).toLowerCase();
  for (let index = 1; index < at; index++) {
    const token = statement.tokens[index];
    if (token === undefined || statement.depth[index] !== 0 || nameText(token).toLowerCase() !== wanted)
      continue;
    const columns = opAt(statement, index + 1) === "(" ? (statement.partner[index + 1] ?? index) : index;
    const open = columns + 2;
    if (wordAt(statement, columns + 1) !== "AS" || opAt(statement, open) !== "(") continue;
    return sourceWords(statement, {
      source,
      from: open + 1,
      to: statement.partner[open] ?? at,
      max: MAX_TARGET,
    });
  }
  return "";
}

/** A query of its own, where no separator is needed before it. */
const NEXT_STATEMENT = setOf("SELECT DELETE EXEC EXECUTE");

/** Where the verb's own clauses end: with its brackets, or where another statement begins. Index of the token behind them. */
export function reachEnd(statement: Statement, at: number): number {
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
export function ownWord(
  statement: Statement,
  words: ReadonlySet<string>,
  [at, end]: readonly [number, number],
): number {
  const depth = statement.depth[at] ?? 0;
  for (let index = at + 1; index < end; index++)
    if (statement.depth[index] === depth && words.has(wordAt(statement, index))) return index;
  return -1;
}
