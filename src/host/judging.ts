/** What the calls of one workspace are judged with: its chain, built for the configuration in force. Asks nobody. */
import { tmpdir } from "node:os";
import { createReadFacets } from "../agents/toolFacts";
import type { HookChain } from "../core/chain";
import type { EvaluateDeps } from "../core/evaluate";
import type { GovernanceState } from "../core/governance/governanceState";
import { auditHealth } from "../core/guards/auditHealth";
import { auditLog } from "../core/guards/auditHook";
import { brokenCards } from "../core/guards/brokenCards";
import { changedHooks } from "../core/guards/changedHooks";
import type { SecondOpinion } from "../core/guards/destructiveSql";
import type { GuardMemory } from "../core/guards/guardMemory";
import { looksOfCall } from "../core/guards/looksOfCall";
import type { QuotaCalls } from "../core/guards/quota";
import { ranOther } from "../core/guards/ranOther";
import { buildChain, type ChainParts } from "../core/guards/registry";
import { toolPin } from "../core/guards/toolPin";
import { unacceptedConfig } from "../core/guards/unacceptedConfig";
import { unseenInput } from "../core/guards/unseenInput";
import type { Hook } from "../core/hook";
import { bindCall } from "../node/callBinding";
import { gitRemotes } from "../node/gitRemotes";
import type { PoliciesInForce } from "../node/policies/workspacePolicies";
import { nodeClock, platformShell, sha256 } from "../node/ports";
import { realFileSystem } from "../node/realFileSystem";
import type { Resolved } from "../node/resolveWorkspace";
import { scriptText } from "../node/scriptText";
import type { RulesInForce } from "../node/workspaceRules";
import type { Log } from "../ports";
import { openFolders } from "./openFolders";
import type { WorkspaceAudit } from "./workspaceAudit";

export interface JudgingDeps {
  readonly log: Log;
  readonly secondOpinion: SecondOpinion;
  /** One for the window: what an agent did in one folder counts in all. */
  readonly memory: GuardMemory;
  readonly governance: GovernanceState;
}

export interface JudgingParts {
  readonly place: { readonly root: string; readonly folder: string };
  readonly resolved: () => Resolved;
  readonly audit: WorkspaceAudit;
  readonly custom: readonly Hook[];
  readonly nonce: string;
  readonly quotaCalls: QuotaCalls;
  readonly ruled: RulesInForce;
  readonly policed: () => PoliciesInForce;
}

export function judgingOf(deps: JudgingDeps, parts: JudgingParts): EvaluateDeps {
  const { config } = parts.resolved();
  const { path_allowlist, destructive_sql } = config.chain.options;
  const facets = createReadFacets({
    extraPathTools: path_allowlist.tools,
    extraSqlTools: destructive_sql.tools,
    defaultShell: platformShell,
  });
  const fileSystem = looksOfCall(realFileSystem(), nodeClock);
  const chain = chainOf(deps, parts, { facets, fileSystem });
  for (const hook of parts.custom) chain.add(hook);
  return {
    chain,
    clock: nodeClock,
    hasher: sha256,
    enabled: config.chain.enabled,
    consent: destructive_sql.consent,
    confirmKeys: [destructive_sql.confirm_arg],
    bind: bindCall(facets, fileSystem),
    nonce: parts.nonce,
    ...(parts.ruled.rules === undefined ? {} : { rules: parts.ruled.rules }),
  };
}

function chainOf(
  deps: JudgingDeps,
  parts: JudgingParts,
  { facets, fileSystem }: Pick<ChainParts, "facets" | "fileSystem">,
): HookChain {
  const { place, audit, resolved } = parts;
  return buildChain({
    config: resolved().config,
    clock: nodeClock,
    log: deps.log,
    hasher: sha256,
    facets,
    fileSystem,
    roots: () => [place.root, place.folder, ...openFolders()],
    tempFolders: [tmpdir()],
    protectedPlaces: parts.ruled.files,
    opensDatabase: "yes",
    quotaCalls: parts.quotaCalls,
    memory: deps.memory,
    remotes: gitRemotes,
    readText: scriptText,
    secondOpinion: deps.secondOpinion,
    doorGuards: [
      ranOther({ facets, state: deps.governance }),
      changedHooks({ facets, state: deps.governance }),
      unacceptedConfig({ facets, resolved }),
      brokenCards({ facets, broken: () => parts.policed().broken }),
      unseenInput({ facets }),
      toolPin(),
      auditHealth({ facets, blocked: () => resolved().config.chain.audit_log && audit.blocked() }),
    ],
    auditHook: auditLog({ store: audit.store, hasher: sha256, policyDigest: () => resolved().policyDigest }),
  });
}
