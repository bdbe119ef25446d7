/**
 * The workspace that the server stands in, as a program outside the editor must see it: mirrored settings, nobody to ask,
 * and an environment that may only tighten. Knows nothing of the protocol.
 */
import { createReadFacets } from "../agents/toolFacts";
import type { HookChain } from "../core/chain";
import { createGrants } from "../core/consent";
import { messageOf } from "../core/errors";
import type { EvaluateDeps } from "../core/evaluate";
import { type AskedEvent, createEmitter, createMetrics, type DeniedEvent } from "../core/events";
import { createGovernor, type Governor } from "../core/govern";
import { auditLog } from "../core/guards/auditHook";
import { brokenCards } from "../core/guards/brokenCards";
import { type GuardMemory, guardMemory } from "../core/guards/guardMemory";
import { looksOfCall } from "../core/guards/looksOfCall";
import { buildChain, type ChainParts, dialectOfUrl } from "../core/guards/registry";
import { toolPin } from "../core/guards/toolPin";
import { unacceptedConfig } from "../core/guards/unacceptedConfig";
import { unseenInput } from "../core/guards/unseenInput";
import { lateRecord } from "../core/hookRules/ruleRecords";
import type { CardIssue } from "../core/policies/types";
import { englishSentences } from "../core/sentences";
import { bindCall } from "../node/callBinding";
import { createCardConsents } from "../node/cards/cardConsents";
import { type DataFolder, findDataFolder, holds, realOf } from "../node/dataFolder";
import { gitRemotes } from "../node/gitRemotes";
import { nobody } from "../node/hooks";
import { readLocators } from "../node/locator";
import type { ToolWorkspace } from "../node/ownToolStores";
import { policyConsole } from "../node/policies/policyConsole";
import {
  createWorkspacePolicies,
  NO_POLICIES,
  type PoliciesInForce,
} from "../node/policies/workspacePolicies";
import { nodeClock, nodeIds, platformShell, randomNonce, sha256 } from "../node/ports";
import { realFileSystem } from "../node/realFileSystem";
import type { Resolved } from "../node/resolveWorkspace";
import { ruleSourceOf } from "../node/ruleSource";
import { scriptText } from "../node/scriptText";
import { createSecondOpinion, type SecondOpinions } from "../node/sql/secondOpinion";
import { createTrustStore } from "../node/trustStore";
import { createWorkspaceRules, type RulesInForce } from "../node/workspaceRules";
import type { Log } from "../ports";
import { type McpAudit, mcpAudit } from "./auditStore";
import { type ConfigurationOptions, createConfiguration } from "./configuration";

export interface McpWorkspaceOptions extends ConfigurationOptions {
  /** Absolute; where the client started the server. */
  readonly cwd: string;
  /** What the agent is told where a person would have to be asked; default: that this server has nobody to ask. */
  readonly nobody?: string;
  /** Default: one that ends with this process. */
  readonly memory?: GuardMemory;
}

export interface McpWorkspace extends ToolWorkspace {
  readonly governor: Governor;
  /** Reads the configuration anew; what `resolved` answers from then on. */
  refresh(): Promise<Resolved>;
  close(): Promise<void>;
}

const sentences = {
  ...englishSentences,
  nobody:
    "This call needs a person's approval and this server has nobody to ask. Do not try another form of it. A person can approve it in the editor: the same tool of the Countersign extension asks them there.",
};

export async function openMcpWorkspace(options: McpWorkspaceOptions): Promise<McpWorkspace> {
  const { cwd, home, log } = options;
  const place = await findDataFolder({ cwd, home, workspaceFolders: openFolders(options) });
  const roots = await rootsOf(place, options);
  const refresh = createConfiguration(place.root, options);
  let resolved = await refresh();
  const audit = mcpAudit({ place, home, log, resolved: () => resolved });
  const opinion = createSecondOpinion({ log });
  const nonce = randomNonce();
  const memory = options.memory ?? guardMemory();
  const rules = createWorkspaceRules({
    log,
    env: options.env,
    onError: "ask",
    async onLate(late) {
      const record = lateRecord(late, { policyDigest: resolved.policyDigest, profile: "default" });
      if (record !== undefined && resolved.config.chain.audit_log) await audit.append(record);
    },
  });
  const policies = createWorkspacePolicies({ log, onConsole: policyConsole(log) });
  const trust = createTrustStore({ home, now: nodeClock.now });
  const consents = createCardConsents({ home });
  let policed = NO_POLICIES;
  const policiesNow = async (): Promise<PoliciesInForce> => {
    const inForce = { policies: resolved.config.policies, trusted: resolved.trusted };
    const found = await policies.of([
      { root: place.root, dataFolder: place.folder, trust, consents, inForce },
    ]);
    policed =
      options.mirror === "believed" ? found : { ...found, broken: inForce.policies.cards.map(elsewhere) };
    return policed;
  };
  let built: { readonly key: string; readonly judging: EvaluateDeps } | undefined;
  const judging = async (): Promise<EvaluateDeps> => {
    resolved = await refresh();
    const ruled = await rules.of([ruleSourceOf(resolved, place.root)]);
    const asked = (await policiesNow()).policies;
    if (built?.key !== resolved.policyDigest) await warmUp(opinion, resolved);
    // Another call may have built it meanwhile, and guards count calls.
    if (built?.key !== resolved.policyDigest) {
      const parts = {
        roots,
        resolved: () => resolved,
        audit,
        opinion,
        log,
        ruled,
        memory,
        policed: () => policed,
      };
      built = { key: resolved.policyDigest, judging: judgingOf(parts, nonce) };
    }
    // Handlers that were broken by what lies on disk may work by now; the chain stays, since its guards count calls.
    return {
      ...built.judging,
      ...(ruled.rules === undefined ? {} : { rules: ruled.rules }),
      ...(asked === undefined ? {} : { policies: asked }),
    };
  };
  const failed = (error: unknown): void => log.error(messageOf(error));
  const governor = createGovernor({
    evaluate: judging,
    decide: () => ({
      ask: nobody,
      grants,
      hasher: sha256,
      ids: nodeIds,
      policyDigest: () => resolved.policyDigest,
      sentences: options.nobody === undefined ? sentences : { ...sentences, nobody: options.nobody },
    }),
    audit: () => (resolved.config.chain.audit_log ? audit : undefined),
    auditRequired: () => resolved.config.audit.required,
    recordsChoices: false,
    clock: nodeClock,
    hasher: sha256,
    log,
    metrics: createMetrics(),
    asked: createEmitter<AskedEvent>(failed),
    denied: createEmitter<DeniedEvent>(failed),
  });
  return {
    ...place,
    governor,
    resolved: () => resolved,
    refresh: async () => {
      resolved = await refresh();
      return resolved;
    },
    async close() {
      // Rules first: what their async handlers find is still recorded.
      await Promise.all([opinion.close(), rules.close(), policies.close()]);
      await audit.close();
    },
  };
}

// Nobody clicks here, so no grant is ever minted; the core wants the place for them all the same.
const grants = createGrants(nodeClock);

/** Whoever sets the environment could have pointed it at a home folder where nothing was ever trusted: that must not switch policies off. */
const elsewhere = (card: string): CardIssue => ({
  code: "card.home",
  card,
  message:
    "whether a person trusted its policies cannot be told: the home folder that is named is not this user's own",
  mend: "Start the program without HOME set to another folder.",
  severity: "error",
});

/** A parser that is still being loaded has no opinion, which would deny the first statements where settings are strict. */
async function warmUp(opinion: SecondOpinions, { config }: Resolved): Promise<void> {
  if (config.chain.destructive_sql) await opinion.warmUp(dialectOfUrl(config.database.url));
}

/** What windows of the editor have open: their data folder is then ours. */
function openFolders({ home, log }: McpWorkspaceOptions): string[] {
  try {
    return readLocators(home).live.flatMap((locator) => locator.folders);
  } catch (error) {
    log.warn(`the open windows cannot be told: ${messageOf(error)}`);
    return [];
  }
}

/** Without a project the home folder keeps the data, but is no place to take files from; the folder that the client chose is. */
async function rootsOf(place: DataFolder, { cwd, home }: McpWorkspaceOptions): Promise<readonly string[]> {
  const [realCwd, realHome] = await Promise.all([realOf(cwd), realOf(home)]);
  if (place.root !== realHome) return [place.root, place.folder];
  return holds(realCwd, realHome) ? [place.folder] : [realCwd, place.folder];
}

interface JudgingParts {
  readonly roots: readonly string[];
  readonly resolved: () => Resolved;
  readonly audit: McpAudit;
  readonly opinion: SecondOpinions;
  readonly log: Log;
  readonly ruled: RulesInForce;
  readonly memory: GuardMemory;
  readonly policed: () => PoliciesInForce;
}

function judgingOf(parts: JudgingParts, nonce: string): EvaluateDeps {
  const { config } = parts.resolved();
  const { path_allowlist, destructive_sql } = config.chain.options;
  const facets = createReadFacets({
    extraPathTools: path_allowlist.tools,
    extraSqlTools: destructive_sql.tools,
    defaultShell: platformShell,
  });
  const fileSystem = looksOfCall(realFileSystem(), nodeClock);
  return {
    chain: chainOf(parts, { facets, fileSystem }),
    clock: nodeClock,
    hasher: sha256,
    enabled: config.chain.enabled,
    consent: destructive_sql.consent,
    confirmKeys: [destructive_sql.confirm_arg],
    bind: bindCall(facets, fileSystem),
    nonce,
  };
}

function chainOf(
  parts: JudgingParts,
  { facets, fileSystem }: Pick<ChainParts, "facets" | "fileSystem">,
): HookChain {
  const { resolved, audit, opinion, log, roots } = parts;
  return buildChain({
    config: resolved().config,
    clock: nodeClock,
    log,
    hasher: sha256,
    facets,
    fileSystem,
    roots: () => roots,
    // The system's temporary folder is told by the environment, which may not widen anything here.
    tempFolders: [],
    protectedPlaces: parts.ruled.files,
    opensDatabase: "yes",
    memory: parts.memory,
    remotes: gitRemotes,
    readText: scriptText,
    secondOpinion: opinion,
    doorGuards: [
      unacceptedConfig({ facets, resolved }),
      brokenCards({ facets, broken: () => parts.policed().broken }),
      unseenInput({ facets }),
      toolPin(),
    ],
    auditHook: auditLog({ store: audit, hasher: sha256, policyDigest: () => resolved().policyDigest }),
  });
}
