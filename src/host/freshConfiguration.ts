/** What is in force in one folder, or the stricter of two, read anew for each call. Builds nothing from it. */
import { join } from "node:path";
import { strictestOf } from "../core/rules/strict";
import { DATA_FOLDER } from "../node/dataFolder";
import type { PolicyPlace } from "../node/policies/workspacePolicies";
import { configDigest, type Resolved } from "../node/resolveWorkspace";
import { ruleSourceOf } from "../node/ruleSource";
import type { TrustStore } from "../node/trustStore";
import type { RuleSource } from "../node/workspaceRules";
import type { ConfigWatch } from "./configWatch";

/** What is in force, and the rules and policies of each folder that it comes from. */
export interface FreshConfiguration {
  readonly resolved: Resolved;
  readonly sources: readonly RuleSource[];
  readonly places: readonly PolicyPlace[];
}

interface Deps {
  readonly watch: ConfigWatch;
  readonly store: TrustStore;
}

/** `roots`: one folder, or the session's own and the one that the call is made in. */
export async function freshConfiguration(
  { watch, store }: Deps,
  roots: readonly string[],
): Promise<FreshConfiguration> {
  const found = await Promise.all(
    roots.map(async (root) => {
      const resolved = await watch.fresh(root);
      return { resolved, source: ruleSourceOf(resolved, root), place: policyPlace(store, root, resolved) };
    }),
  );
  return {
    resolved: found.map(({ resolved }) => resolved).reduce(stricterOf),
    sources: found.map(({ source }) => source),
    places: found.map(({ place }) => place),
  };
}

/** In a workspace that is not trusted no policy runs. */
function policyPlace(trust: TrustStore, root: string, { config, trusted }: Resolved): PolicyPlace {
  const inForce = { policies: config.policies, trusted };
  return { root, dataFolder: join(root, DATA_FOLDER), trust, inForce };
}

function stricterOf(first: Resolved, second: Resolved): Resolved {
  const config = strictestOf(first.config, second.config);
  const askAllButReads = first.askAllButReads || second.askAllButReads;
  return { ...first, config, askAllButReads, policyDigest: configDigest(config) };
}
