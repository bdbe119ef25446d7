/** The rules that judge one statement by its tokens. Knows nothing of dialect readings, of consent or of prompts. */
import { createRule } from "./createRule";
import type { Family } from "./dialects";
import { functionRule } from "./functionRule";
import { insertTargetRule, intoRule, pragmaTableRule } from "./insertRules";
import { startRule } from "./startRules";
import type { Statement } from "./statements";
import { verbRule } from "./verbRule";

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
  readonly judgesFunctions: boolean;
  /** True inside a block or a stored body, where the first word may be anything. */
  readonly inBlock: boolean;
}

export interface Judged {
  /** The most severe hit; absent = nothing found. */
  readonly hit?: Hit;
  /** Statements that follow stand in a block. */
  readonly opensBlock: boolean;
}

/** A word of the statement by index, or "" for anything that is no word. */
export function wordAt(statement: Statement, index: number): string {
  const token = statement.tokens[index];
  return token?.kind === "word" ? token.text : "";
}

export function opAt(statement: Statement, index: number): string {
  const token = statement.tokens[index];
  return token?.kind === "op" ? token.text : "";
}

export function judgeStatement(statement: Statement, context: RuleContext): Judged {
  const start = startRule(statement, context);
  const hits = [
    ...verbRule(statement, context),
    ...intoRule(statement),
    ...insertTargetRule(statement, context),
    ...pragmaTableRule(statement, context),
    ...createRule(statement),
    ...start.hits,
    ...(context.judgesFunctions ? functionRule(statement, "all") : functionRule(statement, "acting")),
  ];
  const hit = hits.find((one) => one.verdict === "deny" && one.rule === "drop_database") ?? worst(hits);
  return hit === undefined ? { opensBlock: start.opensBlock } : { hit, opensBlock: start.opensBlock };
}

/** A known danger says more than "not SQL": it is named even where both hold. */
function worst(hits: readonly Hit[]): Hit | undefined {
  return hits.find((hit) => hit.verdict === "deny") ?? hits[0];
}
