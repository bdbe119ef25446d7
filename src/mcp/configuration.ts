/** The configuration in force, read anew for each call: the editor's mirrored settings, and an environment that may only tighten. */
import { formatProblem } from "../core/errors";
import { nodeClock } from "../node/ports";
import { type Resolved, resolveWorkspace } from "../node/resolveWorkspace";
import { createTrustStore, mirroredUserLayer, type TrustStore } from "../node/trustStore";
import type { Log } from "../ports";

export interface ConfigurationOptions {
  readonly home: string;
  /** "believed" only where `home` is the user's own by the system's word: whoever sets the environment could point it at settings of their making. */
  readonly mirror: "believed" | "ignored";
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** One at a time: two that interleave could store the older of two answers last. */
export function createConfiguration(root: string, options: ConfigurationOptions): () => Promise<Resolved> {
  const store = storeOf(options);
  let last: Promise<Resolved> | undefined;
  let told = "";
  const now = async (): Promise<Resolved> => {
    const layer = await mirroredUserLayer(store, root);
    const resolved = await resolveWorkspace({ root, ...layer, env: options.env, store });
    const problems = resolved.problems.map(formatProblem);
    if (problems.join("\n") !== told) for (const problem of problems) options.log.warn(problem);
    told = problems.join("\n");
    return resolved;
  };
  return () => {
    last = last === undefined ? now() : last.then(now, now);
    return last;
  };
}

function storeOf({ home, mirror }: ConfigurationOptions): TrustStore {
  const store = createTrustStore({ home, now: nodeClock.now });
  return mirror === "believed" ? store : { ...store, readState: async () => ({ kind: "none" }) };
}
