/** Tells the person and the log when something that governs an agent changes under way, and takes the person's acknowledgement. Judges nothing. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { agentName } from "../core/askText";
import type { ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { GovernanceState, HookChange } from "../core/governance/governanceState";
import { type HookSourceWatch, startHookSourceWatch } from "../node/hookSourceWatch";
import type { Log } from "../ports";
import { shortPath } from "./coverage";
import { isUnread } from "./coverageEditor";
import { openFolders } from "./openFolders";
import type { PersonRecords } from "./personRecords";
import type { Workspaces } from "./workspaces";

export const ACKNOWLEDGE = "countersign.acknowledgeHooks";

export interface HookSourcesDeps {
  readonly state: GovernanceState;
  readonly workspaces: Workspaces;
  /** What changes under an agent that is not is recorded, and is no news for a person. */
  readonly isGoverned: (agent: string) => boolean;
  readonly onSwitch: PersonRecords["switched"];
  readonly onChange: () => void;
  readonly log: Log;
}

export interface HookSources {
  /** To be called after every call of an agent. */
  check(): void;
  /** A call ran with other arguments than were let through. */
  ranOther(call: ToolCall, approved: string): void;
  /** What stands in the file now is what the person has just had us write. */
  accept(path: string): Promise<void>;
  /** Files that are known to hold hooks or switches, for the map of what is governed. */
  sources(): ReturnType<HookSourceWatch["sources"]>;
}

export function registerHookSources(context: vscode.ExtensionContext, deps: HookSourcesDeps): HookSources {
  const failed = (error: unknown): void => deps.log.error(`hook sources: ${messageOf(error)}`);
  const started = startHookSourceWatch({
    home: homedir(),
    roots: openFolders,
    env: process.env,
    log: deps.log,
    onChange: (changes) => void changed(changes, deps).catch(failed),
  });
  let watch: HookSourceWatch | undefined;
  started
    .then((ready) => {
      watch = ready;
      deps.onChange();
    })
    .catch(failed);
  context.subscriptions.push(
    { dispose: () => void started.then((ready) => ready.dispose(), failed) },
    vscode.commands.registerCommand(ACKNOWLEDGE, () => acknowledge(deps).catch(failed)),
  );
  return {
    check: () => void watch?.check(),
    ranOther: (call, approved) => void ranOther(call, approved, deps).catch(failed),
    async accept(path) {
      await (await started).accept(path);
      // It may have been seen before we were told of it.
      deps.state.acknowledge({
        changes: deps.state.changes().filter((change) => change.path === path),
        runs: [],
      });
      deps.onChange();
    },
    sources: () => watch?.sources() ?? [],
  };
}

/** A file that the editor does not read changes nothing for its own agents; the setting that lets it in is watched itself. */
function readChanges(all: readonly HookChange[]): readonly HookChange[] {
  return all
    .map((change) => ({ ...change, agents: change.agents.filter((agent) => !isUnread(change.path, agent)) }))
    .filter(({ agents }) => agents.length > 0);
}

async function changed(all: readonly HookChange[], deps: HookSourcesDeps): Promise<void> {
  const changes = readChanges(all);
  // In force before anything that waits: the next call may come at once.
  for (const change of changes) deps.state.changed(change);
  deps.onChange();
  notify(changes, deps);
  for (const change of changes) {
    deps.log.warn(`governance changed: ${change.path} ${change.kind} (${change.agents.join(", ")})`);
    const workspace = await deps.workspaces.of(folderOf(change.path));
    await workspace.audit.store.append({
      event: "governance",
      reason: `${change.path} ${change.kind}`,
      findings: [
        {
          code: "governance_changed",
          message: `${change.path} ${change.kind}`,
          by: "changed_hooks",
          severity: change.off.length > 0 ? "error" : "warning",
          details: { path: change.path, kind: change.kind, agents: [...change.agents], off: [...change.off] },
        },
      ],
      policy_digest: workspace.resolved().policyDigest,
      error: null,
    });
  }
}

function folderOf(path: string): string | undefined {
  return openFolders().find((folder) => path.startsWith(folder)) ?? openFolders()[0];
}

/** One notice for all that changed together. */
function notify(changes: readonly HookChange[], deps: HookSourcesDeps): void {
  const news = changes.filter(({ agents }) => agents.some(deps.isGoverned));
  const [first] = news;
  if (first === undefined) return;
  const off = news.flatMap((change) => change.off);
  const files = news.map(({ path }) => shortPath(path)).join(", ");
  const message =
    off.length > 0
      ? vscode.l10n.t("Agents are not governed: {0} switches hooks off ({1}).", files, off.join(", "))
      : vscode.l10n.t(
          "The hooks of {0} changed: {1}. Until you have looked, every call that does more than read asks you first.",
          first.agents.filter(deps.isGoverned).map(agentName).join(", "),
          files,
        );
  offer(message, deps, first.path);
}

function offer(message: string, deps: HookSourcesDeps, file?: string): void {
  const look = vscode.l10n.t("Look at the File");
  const review = vscode.l10n.t("Acknowledge…");
  const buttons = file === undefined ? [review] : [look, review];
  vscode.window.showErrorMessage(message, ...buttons).then(
    async (chosen) => {
      if (chosen === look && file !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(file));
      if (chosen === review) await acknowledge(deps);
    },
    (error: unknown) => deps.log.error(messageOf(error)),
  );
}

async function ranOther(call: ToolCall, approved: string, deps: HookSourcesDeps): Promise<void> {
  deps.state.ranOther({ agent: call.agent, tool: call.toolName, callId: call.callId });
  deps.onChange();
  deps.log.error(
    `${call.toolName} of ${call.agent} ran with other arguments than were let through (${approved})`,
  );
  offer(
    vscode.l10n.t(
      "{0} ran with other arguments than were let through: another hook of {1} changes calls after Countersign. Nothing but reading runs until you have looked.",
      call.toolName,
      call.agent,
    ),
    deps,
  );
}

/** Only the return value of this dialog counts. */
async function acknowledge({ state, onSwitch, onChange }: HookSourcesDeps): Promise<void> {
  const seen = { changes: state.changes(), runs: state.otherRuns() };
  if (seen.changes.length + seen.runs.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No hooks have changed."));
    return;
  }
  const lines = [
    ...seen.changes.map(
      ({ path, kind, off }) => `${path}: ${kind}${off.length === 0 ? "" : ` (${off.join(", ")})`}`,
    ),
    ...seen.runs.map(({ tool, agent }) => vscode.l10n.t("{0} of {1} ran with other arguments", tool, agent)),
  ];
  const detail = [
    ...lines.slice(0, 8),
    ...(lines.length > 8 ? [vscode.l10n.t("… and {0} more", lines.length - 8)] : []),
  ].join("\n");
  const keep = vscode.l10n.t("Keep Asking");
  const accept = vscode.l10n.t("I Have Looked: Go On");
  // The first button is the one that Enter presses.
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t("Go on with these hooks?"),
    { modal: true, detail },
    keep,
    accept,
  );
  if (chosen !== accept) return;
  state.acknowledge(seen);
  onSwitch({ what: "changed_hooks", to: "acknowledged" });
  onChange();
}
