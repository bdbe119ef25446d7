/** Builds what `judge` and `explain` judge with: one configuration, defaults else; environment and user settings are ignored. */
import { resolve } from "node:path";
import { createReadFacets } from "../agents/toolFacts";
import { redactedLog } from "../core/audit/redactedLog";
import type { ToolCall } from "../core/call";
import { formatProblem } from "../core/errors";
import { type Evaluation, evaluate } from "../core/evaluate";
import { buildChain } from "../core/guards/registry";
import { imaginedFileSystem } from "../core/paths/imaginedFileSystem";
import { effective } from "../core/rules/layers";
import { type Config, defaultConfig } from "../core/rules/schema";
import { loadConfigFile } from "../node/configFiles";
import { nodeClock, sha256, stderrLog } from "../node/ports";
import { realFileSystem } from "../node/realFileSystem";
import { createSecondOpinion } from "../node/sql/secondOpinion";
import type { World } from "./callLine";
import type { Io } from "./io";

export interface Judging {
  evaluate(call: ToolCall): Promise<Evaluation>;
  close(): Promise<void>;
}

/** Undefined when the configuration cannot be read; the problems are on standard error then. */
export async function judgeWith(given: { config: string | undefined; io: Io }): Promise<Judging | undefined> {
  const config = await readConfig(given);
  if (config === undefined) return undefined;
  const log = redactedLog(stderrLog);
  const opinion = createSecondOpinion({ log });
  const real = realFileSystem();
  const chain = buildChain({
    config,
    clock: nodeClock,
    log,
    hasher: sha256,
    facets: createReadFacets({
      extraPathTools: config.chain.options.path_allowlist.tools,
      extraSqlTools: config.chain.options.destructive_sql.tools,
    }),
    fileSystem: (call) => {
      const world = worldOf(call);
      return world === undefined
        ? real
        : imaginedFileSystem({
            ...world,
            home: world.home ?? homes[world.os],
            roots: rootsOf(call),
            links: world.links ?? {},
          });
    },
    roots: rootsOf,
    tempFolders: [],
    opensDatabase: "no",
    secondOpinion: opinion,
  });
  const { consent, confirm_arg } = config.chain.options.destructive_sql;
  const deps = {
    chain,
    clock: nodeClock,
    hasher: sha256,
    enabled: config.chain.enabled,
    consent,
    confirmKeys: [confirm_arg],
    nonce: "judge",
  };
  return { evaluate: (call) => evaluate(call, deps), close: () => opinion.close() };
}

const homes = { linux: "/home/user", darwin: "/Users/user", win32: "C:\\Users\\user" } as const;

/** A call's `cwd` is its workspace root; an imagined world brings its own roots. */
function rootsOf(call: ToolCall): readonly string[] {
  const world = worldOf(call);
  if (world !== undefined) return [...(world.roots ?? []), ...(call.cwd === undefined ? [] : [call.cwd])];
  return [call.cwd ?? process.cwd()];
}

/** `extra.world` was checked when the line was read. */
function worldOf(call: ToolCall): World | undefined {
  return call.extra.world as World | undefined;
}

async function readConfig(given: { config: string | undefined; io: Io }): Promise<Config | undefined> {
  const { config, io } = given;
  if (config === undefined) return defaultConfig;
  const loaded = await loadConfigFile(resolve(io.cwd, config));
  if (loaded.kind === "read")
    return effective({ workspace: loaded.parsed, accepted: loaded.parsed, environmentMode: "full" }).config;
  const problems = loaded.kind === "broken" ? loaded.problems : [];
  for (const problem of problems) io.stderr(`${formatProblem({ ...problem, file: config })}\n`);
  return undefined;
}
