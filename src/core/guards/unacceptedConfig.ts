/** Guard for a workspace whose configuration nobody has accepted yet: every call that is not a read asks. */
import type { ReadFacets } from "../call";
import { Allow, AskUser } from "../decision";
import type { Hook } from "../hook";

export function unacceptedConfig(options: { facets: ReadFacets; waiting: () => boolean }): Hook {
  return {
    name: "unaccepted_config",
    guard: true,
    preToolUse(ctx, toolName, args) {
      if (!options.waiting() || options.facets(ctx.call, args).effect === "read") return Allow();
      return AskUser({
        prompt: `${toolName}: this workspace's gateway-hooks.toml asks for less than the defaults and nobody has accepted it yet`,
        details: {
          tool: toolName,
          mend: "Run “Countersign: Review Configuration” and accept or keep what is in force.",
        },
      });
    },
  };
}
