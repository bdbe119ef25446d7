/**
 * One governed workspace per data folder: its configuration, chain, audit log and governor.
 * Calls find theirs by cwd. Knows nothing of where calls come from or how a person is asked.
 */
import { homedir } from "node:os";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import type { ToolCall } from "../core/call";
import type { HookChain } from "../core/chain";
import type { Grants } from "../core/consent";
import type { EvaluateDeps } from "../core/evaluate";
import type { AskedEvent, DeniedEvent, Emitter, Metrics } from "../core/events";
import { createGovernor, type Governor } from "../core/govern";
import type { GovernanceState } from "../core/governance/governanceState";
import type { SecondOpinion } from "../core/guards/destructiveSql";
import type { GuardMemory } from "../core/guards/guardMemory";
import type { QuotaCalls } from "../core/guards/quota";
import { lateRecord } from "../core/hookRules/ruleRecords";
import type { RuleDenial } from "../core/hookRules/ruleRun";
import type { EndedRun } from "../core/hookRules/runEnd";
import type { Sentences } from "../core/sentences";
import { sessionPins } from "../core/sessionPins";
import { findDataFolder } from "../node/dataFolder";
import type { PolicyHostDeps } from "../node/policies/policyHost";
import {
  createWorkspacePolicies,
  NO_POLICIES,
  type PoliciesInForce,
} from "../node/policies/workspacePolicies";
import { nodeClock, nodeIds, randomNonce, sha256 } from "../node/ports";
import type { Resolved } from "../node/resolveWorkspace";
import type { TrustStore } from "../node/trustStore";
import { createWorkspaceRules, type RulesInForce } from "../node/workspaceRules";
import type { Ask, Log } from "../ports";
import type { Secrets } from "./auditSecrets";
import type { ConfigWatch } from "./configWatch";
import { freshConfiguration } from "./freshConfiguration";
import type { HookRegistry } from "./hookRegistry";
import { judgingOf } from "./judging";
import { openFolders } from "./openFolders";
import { openWorkspaceAudit, type WorkspaceAudit } from "./workspaceAudit";
import { workspaceRuns } from "./workspaceRuns";

export interface WorkspacesDeps {
  readonly watch: ConfigWatch;
  readonly store: TrustStore;
  readonly ask: Ask;
  readonly grants: Grants;
  readonly sentences: Sentences;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly asked: Emitter<AskedEvent>;
  readonly denied: Emitter<DeniedEvent>;
  readonly secondOpinion: SecondOpinion;
  /** What guards remember of the sessions of this window. */
  readonly memory: GuardMemory;
  /** What changed under the agents' hooks and waits for a person. */
  readonly governance: GovernanceState;
  /** Hooks that other extensions added; every chain has them. */
  readonly customHooks: Pick<HookRegistry, "all" | "version">;
  readonly storage: string;
  readonly secrets: Secrets;
  readonly onChange: () => void;
  readonly onUnsigned: (why: string) => void;
  readonly onRecord: (record: AuditRecord) => void;
  /** What a policy prints. */
  readonly onPolicyConsole: PolicyHostDeps["onConsole"];
  /** Told when a rule does not accept what an agent handed in at the end of its run. */
  readonly onRunRefused: (run: EndedRun, denial: RuleDenial) => void;
}

export interface Workspace {
  readonly root: string;
  /** `<root>/.countersign` */
  readonly folder: string;
  readonly governor: Governor;
  readonly audit: WorkspaceAudit;
  resolved(): Resolved;
  /** As the last call was judged by them. */
  policies(): PoliciesInForce;
  /** The chain that the next call is judged by. */
  chain(): Promise<HookChain>;
  /** Puts the end of an agent's run to the rules. Never rejects. */
  endRun(run: EndedRun): Promise<void>;
  /** Ends policies and handlers of rules; the audit log is closed by itself. */
  close(): Promise<void>;
}

export interface Workspaces {
  /** The governor of whichever workspace a call belongs to. */
  readonly governor: Governor;
  /** In the workspace that the run's session began in. Rejects where that cannot be opened. */
  endRun(run: EndedRun): Promise<void>;
  of(cwd: string | undefined): Promise<Workspace>;
  /** Those that were used or opened so far. */
  all(): readonly Workspace[];
  close(): Promise<void>;
}

export function createWorkspaces(deps: WorkspacesDeps): Workspaces {
  const pins = sessionPins();
  const joint = new Map<string, Promise<Workspace>>();
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
  /** A session stays with the workspace it began in; where a call is made elsewhere, the stricter of both rules holds. */
  const forCall = async (call: InSession): Promise<Workspace> => {
    const here = await of(call.cwd);
    const pinned = pins.of(call, here.root);
    if (pinned === here.root) return here;
    const first = await of(pinned);
    if (first.root === here.root) return here;
    const key = JSON.stringify([first.root, here.root]);
    const made = joint.get(key) ?? createWorkspace(deps, first, { also: here.root, audit: first.audit });
    joint.set(key, made);
    made.catch(() => joint.delete(key));
    return made;
  };
  return {
    governor: routed(forCall),
    endRun: async (run) => (await forCall(run)).endRun(run),
    of,
    all: () => ready,
    async close() {
      const settled = await Promise.allSettled([...known.values(), ...joint.values()]);
      const open = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      await Promise.all(open.map((workspace) => workspace.close()));
      await Promise.all(ready.map((workspace) => workspace.audit.close()));
    },
  };
}

type InSession = Pick<ToolCall, "agent" | "sessionId" | "cwd">;

function routed(forCall: (call: ToolCall) => Promise<Workspace>): Governor {
  const to = async (call: ToolCall): Promise<Governor> => (await forCall(call)).governor;
  return {
    evaluate: async (call, options) => (await to(call)).evaluate(call, options),
    authorize: async (call, options) => (await to(call)).authorize(call, options),
    settle: async (call, outcome, ended) => (await to(call)).settle(call, outcome, ended),
    ranUngoverned: async (call, ended) => (await to(call)).ranUngoverned(call, ended),
    govern: async (call, handler, options) => (await to(call)).govern(call, handler, options),
    finish: async (call, outcome, handler) => (await to(call)).finish(call, outcome, handler),
  };
}

async function createWorkspace(
  deps: WorkspacesDeps,
  place: { root: string; folder: string },
  shared?: { readonly also: string; readonly audit: WorkspaceAudit },
): Promise<Workspace> {
  const append = async (record: RecordBody | undefined): Promise<void> => {
    if (record !== undefined && resolved.config.chain.audit_log) await audit.store.append(record);
  };
  const rules = createWorkspaceRules({
    log: deps.log,
    env: process.env,
    onError: "ask",
    onLate: (late) => append(lateRecord(late, { policyDigest: resolved.policyDigest, profile: "default" })),
  });
  const policies = createWorkspacePolicies({ log: deps.log, onConsole: deps.onPolicyConsole });
  const roots = shared === undefined ? [place.root] : [place.root, shared.also];
  const fresh = () => freshConfiguration(deps, roots);
  let { resolved } = await fresh();
  const audit =
    shared?.audit ??
    openWorkspaceAudit({
      ...place,
      storage: deps.storage,
      secrets: deps.secrets,
      log: deps.log,
      onRecord: (record) => {
        deps.onRecord(record);
        deps.onChange();
      },
      onPlace: deps.onChange,
      onUnsigned: deps.onUnsigned,
      resolved: () => resolved,
    });
  const nonce = randomNonce();
  const quotaCalls: QuotaCalls = new Map();
  let built: { key: string; ruled: RulesInForce; judging: EvaluateDeps } | undefined;
  let policed = NO_POLICIES;
  const judging = async (): Promise<EvaluateDeps> => {
    const now = await fresh();
    const ruled = await rules.of(now.sources);
    const before = policed;
    policed = await policies.of(now.places);
    if (stateOf(before) !== stateOf(policed)) deps.onChange();
    resolved = now.resolved;
    const custom = deps.customHooks.all();
    const key = `${resolved.policyDigest} ${deps.customHooks.version()}`;
    if (built?.key !== key || built.ruled !== ruled) {
      const parts = {
        place,
        resolved: () => resolved,
        audit,
        custom,
        nonce,
        quotaCalls,
        ruled,
        policed: () => policed,
      };
      built = { key, ruled, judging: judgingOf(deps, parts) };
    }
    return policed.policies === undefined ? built.judging : { ...built.judging, policies: policed.policies };
  };
  await judging();
  const runs = workspaceRuns({
    inForce: async () => {
      await judging();
      return { ruled: built?.ruled ?? NO_RULES, resolved };
    },
    append,
    log: deps.log,
    onRefused: deps.onRunRefused,
  });
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
    governor: {
      ...governor,
      // The end of a run waits for the ends of its calls.
      settle: (call, ...end) => runs.during(call.runId, governor.settle(call, ...end)),
      ranUngoverned: (call, ended) => runs.during(call.runId, governor.ranUngoverned(call, ended)),
    },
    audit,
    resolved: () => resolved,
    policies: () => policed,
    chain: async () => (await judging()).chain,
    endRun: runs.end,
    async close() {
      await Promise.all([rules.close(), runs.close(), policies.close()]);
    },
  };
}

const NO_RULES: RulesInForce = { rules: undefined, files: [] };

const stateOf = ({ pending, issues }: PoliciesInForce): string =>
  JSON.stringify([pending.map(({ name }) => name), issues]);
