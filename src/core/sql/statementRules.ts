/** The rules that judge one statement by its tokens. Knows nothing of dialect readings, of consent or of prompts. */
import { createRule } from "./createRule";
import { functionRule } from "./functionRule";
import { insertTargetRule, intoRule, pragmaTableRule } from "./insertRules";
import type { Hit, RuleContext } from "./rule";
import { startRule } from "./startRules";
import type { Statement } from "./statements";
import { verbRule } from "./verbRule";

export interface Judged {
  /** The most severe hit; absent = nothing found. */
  readonly hit?: Hit;
  /** Statements that follow stand in a block. */
  readonly opensBlock: boolean;
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
    ...functionRule(statement, {
      scope: context.judgesFunctions ? "all" : "acting",
      family: context.family,
    }),
  ];
  const hit = hits.find((one) => one.verdict === "deny" && one.rule === "drop_database") ?? worst(hits);
  const opensBlock = start.declares ?? (start.opensBlock && hit !== undefined);
  return hit === undefined ? { opensBlock } : { hit, opensBlock };
}

/** A known danger says more than "not SQL": it is named even where both hold. */
function worst(hits: readonly Hit[]): Hit | undefined {
  return hits.find((hit) => hit.verdict === "deny") ?? hits[0];
}
