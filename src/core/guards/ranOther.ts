/** The guard `ran_other_arguments`: once a call of an agent ran with other arguments than were let through, it does nothing but read until a person has looked. */
import type { ReadFacets } from "../call";
import { Allow, Deny } from "../decision";
import type { GovernanceState } from "../governance/governanceState";
import type { Hook } from "../hook";

export interface RanOtherOptions {
  readonly facets: ReadFacets;
  readonly state: Pick<GovernanceState, "otherRuns">;
}

export function ranOther({ facets, state }: RanOtherOptions): Hook {
  return {
    name: "ran_other_arguments",
    guard: true,
    preToolUse({ call }, _toolName, args) {
      const [first] = state.otherRuns(call.agent);
      if (first === undefined || facets(call, args).effect === "read") return Allow();
      return Deny(
        `A call of ${first.tool} ran with other arguments than were let through: another hook changes calls after Countersign. Nothing but reading runs until a person has looked and run “Countersign: Acknowledge Changed Hooks”.`,
      );
    },
  };
}
