/** The rules of a run's configuration with handlers that can run. Knows handlers by their builder alone. */
import { mkdir } from "node:fs/promises";
import type { Rule } from "../core/hookRules/types";
import type { ToolPolicy } from "../core/policies/define";
import { type HooksConfig, hooksSchema } from "../core/rules/schemaHooks";
import type { Ask, Log } from "../ports";
import { buildHandlers } from "./handlers/build";
import { configError, type HookConfig } from "./hookRunConfig";
import { createHooks, type Hooks } from "./hooks";
import { statedAuditPath } from "./statedAudit";

export interface BuildPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; made when a handler names it. */
  readonly runDir: string;
  readonly log: Log;
}

export interface FileRules {
  readonly rules: readonly Rule[];
  /** Ends what handlers keep running. */
  close(): Promise<void>;
}

/** A run takes the file that it is given: whoever starts it has read it. Rejects with a HookError that names every handler that cannot be built. */
export async function buildFileRules(config: HookConfig, places: BuildPlaces): Promise<FileRules> {
  const { text, file, format, folder, tree } = config;
  const { env, runDir, log } = places;
  // The schema of one event cannot tell its type in general; the parser holds it to the grammar.
  const hooks = hooksSchema.parse(tree.hooks ?? {}) as HooksConfig;
  if (JSON.stringify(hooks).includes("{run_dir}")) await mkdir(runDir, { recursive: true });
  const source = { text, file, format };
  const built = await buildHandlers({ hooks, config: source, folder, env, log, runDir: () => runDir });
  if (!built.ok) throw configError(built.problems);
  return built.value;
}

/** The guards that the configuration speaks of; a file that says nothing of a chain has rules alone. */
export async function guardsOf(
  config: HookConfig,
  where: Pick<BuildPlaces, "env" | "log"> & {
    readonly cwd: string;
    readonly sessionId: string;
    readonly ask?: Ask;
    readonly policies?: readonly ToolPolicy[];
  },
): Promise<Hooks | undefined> {
  const { chain, audit } = config.tree;
  const auditPath = statedAuditPath(config.tree, config);
  if (chain === undefined && auditPath === undefined) return undefined;
  const { cwd, ...rest } = where;
  const tree = { chain: chain ?? NO_GUARDS, ...(audit === undefined ? {} : { audit }) };
  return createHooks({
    config: tree,
    roots: [cwd],
    ...rest,
    ...(auditPath === undefined ? {} : { auditPath }),
  });
}

/** A file that asks for a record alone has asked for no guard. */
const NO_GUARDS = { path_allowlist: false, destructive_sql: false, self_protection: false } as const;
