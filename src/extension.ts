/** Composition root of the editor host: builds the ports, registers each feature, holds no logic. */

import { homedir } from "node:os";
import type * as vscode from "vscode";
import { createGrants } from "./core/consent";
import { messageOf } from "./core/errors";
import { type AskedEvent, createEmitter, createMetrics, type DeniedEvent } from "./core/events";
import { governanceState } from "./core/governance/governanceState";
import { guardMemory } from "./core/guards/guardMemory";
import type { Hook } from "./core/hook";
import { askModal } from "./host/askModal";
import { askMore, showModal } from "./host/askScreen";
import { registerAuditExport } from "./host/auditExport";
import { registerAuditPanel, translate } from "./host/auditPanel";
import { registerAuditPublicKey } from "./host/auditPublicKey";
import { offerNewLog, registerBeginNewLog } from "./host/beginNewLog";
import { registerCards } from "./host/cards";
import { type ChainFacts, chainStateOf } from "./host/chainState";
import { registerCommands } from "./host/commands";
import { registerConfigDiagnostics } from "./host/configDiagnostics";
import { registerConfigWatch } from "./host/configWatch";
import { createCoverage } from "./host/coverage";
import { registerCoverageView } from "./host/coverageView";
import { registerEffectiveConfig } from "./host/effectiveConfig";
import { registerGovernAgents } from "./host/governAgents";
import { registerHookBroker } from "./host/hookBroker";
import { hookRegistry } from "./host/hookRegistry";
import { registerHookSources } from "./host/hookSourceWatch";
import { registerLanguageModelTools } from "./host/languageModelTools";
import { registerLog } from "./host/log";
import { registerMcpServers } from "./host/mcpServers";
import { openFolders } from "./host/openFolders";
import { registerPersonRecords } from "./host/personRecords";

import { registerPolicyDiagnostics } from "./host/policiesDiagnostics";
import { registerPolicyLens } from "./host/policiesLens";
import { registerPolicyNew } from "./host/policiesNew";
import { registerRulesLanguage } from "./host/rulesLanguage";
import { registerRulesLens } from "./host/rulesLens";
import { tellRunRefused } from "./host/rulesRefused";
import { hostSentences } from "./host/sentences";
import { readSettings } from "./host/settings";
import { registerStatusBar } from "./host/statusBar";
import { todayCounts } from "./host/todayCounts";
import { createWorkspaces } from "./host/workspaces";
import { createAcceptedFiles } from "./node/acceptedFiles";
import type { AgentChange } from "./node/agentSettings";
import { verifyFile } from "./node/auditVerify";
import { policyConsole } from "./node/policies/policyConsole";
import { nodeClock } from "./node/ports";
import { createSecondOpinion } from "./node/sql/secondOpinion";
import { createTrustStore } from "./node/trustStore";

/** What `getExtension("countersign.countersign").exports` gives to other extensions. */
export interface CountersignApi {
  readonly hooks: {
    /** Adds a hook ahead of the audit to every chain of this window. */
    add(hook: Hook): vscode.Disposable;
    names(): Promise<string[]>;
  };
  readonly onHookAsksUser: (listener: (event: AskedEvent) => void) => vscode.Disposable;
  readonly onHookDenied: (listener: (event: DeniedEvent) => void) => vscode.Disposable;
  /** Counts per tool and decision since activation, and how long our own code took to activate. */
  summary(): ReturnType<ReturnType<typeof createMetrics>["summary"]> & { readonly activatedInMs: number };
}

let closing: () => Promise<void> = async () => undefined;

/** The editor waits for it: the last records are written and covered by a checkpoint. */
export function deactivate(): Promise<void> {
  return closing();
}

export async function activate(context: vscode.ExtensionContext): Promise<CountersignApi> {
  const began = performance.now();
  const log = registerLog(context);
  const failed = (error: unknown): void => log.error(messageOf(error));
  const changed = createEmitter<void>(failed);
  const asked = createEmitter<AskedEvent>(failed);
  const denied = createEmitter<DeniedEvent>(failed);
  const metrics = createMetrics();
  const grants = createGrants(nodeClock);
  const today = todayCounts();
  const governance = governanceState();
  const state: ChainFacts = { waiting: 0, trouble: undefined, damage: undefined };

  const store = createTrustStore({ home: homedir(), now: nodeClock.now });
  const acceptedFiles = createAcceptedFiles({ home: homedir() });
  const watch = registerConfigWatch(context, {
    store,
    acceptedFiles,
    clock: nodeClock,
    log,
    env: process.env,
  });
  registerConfigDiagnostics(context, { watch, log });
  registerEffectiveConfig(context, { watch });
  context.subscriptions.push(watch.onDidChange(() => changed.fire()));

  const coverage = createCoverage(context, {
    governance,
    sources: () => hookSources.sources(),
    trouble: () => state.trouble,
    toolsRegistered: () => tools.isRegistered("db_query_sql"),
    clock: nodeClock,
    log,
    onChange: changed.on,
    onRows: () => changed.fire(),
  });
  const panelDeps = {
    auditPath: () => workspaces.all()[0]?.audit.path() ?? "",
    chainState: () =>
      chainStateOf({
        workspaces: workspaces.all(),
        governance,
        notGoverned: coverage.alarm(),
        hooksChanged: coverage.hooksChanged(),
        ...state,
      }),
    counts: () => today.counts(),
    onChange: changed.on,
    clock: nodeClock,
    log,
  };
  const panel = registerAuditPanel(context, {
    ...panelDeps,
    verify: async (path, watch) => {
      const own = workspaces.all().find(({ audit }) => audit.path() === path);
      const report = await (own === undefined ? verifyFile(path, watch) : own.audit.verify(watch));
      state.damage = report.ok ? undefined : (report.firstBad ?? 0);
      changed.fire();
      return report;
    },
    openLog: () => log.show(),
    onAppend: changed.on,
  });
  const records = registerPersonRecords(context, {
    workspaces: () => workspaces,
    onDidAccept: watch.onDidAccept,
    onDidChange: watch.onDidChange,
    log,
  });
  const ask = askModal({
    show: showModal,
    more: askMore,
    openDetails: panel.showPending,
    clock: nodeClock,
    log,
    t: translate,
    timeoutMs: readSettings().askTimeoutMs,
    onLate: records.lateAnswer,
    onWaiting: (count) => {
      state.waiting = count;
      changed.fire();
    },
  });

  const exporter = registerAuditExport(context, { log, onLost: records.exportLost });
  const opinion = createSecondOpinion({ log });
  const hooks = hookRegistry();
  const workspaces = createWorkspaces({
    watch,
    store,
    ask,
    grants,
    sentences: hostSentences(),
    log,
    metrics,
    asked,
    denied,
    secondOpinion: opinion,
    memory: guardMemory(),
    governance,
    customHooks: hooks,
    storage: context.globalStorageUri.fsPath,
    secrets: context.secrets,
    onChange: () => changed.fire(),
    onUnsigned: offerNewLog,
    onRunRefused: tellRunRefused,
    onPolicyConsole: policyConsole(log),
    onRecord: (record) => {
      today.add(record);
      coverage.record(record);
      exporter.add(record);
    },
  });
  const hookSources = registerHookSources(context, {
    state: governance,
    workspaces,
    isGoverned: coverage.isGoverned,
    onSwitch: records.switched,
    onChange: () => changed.fire(),
    log,
  });
  closing = async () => {
    await records.grantsEnded(grants.endAll());
    await workspaces.close();
  };
  context.subscriptions.push({ dispose: () => void opinion.close() });

  const tools = registerLanguageModelTools(context, {
    governor: workspaces.governor,
    workspaceOf: workspaces.of,
    onChatCall: coverage.chatCall,
    log,
  });
  registerStatusBar(context, {
    ...panelDeps,
    notGoverned: coverage.alarm,
    hooksChanged: coverage.hooksChanged,
    waiting: () => state.waiting,
    answerWaiting: panel.answerPending,
  });
  registerAuditPublicKey(context, { workspaces, log });
  const dialogs = { workspaces, grants, log, onSwitch: records.switched, onChange: () => changed.fire() };
  registerCommands(context, dialogs);
  registerMcpServers(context, {
    log,
    onChange: ({ to, servers, file }) =>
      records.switched({ what: "mcp_servers", to: `${to} ${servers.join(", ")} in ${file}` }),
  });
  registerBeginNewLog(context, dialogs);
  const agentChanges = {
    log,
    onChange({ agent, to, files }: AgentChange) {
      for (const { file } of files) void hookSources.accept(file).catch(failed);
      records.switched({ what: "agent_hooks", to: `${agent} ${to}ed` });
      void coverage.refresh();
    },
  };
  registerGovernAgents(context, agentChanges);
  const requests = createEmitter<string>(failed);
  registerCoverageView(context, {
    ...agentChanges,
    coverage,
    onRows: changed.on,
    onRequest: requests.on,
  });
  const rulesDeps = {
    auditPath: async (document: vscode.TextDocument) =>
      (await workspaces.of(document.uri.fsPath)).audit.path(),
    onChange: changed.on,
    watch,
    log,
  };
  registerRulesLens(context, rulesDeps);
  registerRulesLanguage(context, rulesDeps);
  const trustDoor = registerCards(context, { workspaces, log, onChange: changed.on });
  registerPolicyNew(context, { log });
  registerPolicyLens(context, { auditPath: rulesDeps.auditPath, log });
  registerPolicyDiagnostics(context, { log });
  await registerHookBroker(context, {
    trustDoor,
    governor: workspaces.governor,
    endRun: workspaces.endRun,
    isOwnTool: tools.isRegistered,
    log,
    onRequest: requests.fire,
    onSeen: (seen) => {
      if (seen.event === "post") hookSources.check();
      coverage.seen(seen);
      changed.fire();
    },
    onRanOther: hookSources.ranOther,
    onTrouble: (message) => {
      state.trouble = message;
      changed.fire();
    },
  });
  workspaces
    .of(openFolders()[0])
    .then(async (workspace) => {
      await coverage.refresh();
      await coverage.readLog(workspace.audit.path());
      await today.readTail(workspace.audit.path());
    })
    .then(() => changed.fire(), failed);

  const activatedInMs = Math.round(performance.now() - began);
  log.info(`active after ${activatedInMs} ms`);
  return {
    hooks: {
      add: hooks.add,
      names: async () => (await (await workspaces.of(openFolders()[0])).chain()).names(),
    },
    onHookAsksUser: asked.on,
    onHookDenied: denied.on,
    summary: () => ({ ...metrics.summary(), activatedInMs }),
  };
}
