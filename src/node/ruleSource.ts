/** The rules of a workspace's configuration in force, with the trust that a person gave their files. Builds nothing. */
import { join } from "node:path";
import type { Problem } from "../core/errors";
import { onlyDenies } from "../core/rules/ruleLists";
import type { ConfigFile } from "../core/rules/schema";
import { type HooksConfig, rulesIn } from "../core/rules/schemaHooks";
import { CONFIG_TOML } from "./configFiles";
import { type Reach, reachOfHandlers } from "./handlers/build";
import { stderrLog } from "./ports";
import type { Resolved } from "./resolveWorkspace";
import type { RuleSource } from "./workspaceRules";

/** A rule of code is in force only where a person accepted the file; without a digest of what it reaches it is broken, never let through. */
export function ruleSourceOf(
  resolved: Pick<Resolved, "config" | "reach" | "policyDigest">,
  root: string,
): RuleSource {
  return {
    id: resolved.policyDigest,
    hooks: resolved.config.hooks,
    folder: root,
    trust: { kind: "accepted", reach: resolved.reach ?? "" },
  };
}

export function hooksOf({ hooks = {} }: ConfigFile): HooksConfig {
  const {
    pre_tool_call = [],
    post_tool_call = [],
    pre_request = [],
    post_response = [],
    run_end = [],
  } = hooks;
  return { pre_tool_call, post_tool_call, pre_request, post_response, run_end };
}

export type LayerReach =
  /** Its rules run no code. */
  | { readonly kind: "none" }
  | { readonly kind: "reach"; readonly reach: Reach }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] };

/** What a person who accepts the layer trusts beside its text. Runs no code of it. */
export async function reachOfLayer(
  layer: ConfigFile,
  where: {
    readonly root: string;
    readonly file?: string;
    readonly text?: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<LayerReach> {
  const hooks = hooksOf(layer);
  if (rulesIn(hooks).every(({ rule }) => onlyDenies(rule))) return { kind: "none" };
  const { root, env, file = join(root, CONFIG_TOML), text = "" } = where;
  const format = file.endsWith(".json") ? "json" : "toml";
  const found = await reachOfHandlers({
    hooks,
    folder: root,
    env,
    log: stderrLog,
    config: { file, text, format },
  });
  return found.ok ? { kind: "reach", reach: found.value } : { kind: "broken", problems: found.problems };
}
