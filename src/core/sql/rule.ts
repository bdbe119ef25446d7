/** What a rule is told and what it answers, and how it looks at words. Judges nothing itself. */
import type { Family } from "./dialects";
import type { Statement } from "./statements";

export type RuleName =
  | "verb"
  | "drop_database"
  | "into"
  | "insert_target"
  | "create"
  | "function"
  | "start"
  | "floor"
  | "not_sql"
  /** A program's own words do it, without SQL. */
  | "database_tool"
  | "unreadable";

export interface Hit {
  readonly verdict: "ask" | "deny";
  readonly rule: RuleName;
  /** DELETE, DROP, ...: what is done, in upper case. */
  readonly op: string;
  /** Index of the token that is to blame. */
  readonly at: number;
  readonly reason: string;
}

export interface RuleContext {
  readonly family: Family;
  /** Name of the dialect; null where the text is judged under every one since no call names any. */
  readonly dialect: string | null;
  readonly judgesFunctions: boolean;
  /** True inside a block or a stored body, where the first word may be anything. */
  readonly inBlock: boolean;
}

/** A word of the statement by index, or "" for anything that is no word. */
export function wordAt(statement: Statement, index: number): string {
  const token = statement.tokens[index];
  return token?.kind === "word" ? token.text : "";
}

/** A name, quoted or not, or any other word. */
export function isNameAt(statement: Statement, index: number): boolean {
  const kind = statement.tokens[index]?.kind;
  return kind === "word" || kind === "name";
}

export function opAt(statement: Statement, index: number): string {
  const token = statement.tokens[index];
  return token?.kind === "op" ? token.text : "";
}
