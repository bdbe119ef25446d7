/** Transact-SQL's way to bound rows: TOP in the one SELECT, OFFSET and FETCH behind the order of several. Judges nothing. */
import { type Insertion, type Reading, SET_OPERATORS } from "./limitReading";
import { ACTING_ANYWHERE_TSQL, ASKING_STARTS, READING_STARTS } from "./verbs";

/** These begin a statement elsewhere and stand within a SELECT here. */
const WITHIN = new Set(["SELECT", "WITH", "FROM", "FOR", "CASE", "THEN", "ELSE", "END", "DESC", "NULL"]);

/** No separator is needed between two statements, so none of the words may begin another one. */
export function isSoleTsql({ top, main, statement }: Reading): boolean {
  let open = 0;
  return top.every(({ text, index }, i) => {
    if (text === "CASE") open += 1;
    if (text === "END") return open-- > 0;
    if (text === "ELSE" || text === "THEN") return open > 0;
    if (text === "SELECT" && index !== main?.index) return joinsQueries(top[i - 1]?.text, top[i - 2]?.text);
    if (WITHIN.has(text)) return true;
    const called = statement.tokens[index + 1]?.text === "(";
    return called || !(READING_STARTS.has(text) || ASKING_STARTS.has(text) || ACTING_ANYWHERE_TSQL.has(text));
  });
}

function joinsQueries(before: string | undefined, earlier: string | undefined): boolean {
  return SET_OPERATORS.has(before ?? "") || (before === "ALL" && SET_OPERATORS.has(earlier ?? ""));
}

/** Null where neither form is right: a document made of the rows, a variable set by them, queries joined without an order. */
export function topOf(sql: string, reading: Reading, max: number): Insertion | null {
  const { top, main, statement } = reading;
  if (main === undefined || setsVariable(reading)) return null;
  if (top.some(({ text, next }) => text === "FOR" && next !== "SYSTEM_TIME")) return null;
  if (top.some(({ text }) => SET_OPERATORS.has(text))) return fetched(reading, max);
  const at = main.next === "ALL" || main.next === "DISTINCT" ? main.index + 1 : main.index;
  const end = statement.tokens[at]?.end ?? 0;
  return { at: end, text: ` TOP (${max})${/\s/.test(sql[end] ?? "") ? "" : " "}` };
}

function fetched({ top, statement }: Reading, max: number): Insertion | null {
  if (!top.some(({ text, next }) => text === "ORDER" && next === "BY")) return null;
  const hints = top.find(({ text }) => text === "OPTION")?.index ?? statement.tokens.length;
  const before = statement.tokens[hints - 1];
  return before === undefined ? null : { at: before.end, text: ` OFFSET 0 ROWS FETCH NEXT ${max} ROWS ONLY` };
}

/** `SELECT @x = column`: the value of the last row is kept. */
function setsVariable({ statement: { tokens, depth } }: Reading): boolean {
  return tokens.some((token, i) => {
    const before = tokens[i - 1];
    const begins =
      before?.kind === "word" ? /^(?:SELECT|ALL|DISTINCT)$/.test(before.text) : before?.text === ",";
    if (token.kind !== "param" || depth[i] !== 0 || !begins) return false;
    return tokens.slice(i + 1, i + 3).some((one) => one.kind === "op" && one.text === "=");
  });
}
