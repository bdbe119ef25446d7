/**
 * One governed workspace per data folder: its configuration, chain, audit log and governor.
 * Calls find theirs by cwd. Knows nothing of where calls come from or how a person is asked.
 */
import { homedir, tmpdir } from "node:os";
import * as vscode from "vscode";
import { createReadFacets } from "../agents/toolFacts";
import type { AuditRecord } from "../core/audit/record";
import type { ReadFacets, ToolCall } from "../core/call";
import type { HookChain } from "../core/chain";
import type { Grants } from "../core/consent";
import type { EvaluateDeps } from "../core/evaluate";
import type { AskedEvent, DeniedEvent, Emitter, Metrics } from "../core/events";
import { createGovernor, type Governor } from "../core/govern";
import { auditHealth } from "../core/guards/auditHealth";
import { auditLog } from "../core/guards/auditHook";
import type { SecondOpinion } from "../core/guards/destructiveSql";
import type { QuotaCalls } from "../core/guards/quota";
import { buildChain } from "../core/guards/registry";
import { unacceptedConfig } from "../core/guards/unacceptedConfig";
import type { Hook } from "../core/hook";
import type { Sentences } from "../core/sentences";
import { bindCall } from "../node/callBinding";
import { findDataFolder } from "../node/dataFolder";
import { nodeClock, nodeIds, platformShell, randomNonce, sha256 } from "../node/ports";
import { realFileSystem } from "../node/realFileSystem";
import type { Resolved } from "../node/resolveWorkspace";
import type { Ask, Log } from "../ports";
import type { ConfigWatch } from "./configWatch";
import type { HookRegistry } from "./hookRegistry";
import { openWorkspaceAudit, type WorkspaceAudit } from "./workspaceAudit";

export interface WorkspacesDeps {
  readonly watch: ConfigWatch;
  readonly ask: Ask;
  readonly grants: Grants;
  readonly sentences: Sentences;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly asked: Emitter<AskedEvent>;
  readonly denied: Emitter<DeniedEvent>;
  readonly secondOpinion: SecondOpinion;
  /** Hooks that other extensions added; every chain has them. */
  readonly customHooks: Pick<HookRegistry, "all" | "version">;
  readonly storage: string;
  readonly onChange: () => void;
  readonly onRecord: (record: AuditRecord) => void;
}

export interface Workspace {
  readonly root: string;
  /** `<root>/.countersign` */
  readonly folder: string;
  readonly governor: Governor;
  readonly audit: WorkspaceAudit;
  resolved(): Resolved;
  /** The chain that the next call is judged by. */
  chain(): Promise<HookChain>;
}

export interface Workspaces {
  /** The governor of whichever workspace a call belongs to. */
  readonly governor: Governor;
  of(cwd: string | undefined): Promise<Workspace>;
  /** Those that were used or opened so far. */
  all(): readonly Workspace[];
  close(): Promise<void>;
}

export function createWorkspaces(deps: WorkspacesDeps): Workspaces {
  const known = new Map<string, Promise<Workspace>>();
  const ready: Workspace[] = [];
  const of = async (cwd: string | undefined): Promise<Workspace> => {
    const place = await findDataFolder({
      ...(cwd === undefined ? {} : { cwd }),
      workspaceFolders: openFolders(),
      home: homedir(),
    });
    const existing = known.get(place.root);
    if (existing !== undefined) return existing;
    const made = createWorkspace(deps, place).then((workspace) => {
      ready.push(workspace);
      return workspace;
    });
    known.set(place.root, made);
    made.catch(() => known.delete(place.root));
    return made;
  };
  return {
    governor: routed(of),
    of,
    all: () => ready,
    async close() {
      await Promise.all(ready.map((workspace) => workspace.audit.close()));
    },
  };
}

export function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => folder.uri.fsPath);
}

function routed(of: (cwd: string | undefined) => Promise<Workspace>): Governor {
  const to = async (call: ToolCall): Promise<Governor> => (await of(call.cwd)).governor;
  return {
    evaluate: async (call, options) => (await to(call)).evaluate(call, options),
    authorize: async (call, options) => (await to(call)).authorize(call, options),
    settle: async (call, outcome, ended) => (await to(call)).settle(call, outcome, ended),
    ranUngoverned: async (call, ended) => (await to(call)).ranUngoverned(call, ended),
    govern: async (call, handler, options) => (await to(call)).govern(call, handler, options),
  };
}

async function createWorkspace(
  deps: WorkspacesDeps,
  place: { root: string; folder: string },
): Promise<Workspace> {
  let resolved = await deps.watch.fresh(place.root);
  const audit = openWorkspaceAudit({
    ...place,
    storage: deps.storage,
    log: deps.log,
    onRecord: (record) => {
      deps.onRecord(record);
      deps.onChange();
    },
    onPlace: deps.onChange,
    resolved: () => resolved,
  });
  const nonce = randomNonce();
  const quotaCalls: QuotaCalls = new Map();
  let built: { key: string; judging: EvaluateDeps } | undefined;
  const judging = async (): Promise<EvaluateDeps> => {
    resolved = await deps.watch.fresh(place.root);
    const custom = deps.customHooks.all();
    const key = `${resolved.policyDigest} ${deps.customHooks.version()}`;
    if (built?.key !== key) {
      const parts = { place, resolved: () => resolved, audit, custom, nonce, quotaCalls };
      built = { key, judging: judgingOf(deps, parts) };
    }
    return built.judging;
  };
  await judging();
  const governor = createGovernor({
    evaluate: judging,
    decide: () => ({
      ask: deps.ask,
      grants: deps.grants,
      hasher: sha256,
      ids: nodeIds,
      policyDigest: () => resolved.policyDigest,
      sentences: deps.sentences,
    }),
    audit: () => (resolved.config.chain.audit_log ? audit.store : undefined),
    auditRequired: () => resolved.config.audit.required,
    recordsChoices: true,
    clock: nodeClock,
    hasher: sha256,
    log: deps.log,
    metrics: deps.metrics,
    asked: deps.asked,
    denied: deps.denied,
  });
  return {
    ...place,
    governor,
    audit,
    resolved: () => resolved,
    chain: async () => (await judging()).chain,
  };
}

interface JudgingParts {
  readonly place: { readonly root: string; readonly folder: string };
  readonly resolved: () => Resolved;
  readonly audit: WorkspaceAudit;
  readonly custom: readonly Hook[];
  readonly nonce: string;
  readonly quotaCalls: QuotaCalls;
}

function judgingOf(deps: WorkspacesDeps, parts: JudgingParts): EvaluateDeps {
  const { config } = parts.resolved();
  const { path_allowlist, destructive_sql } = config.chain.options;
  const facets = createReadFacets({
    extraPathTools: path_allowlist.tools,
    extraSqlTools: destructive_sql.tools,
    defaultShell: platformShell,
  });
  const chain = chainOf(deps, parts, facets);
  for (const hook of parts.custom) chain.add(hook);
  return {
    chain,
    clock: nodeClock,
    hasher: sha256,
    enabled: config.chain.enabled,
    consent: destructive_sql.consent,
    confirmKeys: [destructive_sql.confirm_arg],
    bind: bindCall(facets),
    nonce: parts.nonce,
  };
}

function chainOf(deps: WorkspacesDeps, parts: JudgingParts, facets: ReadFacets): HookChain {
  const { place, audit, resolved } = parts;
  const fileSystem = realFileSystem();
  return buildChain({
    config: resolved().config,
    clock: nodeClock,
    log: deps.log,
    hasher: sha256,
    facets,
    fileSystem: () => fileSystem,
    roots: () => [place.root, place.folder, ...openFolders()],
    tempFolders: [tmpdir()],
    opensDatabase: "yes",
    quotaCalls: parts.quotaCalls,
    secondOpinion: deps.secondOpinion,
    doorGuards: [
      unacceptedConfig({ facets, waiting: () => resolved().askAllButReads }),
      auditHealth({ facets, blocked: () => resolved().config.chain.audit_log && audit.blocked() }),
    ],
    auditHook: auditLog({ store: audit.store, hasher: sha256, policyDigest: () => resolved().policyDigest }),
  });
}
