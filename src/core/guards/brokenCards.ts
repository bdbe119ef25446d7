/** Guard for cards whose policies were trusted to stop calls and cannot any more: only reads pass until a person has looked. */
import type { ReadFacets } from "../call";
import { Allow, Deny } from "../decision";
import type { Hook } from "../hook";
import type { CardIssue } from "../policies/types";

export interface BrokenCardsOptions {
  readonly facets: ReadFacets;
  readonly broken: () => readonly CardIssue[];
}

export function brokenCards({ facets, broken }: BrokenCardsOptions): Hook {
  return {
    name: "trusted_cards",
    guard: true,
    preToolUse(ctx, _toolName, args) {
      const [first] = broken();
      if (first === undefined || facets(ctx.call, args).effect === "read") return Allow();
      return Deny(`guard broken: ${first.card}: ${first.message}. A person mends it: ${first.mend}`);
    },
  };
}
