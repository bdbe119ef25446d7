/** The chain for programs of your own: built-in hooks, a governor and an audit file, with consent by arguments unless a person is brought. */
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { canonicalName, createReadFacets } from "../agents/toolFacts";
import { redactedLog } from "../core/audit/redactedLog";
import type { Args, ToolCall } from "../core/call";
import { HookChain } from "../core/chain";
import { createGrants } from "../core/consent";
import {
  type AskedEvent,
  createEmitter,
  createMetrics,
  type DeniedEvent,
  type Emitter,
  type Metrics,
} from "../core/events";
import { createGovernor, type GovernDeps, type Governed, type Governor } from "../core/govern";
import { auditLog } from "../core/guards/auditHook";
import { looksOfCall } from "../core/guards/looksOfCall";
import { buildChain } from "../core/guards/registry";
import type { CallRules } from "../core/hookRules/callRules";
import { inTurn } from "../core/hookRules/inTurn";
import { lateRecord } from "../core/hookRules/ruleRecords";
import type { LateAnswer } from "../core/hookRules/ruleRun";
import type { ToolPolicy } from "../core/policies/define";
import type { Config, ConfigFile } from "../core/rules/schema";
import { englishSentences } from "../core/sentences";
import { stableText } from "../core/values";
import type { Ask, Log } from "../ports";
import { version } from "../version";
import { openAuditLog } from "./auditWriter";
import { bindCall } from "./callBinding";
import { gitRemotes } from "./gitRemotes";
import { checkOptions } from "./hookOptions";
import { readGivenConfig } from "./hooksConfig";
import { exportLog } from "./otlp/exportLog";
import { definedPolicies } from "./policies/definedPolicies";
import { nodeClock, nodeIds, platformShell, randomNonce, sha256, stderrLog } from "./ports";
import { realFileSystem } from "./realFileSystem";
import { scriptText } from "./scriptText";
import { createSecondOpinion } from "./sql/secondOpinion";
import { buildGivenRules } from "./workspaceRules";

export interface CreateHooksOptions {
  /**
   * Path of the audit file; its folder is made. Absent = `audit.path` in `.countersign` beside the configuration where that
   * says `audit_log = true`, `required = true` or a `path`, else no audit.
   */
  readonly auditPath?: string;
  /** Where records are sent beside the file, as OpenTelemetry logs over HTTP; headers from `OTEL_EXPORTER_OTLP_HEADERS`. Needs `auditPath`. */
  readonly otlpEndpoint?: string;
  /** Folders in which file tools may work; default the current directory. */
  readonly roots?: readonly string[];
  /** A `gateway-hooks.toml` or `.json`, or the same tree; taken as given. */
  readonly config?: string | ConfigFile;
  /** Where `COUNTERSIGN__HOOKS__*` and `DATAMIND__HOOKS__*` are read; default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly profile?: string;
  readonly sessionId?: string;
  /** Policies of this program, asked between the guards and the rules. They run within it: only a policy of a card has a process that can be ended. */
  readonly policies?: readonly ToolPolicy[];
  /** Who answers an ask, as `{ available, ask(request, signal) }`. With it the default of `consent` is `human`, without it `args`. */
  readonly ask?: Ask;
  readonly log?: Log;
}

export interface Hooks {
  readonly chain: HookChain;
  readonly governor: Governor;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly onHookAsksUser: Emitter<AskedEvent>["on"];
  readonly onHookDenied: Emitter<DeniedEvent>["on"];
  /** A call as this program makes it. */
  call(toolName: string, input: Args, more?: Partial<ToolCall>): ToolCall;
  /** Judges, runs `handler` with the final arguments when allowed, and records. Rejects only with the handler's own error. */
  govern<T>(toolName: string, input: Args, handler: (args: Args) => Promise<T> | T): Promise<Governed<T>>;
  /** The same governor with further rules behind those of the configuration; guards judge again what they rewrite. */
  governing(rules: CallRules): Governor;
  close(): Promise<void>;
}

/** Throws a CountersignError when an option, the configuration, the environment or the audit file cannot be used. */
export async function createHooks(options: CreateHooksOptions = {}): Promise<Hooks> {
  checkOptions(options);
  const log = options.log ?? redactedLog(stderrLog);
  const { config, auditPath: stated, ...given } = await readGivenConfig(options);
  const auditPath = options.auditPath === undefined ? stated : resolve(options.auditPath);
  const roots = (options.roots ?? [process.cwd()]).map((root) => resolve(root));
  const facets = createReadFacets({
    extraPathTools: config.chain.options.path_allowlist.tools,
    extraSqlTools: config.chain.options.destructive_sql.tools,
    defaultShell: platformShell,
  });
  const policies = definedPolicies(options.policies ?? [], nodeClock);
  const builtRules = await buildGivenRules(
    { hooks: config.hooks, ...given },
    { env: options.env ?? process.env, log, onLate: (late) => appendLate(late) },
  );
  const policyDigest = sha256(stableText(config));
  const store = await openStore(
    { ...options, ...(auditPath === undefined ? {} : { auditPath }) },
    config,
    log,
  );
  const appendLate = async (late: LateAnswer): Promise<void> => {
    const record = lateRecord(late, { policyDigest, profile: options.profile ?? "default" });
    if (record !== undefined) await store?.append(record);
  };
  const opinion = createSecondOpinion({ log });
  const fileSystem = looksOfCall(realFileSystem(), nodeClock);
  const chain = buildChain({
    config,
    clock: nodeClock,
    log,
    hasher: sha256,
    facets,
    fileSystem,
    roots: () => roots,
    tempFolders: [tmpdir()],
    ...(auditPath === undefined ? {} : { protectedPlaces: [auditPath] }),
    opensDatabase: "no",
    remotes: gitRemotes,
    readText: scriptText,
    secondOpinion: opinion,
    ...(store === undefined
      ? {}
      : { auditHook: auditLog({ store, hasher: sha256, policyDigest: () => policyDigest }) }),
  });
  const { consent, confirm_arg } = config.chain.options.destructive_sql;
  const metrics = createMetrics();
  const asked = createEmitter<AskedEvent>((error) => log.error(String(error)));
  const denied = createEmitter<DeniedEvent>((error) => log.error(String(error)));
  const judging = {
    chain,
    clock: nodeClock,
    hasher: sha256,
    enabled: config.chain.enabled,
    consent,
    confirmKeys: [confirm_arg],
    bind: bindCall(facets, fileSystem),
    nonce: randomNonce(),
    policies,
    ...(builtRules.rules === undefined ? {} : { rules: builtRules.rules }),
  };
  const deciding = {
    ask: options.ask ?? nobody,
    grants: createGrants(nodeClock),
    hasher: sha256,
    ids: nodeIds,
    policyDigest: () => policyDigest,
    sentences: { ...englishSentences, nobody: NOBODY },
  };
  const governed: GovernDeps = {
    evaluate: () => judging,
    decide: () => deciding,
    audit: () => (config.chain.audit_log ? store : undefined),
    auditRequired: () => config.audit.required,
    recordsChoices: false,
    hasher: sha256,
    clock: nodeClock,
    log,
    metrics,
    asked,
    denied,
  };
  const governor = createGovernor(governed);
  const call = callMaker(options, roots);
  return {
    chain,
    governor,
    config,
    metrics,
    onHookAsksUser: asked.on,
    onHookDenied: denied.on,
    call,
    govern: (toolName, input, handler) => governor.govern(call(toolName, input), handler),
    governing(rules) {
      const all = builtRules.rules === undefined ? rules : inTurn(builtRules.rules, rules);
      const bypassed = { enabled: true, chain: auditOnly(chain, log), rules } as const;
      const how = config.chain.enabled ? { ...judging, rules: all } : { ...judging, ...bypassed };
      return createGovernor({ ...governed, evaluate: () => how });
    },
    async close() {
      await builtRules.close();
      await opinion.close();
      await store?.close();
    },
  };
}

const NOBODY =
  "This call needs a person's approval and nobody can be asked here: createHooks was given no `ask` that is available.";

/** The switch is for what the configuration brings; rules that a program adds hold all the same. */
function auditOnly(chain: HookChain, log: Log): HookChain {
  const kept = chain.hooks().filter(({ name }) => name === "audit_log");
  return new HookChain({ clock: nodeClock, log }, kept);
}

export const nobody: Ask = { available: false, ask: async () => ({ kind: "dismissed" }) };

function callMaker(options: CreateHooksOptions, roots: readonly string[]): Hooks["call"] {
  const runId = nodeIds("run");
  const sessionId = options.sessionId ?? runId;
  return (toolName, input, more = {}) => {
    const callId = nodeIds("call");
    return {
      callId,
      runId,
      sessionId,
      agent: "library",
      toolName,
      canonicalName: canonicalName(toolName),
      input,
      cwd: roots[0] ?? process.cwd(),
      profile: options.profile ?? "default",
      traceId: callId,
      extra: {},
      ...more,
    };
  };
}

async function openStore(
  options: CreateHooksOptions,
  config: Config,
  log: Log,
): Promise<Awaited<ReturnType<typeof openAuditLog>> | undefined> {
  if (options.auditPath === undefined || !config.chain.audit_log) return undefined;
  const audit = await openAuditLog({
    path: resolve(options.auditPath),
    redactKeys: config.audit.redact,
    redactExempt: config.audit.redact_exempt,
    durability: config.audit.durability,
    role: "library",
    version,
  });
  if (options.otlpEndpoint === undefined) return audit;
  const env = options.env ?? process.env;
  return exportLog(audit, { endpoint: options.otlpEndpoint, env, version, log });
}
