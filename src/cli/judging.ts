/** Builds what `judge` and `explain` judge with: one configuration, defaults else; environment and user settings are ignored. */
import { dirname, resolve } from "node:path";
import { createReadFacets } from "../agents/toolFacts";
import { redactedLog } from "../core/audit/redactedLog";
import type { ToolCall } from "../core/call";
import { formatProblem } from "../core/errors";
import { evaluate } from "../core/evaluate";
import type { Evaluation } from "../core/evaluation";
import { buildChain } from "../core/guards/registry";
import { imaginedFileSystem } from "../core/paths/imaginedFileSystem";
import { effective } from "../core/rules/layers";
import { type Config, defaultConfig } from "../core/rules/schema";
import { loadConfigFile } from "../node/configFiles";
import { type ReadConfig, reachedLines, trustOf } from "../node/configTrust";
import { nodeClock, sha256, stderrLog } from "../node/ports";
import { realFileSystem } from "../node/realFileSystem";
import { createSecondOpinion } from "../node/sql/secondOpinion";
import { createWorkspaceRules, type RuleSource, type SourceTrust } from "../node/workspaceRules";
import type { World } from "./callLine";
import type { Io } from "./io";

export interface Judging {
  evaluate(call: ToolCall): Promise<Evaluation>;
  close(): Promise<void>;
}

export interface JudgeGiven {
  readonly config: string | undefined;
  readonly io: Io;
  /** "run" = handlers of rules that are code run too; default they do not, and the finding `rule_inert` says so. */
  readonly handlers?: "run" | "skip";
  /** What `countersign config digest` says of the file that the person has looked at: any other file, or other files that it reaches, are refused. */
  readonly trusted?: string;
}

/** Undefined when the configuration cannot be read or is not the trusted one; standard error says why then. */
export async function judgeWith(given: JudgeGiven): Promise<Judging | undefined> {
  const read = await readConfig(given);
  if (read === undefined) return undefined;
  const trust = await trustFor(given, read.loaded);
  if (trust === undefined) return undefined;
  const { config } = read;
  const log = redactedLog(stderrLog);
  const rules = createWorkspaceRules({ log, env: given.io.env, onError: "ask" });
  const source = ruleSourceFor(config, { ...given, text: read.loaded?.text ?? "", trust });
  const { rules: callRules } = await rules.of([source]);
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
    // The same call gets the same verdict wherever it is judged: of files only what the call itself writes is read.
    readText: async () => ({ kind: "missing" }),
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
    ...(callRules === undefined ? {} : { rules: callRules }),
  };
  return {
    evaluate: (call) => evaluate(call, deps),
    async close() {
      await Promise.all([opinion.close(), rules.close()]);
    },
  };
}

function ruleSourceFor(
  { hooks }: Config,
  given: Pick<JudgeGiven, "config" | "io"> & { text: string; trust: SourceTrust },
): RuleSource {
  const file = resolve(given.io.cwd, given.config ?? ".");
  return { hooks, folder: dirname(file), file: { file, text: given.text }, trust: given.trust };
}

/** Undefined when the file is not what the person trusts. */
async function trustFor(
  { io, config, handlers, trusted }: JudgeGiven,
  loaded: ReadConfig | undefined,
): Promise<SourceTrust | undefined> {
  const why = "handlers that run code are left out here; --run-handlers runs them";
  const inert: SourceTrust = { kind: "inert", why };
  if (loaded === undefined || trusted === undefined) return handlers === "run" ? { kind: "given" } : inert;
  const found = await trustOf(loaded, io.env);
  if (!found.ok) {
    for (const problem of found.problems)
      io.stderr(`${formatProblem({ ...problem, file: config ?? problem.file })}\n`);
    return undefined;
  }
  const { digest, reached } = found.value;
  if (digest !== trusted.toLowerCase()) {
    const files = reached === undefined ? [] : reachedLines(reached).map((line) => `  ${line}\n`);
    io.stderr(
      `countersign: ${config} or a file that its rules reach is not what --trust-config names; nothing was judged.\n${files.join("")}Look at them; \`countersign config digest ${config}\` names what is there now.\n`,
    );
    return undefined;
  }
  return handlers === "run" ? { kind: "accepted", reach: reached?.digest ?? "" } : inert;
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

async function readConfig({
  config,
  io,
}: JudgeGiven): Promise<{ config: Config; loaded: ReadConfig | undefined } | undefined> {
  if (config === undefined) return { config: defaultConfig, loaded: undefined };
  const loaded = await loadConfigFile(resolve(io.cwd, config));
  if (loaded.kind === "read") {
    const layers = { workspace: loaded.parsed, accepted: loaded.parsed, environmentMode: "full" } as const;
    return { config: effective(layers).config, loaded };
  }
  const problems = loaded.kind === "broken" ? loaded.problems : [];
  for (const problem of problems) io.stderr(`${formatProblem({ ...problem, file: config })}\n`);
  return undefined;
}
