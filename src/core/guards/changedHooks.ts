/** The guard `changed_hooks`: when an agent's hook settings change under way, what that agent does beside reading asks until a person has looked. */
import type { ReadFacets } from "../call";
import { Allow, AskUser } from "../decision";
import type { GovernanceState } from "../governance/governanceState";
import type { Hook } from "../hook";

export interface ChangedHooksOptions {
  readonly facets: ReadFacets;
  readonly state: Pick<GovernanceState, "changes">;
}

export function changedHooks({ facets, state }: ChangedHooksOptions): Hook {
  return {
    name: "changed_hooks",
    guard: true,
    preToolUse({ call }, toolName, args) {
      const changes = state.changes(call.agent);
      const last = changes.at(-1);
      if (last === undefined || facets(call, args).effect === "read") return Allow();
      const how = { appeared: "has appeared", changed: "has changed", gone: "is gone" }[last.kind];
      const off = last.off.length === 0 ? "" : ` It switches hooks off (${last.off.join(", ")}).`;
      return AskUser({
        prompt: `${toolName}: ${last.path}, which governs this agent, ${how} during the session.${off}`,
        details: {
          tool: toolName,
          why: "another hook could change what runs after it was approved",
          files: changes.map(({ path }) => path),
          mend: "Look at the file, then run “Countersign: Acknowledge Changed Hooks”.",
        },
      });
    },
  };
}
