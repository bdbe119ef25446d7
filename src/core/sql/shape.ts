/** The shape of one UPDATE or DELETE, for a grant that covers its repetition with other values. Judges nothing. */
import { findDialect } from "./dialects";
import { lex } from "./lexer";
import type { Token } from "./lexState";

/**
 * The statement with its literals left out where they are compared by `=` with a column after WHERE.
 * Operators, columns, SET values and every other literal stay. Null when it cannot be shaped.
 */
export function statementShape(sql: string, dialect: string): string | null {
  const profile = findDialect(dialect)?.readings[0];
  if (profile === undefined) return null;
  const { tokens, floors } = lex(sql, profile);
  if (floors.length > 0 || tokens.some((token) => token.kind === "bad" || token.kind === "end")) return null;
  let inWhere = false;
  const parts = tokens.map((token, at) => {
    if (token.kind === "word" && token.text === "WHERE") inWhere = true;
    if (inWhere && isCompared(tokens, at) && isPlain(token, sql))
      return token.kind === "string" ? "<text>" : "<number>";
    return token.kind === "word" ? token.text : sql.slice(token.start, token.end);
  });
  return parts.join(" ");
}

/** `column = literal`, and nothing that goes on computing behind it. */
function isCompared(tokens: readonly Token[], at: number): boolean {
  const [equals, before, column] = [tokens[at - 1], tokens[at - 2], tokens[at - 3]];
  if (equals?.kind !== "op" || equals.text !== "=") return false;
  if (before?.kind !== "word" && before?.kind !== "name") return false;
  if (column?.kind === "op" && !/^[.(]$/.test(column.text)) return false;
  const after = tokens[at + 1];
  if (after === undefined || (after.kind === "op" && after.text === ")")) return true;
  return after.kind === "word" && /^(AND|OR|RETURNING|LIMIT|ORDER)$/.test(after.text);
}

/** What every dialect reads as the same literal. */
function isPlain(token: Token, sql: string): boolean {
  const text = sql.slice(token.start, token.end);
  return token.kind === "string"
    ? /^'[^'\\"`$]*'$/.test(text)
    : token.kind === "number" && /^\d+(\.\d+)?$/.test(text);
}
