/** Whether the files that accepted rules reach are still those that a person accepted. Accepts nothing, runs nothing. */
import { loadWorkspaceConfig } from "./configFiles";
import type { PendingChange } from "./resolveWorkspace";
import { reachOfLayer } from "./ruleSource";
import type { TrustStore } from "./trustStore";

/**
 * What a person may accept again where only those files changed: until then their rules deny. Undefined where all is
 * as accepted. Reads every one of the files, so it is for looks now and then, not for each call. Never rejects.
 */
export async function changedReach(
  root: string,
  deps: {
    readonly store: Pick<TrustStore, "load">;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<PendingChange | undefined> {
  const stored = await deps.store.load(root);
  if (stored.kind !== "kept" || stored.value.accepted === undefined) return undefined;
  const { layer, digest, reach } = stored.value;
  const loaded = await loadWorkspaceConfig(root);
  // Another text on disk waits by itself, with the files that it reaches.
  if (loaded.kind !== "read" || loaded.digest !== digest) return undefined;
  const { file, text } = loaded;
  const found = await reachOfLayer(layer, { root, file, text, env: deps.env });
  const base: PendingChange = { digest, layer, lines: [], loosening: [], file, text };
  switch (found.kind) {
    case "none":
      return undefined;
    case "broken":
      return { ...base, unbuilt: found.problems };
    case "reach":
      return found.reach.digest === reach
        ? undefined
        : { ...base, reached: found.reach, reach: found.reach.digest };
    default:
      return found satisfies never;
  }
}
