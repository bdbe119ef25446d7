/** Guard for a workspace whose configuration nobody has accepted yet, or nobody can read: every call that is not a read asks. */
import type { ReadFacets } from "../call";
import { Allow, AskUser } from "../decision";
import { formatProblem, type Problem } from "../errors";
import type { Hook } from "../hook";
import type { ConfigState } from "../rules/inForce";

export interface UnacceptedConfigOptions {
  readonly facets: ReadFacets;
  readonly resolved: () => {
    readonly askAllButReads: boolean;
    readonly state: ConfigState;
    readonly problems: readonly Problem[];
  };
}

export function unacceptedConfig(options: UnacceptedConfigOptions): Hook {
  return {
    name: "unaccepted_config",
    guard: true,
    preToolUse(ctx, toolName, args) {
      const { askAllButReads, state, problems } = options.resolved();
      if (!askAllButReads || options.facets(ctx.call, args).effect === "read") return Allow();
      const [first] = problems;
      const why =
        state === "broken" && first !== undefined
          ? `this workspace's configuration cannot be used: ${formatProblem(first)}`
          : "this workspace's gateway-hooks.toml asks for less than the defaults and nobody has accepted it yet";
      const mend = "Mend the file, or run “Countersign: Review Changed Configuration”.";
      return AskUser({ prompt: `${toolName}: ${why}`, details: { tool: toolName, why, mend } });
    },
  };
}
