/** Patterns searched in texts, no longer than a call may wait: what a text must hold at least is looked for first. Knows no rule. */
import { folded } from "./neededTexts";
import type { Pattern } from "./pattern";

/** Steps that the patterns of one event may still take: characters of text by the size of the pattern, which bounds its time. */
export interface Budget {
  left: number;
}

/** "unsearched" = the patterns would take longer than a call may: nobody knows. */
export type Fit = "yes" | "no" | "unsearched";

export interface Searched {
  readonly text: string;
  /** Made when it is first asked for, and kept: many patterns are searched in one text. */
  folded(): string;
}

export function searched(text: string): Searched {
  let plain: string | undefined;
  return {
    text,
    folded() {
      plain ??= folded(text);
      return plain;
    },
  };
}

export function foundIn(texts: readonly Searched[], pattern: Pattern, budget: Budget): Fit {
  for (const one of texts) {
    const found = foundInOne(one, pattern, budget);
    if (found !== "no") return found;
  }
  return "no";
}

function foundInOne(one: Searched, pattern: Pattern, budget: Budget): Fit {
  const { text } = one;
  const { loose, cost } = pattern;
  const needs = pattern.needs();
  if (needs !== undefined) {
    if (!spent(budget, text.length * needs.length)) return "unsearched";
    if (!holdsOneOf(needs, one)) return "no";
  }
  if (loose !== undefined) {
    if (!spent(budget, text.length * loose.cost)) return "unsearched";
    if (!loose.somewhere(text)) return "no";
  }
  if (!spent(budget, text.length * cost)) return "unsearched";
  return pattern.somewhere(text) ? "yes" : "no";
}

/** Whether the whole text matches. */
export function fitsWhole(one: Searched, pattern: Pattern): boolean {
  const needs = pattern.needs();
  return (needs === undefined || holdsOneOf(needs, one)) && pattern.whole(one.text);
}

function holdsOneOf(needs: readonly string[], one: Searched): boolean {
  const text = one.folded();
  for (const need of needs) if (text.includes(need)) return true;
  return false;
}

/** False where the budget does not hold that many steps more. */
export function spent(budget: Budget, steps: number): boolean {
  budget.left -= steps;
  return budget.left >= 0;
}
