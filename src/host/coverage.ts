/** The coverage view's state: what files, the editor and real calls say now, as rows, and an alarm for the status bar. Changes nothing. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import * as vscode from "vscode";
import type { HookSeen } from "../agents/hookDoor";
import type { AuditRecord } from "../core/audit/record";
import { type CoverageRow, type ForeignHook, isGoverned, notGoverned, type Program } from "../core/coverage";
import { type AgentFacts, agentHostRow, agentRow, editorRow, mcpRow, toolsRow } from "../core/coverageRows";
import { createSeen } from "../core/coverageSeen";
import { alarmText, type Words } from "../core/coverageText";
import { messageOf } from "../core/errors";
import type { GovernanceState } from "../core/governance/governanceState";
import { serverStatus } from "../mcp/wrap/wrappedServers";
import { agentStatus, outsideAgents } from "../node/agentSettings";
import { factsOf, foreignOf, isHookCall, isOwnTool, seenInLog } from "../node/coverageAgents";
import { findProgram } from "../node/coverageProgram";
import type { FoundSource } from "../node/hookSourceFiles";
import { hookProgram } from "../node/launcherFiles";
import type { Clock, Log } from "../ports";
import { translate } from "./auditPanel";
import { editorBuild, editorSwitches, isUnread } from "./coverageEditor";
import { otherPlugins } from "./coveragePlugins";
import { mcpPlaces } from "./mcpServers";
import { openFolders } from "./openFolders";

export interface CoverageDeps {
  readonly governance: GovernanceState;
  readonly sources: () => readonly FoundSource[];
  /** Why the broker does not work, in words. */
  readonly trouble: () => string | undefined;
  readonly toolsRegistered: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when something that the rows are made of may have changed. */
  readonly onChange: (listener: () => void) => vscode.Disposable;
  /** To be told when the rows say something new. */
  readonly onRows: () => void;
}

export interface Coverage {
  rows(): readonly CoverageRow[];
  words(): Words;
  /** What the status bar says; undefined = nothing that was meant to be governed is not. */
  alarm(): ReturnType<typeof alarmText>;
  /** The first file whose hooks changed under an agent that is governed, and at which nobody has looked. */
  hooksChanged(): string | undefined;
  isGoverned(agent: string): boolean;
  /** Reads files anew. Never rejects. */
  refresh(): Promise<void>;
  /** A hook told of an event: that door is alive. */
  seen(event: HookSeen): void;
  /** A chat runs one of our tools, of which its hook should have told. */
  chatCall(tool: string): void;
  /** What this window or another process has written. */
  record(record: AuditRecord): void;
  readLog(path: string): Promise<void>;
}

/** What seldom changes, and takes long to look up. */
interface Slow {
  readonly programs: ReadonlyMap<string, Program | undefined>;
  readonly mcp: { readonly behind: number; readonly all: number };
  readonly plugins: readonly ForeignHook[];
}

export function createCoverage(context: vscode.ExtensionContext, deps: CoverageDeps): Coverage {
  const seen = createSeen({ isOwnTool });
  const told = new Map<string, number>();
  let ranPast: string | undefined;
  let agents: readonly AgentFacts[] = [];
  let slow: Slow = { programs: new Map(), mcp: { behind: 0, all: 0 }, plugins: [] };
  let mark = "";

  function rows(): readonly CoverageRow[] {
    const { governance } = deps;
    const trouble = deps.trouble();
    const sources = deps.sources();
    const foreign = foreignOf(sources, { except: isUnread });
    const around = {
      seen: seen.calls(),
      changes: governance.changes(),
      otherRuns: governance.otherRuns(),
      foreign: (agent: string) => [...foreign(agent), ...(agent === "vscode" ? slow.plugins : [])],
    };
    const editor = {
      trusted: vscode.workspace.isTrusted,
      off: editorSwitches(sources),
      ...(trouble === undefined ? {} : { trouble }),
      ...(ranPast === undefined ? {} : { ranPast: translate("{0} ran and no hook told of it", ranPast) }),
    };
    const mcp = mcpRow(translate("MCP servers"), slow.mcp);
    return [
      editorRow(translate("Agent mode"), editor, around),
      agentHostRow(translate("Agent Host"), around),
      ...(deps.toolsRegistered() ? [toolsRow(translate("Own tools"), around)] : []),
      ...(mcp === undefined ? [] : [mcp]),
      ...agents.map((one) => agentRow(one, around)),
    ];
  }

  async function readSlow(): Promise<void> {
    const places = { home: homedir(), env: process.env };
    const found = await Promise.all(
      outsideAgents.map(
        async (agent) => [agent, (await findProgram(agent, places)) ?? editorBuild(agent)] as const,
      ),
    );
    const { servers } = await serverStatus(mcpPlaces(context));
    const behind = servers.filter(({ state }) => state === "behind the chain").length;
    const plugins = await otherPlugins(context.extension.id);
    slow = { programs: new Map(found), mcp: { behind, all: servers.length }, plugins };
  }

  /** Quick, since the status bar waits for it when a project switches hooks off. */
  async function readSettings(): Promise<void> {
    const home = homedir();
    const [workspace] = openFolders();
    const places = { home, env: process.env, ...(workspace === undefined ? {} : { workspace }) };
    const launcher = existsSync(hookProgram(home));
    const statuses = await Promise.all(outsideAgents.map((agent) => agentStatus(agent, places)));
    agents = statuses.map((status) =>
      factsOf(status, { program: slow.programs.get(status.agent), launcher }),
    );
  }

  /** One reading of a kind at a time; whoever asks meanwhile gets one that began after the asking. */
  function inTurn(read: () => Promise<void>): () => Promise<void> {
    let last = Promise.resolve();
    return () => {
      last = last
        .then(read)
        .catch((error: unknown) => deps.log.error(`coverage: ${messageOf(error)}`))
        .then(deps.onRows);
      return last;
    };
  }
  const settings = inTurn(readSettings);
  const everything = inTurn(async () => {
    await readSlow();
    await readSettings();
  });

  /** The watcher reads the files; when it has seen another content, so must we. */
  function follow(): void {
    const now = deps
      .sources()
      .map(({ path, fact }) => `${path} ${fact}`)
      .join("\n");
    if (now === mark) return;
    mark = now;
    void settings();
  }

  context.subscriptions.push(
    deps.onChange(follow),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("chat.pluginLocations")) void everything();
      else if (event.affectsConfiguration("chat")) deps.onRows();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => deps.onRows()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void everything()),
    vscode.extensions.onDidChange(() => void everything()),
  );

  const words = (): Words => ({
    t: translate,
    now: deps.clock.now(),
    locale: vscode.env.language,
    short: shortPath,
  });
  return {
    rows,
    words,
    alarm: () => alarmText(notGoverned(rows()), words()),
    hooksChanged() {
      const changed = rows().find(({ state }) => state === "changed");
      return changed?.changed[0];
    },
    isGoverned: (agent) => isGoverned(rows(), agent),
    refresh: everything,
    seen({ event, host, agent, toolName, at }) {
      if (agent === "vscode") ranPast = undefined;
      if (toolName === undefined) return;
      if (event === "pre" && isOwnTool(toolName)) told.set(toolName, (told.get(toolName) ?? 0) + 1);
      seen.add(host === "agentHost" ? "vscode.agentHost" : agent, { at, tool: toolName });
    },
    chatCall(tool) {
      const open = told.get(tool) ?? 0;
      told.set(tool, Math.max(0, open - 1));
      seen.add("tools", { at: deps.clock.now(), tool });
      ranPast = open > 0 ? undefined : tool;
      deps.onRows();
    },
    record(record) {
      if (isHookCall(record)) seen.addRecord(record);
    },
    async readLog(path) {
      for (const [id, call] of await seenInLog(path)) seen.add(id, call);
      deps.onRows();
    },
  };
}

/** As people write it: below a folder of the window, else below the home folder. */
export function shortPath(path: string): string {
  for (const folder of openFolders()) {
    const below = relative(folder, path);
    if (below !== "" && !below.startsWith("..")) return below;
  }
  const below = relative(homedir(), path);
  return below !== "" && !below.startsWith("..") ? join("~", below) : path;
}
