/** One digest over a configuration file and every local file that its rules reach: what a person trusts as a whole. Runs none of it. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import type { Result } from "../core/errors";
import type { LoadedConfig } from "./configFiles";
import type { Reach } from "./handlers/build";
import { reachOfLayer } from "./ruleSource";

export type ReadConfig = LoadedConfig & { readonly kind: "read" };

export interface ConfigTrust {
  /** 64 hex digits; changes with any byte of the file or of what it reaches. */
  readonly digest: string;
  /** Absent where no rule runs code. */
  readonly reached?: Reach;
}

/** Problems where a handler cannot be built, so that nobody can tell what it would run. Never rejects. */
export async function trustOf(
  loaded: ReadConfig,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<ConfigTrust>> {
  const { file, text, parsed, digest: own } = loaded;
  const found = await reachOfLayer(parsed, { root: dirname(file), file, text, env });
  switch (found.kind) {
    case "broken":
      return { ok: false, problems: found.problems };
    case "none":
      return { ok: true, value: { digest: joint(own, "") } };
    case "reach":
      return { ok: true, value: { digest: joint(own, found.reach.digest), reached: found.reach } };
    default:
      return found satisfies never;
  }
}

const joint = (file: string, reach: string): string =>
  createHash("sha256").update(`countersign-config\n${file}\n${reach}\n`).digest("hex");

/** `<digest or "absent">  <path>`, one line per file, in the order of their paths. */
export function reachedLines({ files }: Pick<Reach, "files">): readonly string[] {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, digest]) => `${digest.padEnd(64)}  ${path}`);
}
