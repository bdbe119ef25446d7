/** The rules that judge one statement by its tokens. Knows nothing of dialect readings, of consent or of prompts. */
import { createRule } from "./createRule";
import { functionRule } from "./functionRule";
import { insertTargetRule, intoRule, pragmaTableRule } from "./insertRules";
import type { Hit, RuleContext } from "./rule";
import { type Start, startRule } from "./startRules";
import type { Statement } from "./statements";
import { verbRule } from "./verbRule";

export interface Judged {
  /** The most severe hit; null = nothing found. */
  readonly hit: Hit | null;
  /** Statements that follow stand in a block. */
  readonly opensBlock: boolean;
}

export function judgeStatement(statement: Statement, context: RuleContext): Judged {
  const start = startRule(statement, context);
  const hit = hitOf(statement, start, context);
  const opensBlock = start.declares ?? (start.opensBlock && hit !== null);
  return { hit, opensBlock };
}

/** The end of a whole database before all; then what is no SQL; of the rest the first, a known danger before an odd start. */
function hitOf(statement: Statement, start: Start, context: RuleContext): Hit | null {
  const verb = verbRule(statement, context);
  if (verb?.verdict === "deny") return verb;
  if (start.hit?.verdict === "deny") return start.hit;
  return (
    verb ??
    intoRule(statement, context) ??
    insertTargetRule(statement, context) ??
    pragmaTableRule(statement, context) ??
    createRule(statement) ??
    start.hit ??
    functionRule(statement, context)
  );
}
