/** Which PRAGMA statements only read, or switch a protection on. Knows no pragma that is read as a table. */
import { type Hit, opAt, type RuleContext, wordAt } from "./rule";
import type { Statement } from "./statements";
import { READING_PRAGMAS, VALUELESS_PRAGMAS } from "./verbs";

export function pragmaRule(statement: Statement, at: number, { family, dialect }: RuleContext): Hit | null {
  let name = at + 1;
  if (opAt(statement, name + 1) === ".") name += 2;
  const word = wordAt(statement, name);
  const bare = statement.tokens[name + 1] === undefined;
  if (setsGuard(statement, name)) return null;
  if (family === "sqlite" && dialect !== null && readsOf(statement, name)) return null;
  const assigns = statement.tokens.some((token) => token.kind === "op" && token.text === "=");
  if (!assigns && (READING_PRAGMAS.has(word) || (bare && VALUELESS_PRAGMAS.has(word)))) return null;
  return {
    verdict: "ask",
    rule: "start",
    op: "PRAGMA",
    at,
    reason: "this PRAGMA may change the database or how it is read",
  };
}

/** SQLite: `table_info = t` is another spelling of `table_info(t)`. */
function readsOf(statement: Statement, name: number): boolean {
  if (opAt(statement, name + 1) !== "=" || statement.tokens.length !== name + 3) return false;
  const isValue = /^(?:word|name|string|number)$/.test(statement.tokens[name + 2]?.kind ?? "");
  return isValue && READING_PRAGMAS.has(wordAt(statement, name));
}

/** What switches a protection on, or lets statistics be brought up to date. */
function setsGuard(statement: Statement, name: number): boolean {
  const word = wordAt(statement, name);
  const last = statement.tokens.length;
  if (word === "OPTIMIZE") return last === name + 1;
  if (!/^(?:FOREIGN_KEYS|QUERY_ONLY)$/.test(word) || opAt(statement, name + 1) !== "=") return false;
  return last === name + 3 && /^(?:ON|TRUE|YES)$/.test(statement.tokens[name + 2]?.text ?? "");
}
