/** Commands that put our hook into the settings of agents outside the editor, or take it out. A dialog's return value is the only yes. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { agentDoors } from "../agents/agentDoors";
import { messageOf } from "../core/errors";
import {
  type AgentChange,
  type AgentStatus,
  agentStatus,
  applyChange,
  type OutsideAgent,
  outsideAgents,
  planChange,
} from "../node/agentSettings";
import type { Log } from "../ports";
import { confirmChange } from "./mcpConfirm";
import { openFolders } from "./openFolders";

export interface GovernAgentsDeps {
  readonly log: Log;
  /** Told what a person agreed to, after it was written. */
  readonly onChange: (change: AgentChange) => void;
}

export function registerGovernAgents(context: vscode.ExtensionContext, deps: GovernAgentsDeps): void {
  const commands: Readonly<Record<string, () => Promise<void>>> = {
    "countersign.governAgents": () => pickAgent(deps),
    ...Object.fromEntries(
      outsideAgents.map((agent) => [
        `countersign.govern.${agent}`,
        () => changeAgent(agent, "install", deps),
      ]),
    ),
  };
  for (const [id, run] of Object.entries(commands)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, () =>
        run().catch((error: unknown) => {
          deps.log.error(`${id}: ${messageOf(error)}`);
          void vscode.window.showErrorMessage(messageOf(error));
        }),
      ),
    );
  }
}

function places() {
  const [workspace] = openFolders();
  return { home: homedir(), env: process.env, ...(workspace === undefined ? {} : { workspace }) };
}

async function pickAgent(deps: GovernAgentsDeps): Promise<void> {
  const all = await Promise.all(outsideAgents.map((agent) => agentStatus(agent, places())));
  const picked = await vscode.window.showQuickPick(
    all.map((status) => ({
      label: status.title,
      description: stateText(status),
      detail: [status.file, ...notesOf(status)].join(" · "),
      status,
    })),
    {
      title: vscode.l10n.t("Agents outside the editor"),
      placeHolder: vscode.l10n.t("Choose one to govern it, or to stop that"),
    },
  );
  if (picked === undefined) return;
  await changeAgent(picked.status.agent, picked.status.state === "installed" ? "uninstall" : "install", deps);
}

function stateText({ state }: AgentStatus): string {
  switch (state) {
    case "installed":
      return vscode.l10n.t("governed");
    case "outdated":
      return vscode.l10n.t("governed by an older hook");
    case "absent":
      return vscode.l10n.t("not governed");
    case "unreadable":
      return vscode.l10n.t("its settings cannot be read");
    default:
      return state satisfies never;
  }
}

function notesOf(status: AgentStatus): readonly string[] {
  return [
    ...status.switchedOff.map(({ file, setting }) =>
      vscode.l10n.t("switched off by {0} in {1}", setting, file),
    ),
    ...(status.reviewed === false && status.state === "installed"
      ? [vscode.l10n.t("not yet reviewed in Codex")]
      : []),
    ...(status.basis === "read" ? [vscode.l10n.t("experimental")] : []),
  ];
}

/** Shows the exact difference and writes it where a person agrees. Rejects where it cannot be planned or written. */
export async function changeAgent(
  agent: OutsideAgent,
  to: AgentChange["to"],
  deps: GovernAgentsDeps,
): Promise<void> {
  const { title } = agentDoors[agent];
  const planned = await planChange(agent, to, places());
  if (!planned.ok) throw new Error(planned.message);
  if (planned.change.files.length === 0) {
    const text = vscode.l10n.t(
      "{0} is governed already. Choose it under “Agents outside the editor” to stop that.",
      title,
    );
    void vscode.window.showInformationMessage(text);
    return;
  }
  const question =
    to === "install"
      ? vscode.l10n.t("Govern {0} with Countersign?", title)
      : vscode.l10n.t("Stop governing {0}?", title);
  if (!(await confirmChange({ title: question, lines: planned.change.diff }))) return;
  await applyChange(planned.change, places());
  deps.log.info(`${title}: ${to}ed by a person`);
  deps.onChange(planned.change);
  void vscode.window.showInformationMessage(afterwards(agent, to));
}

/** Codex asks its user to review every hook; nobody else may answer that. */
function afterwards(agent: OutsideAgent, to: AgentChange["to"]): string {
  const { title } = agentDoors[agent];
  if (to === "uninstall") return vscode.l10n.t("{0} is no longer governed.", title);
  return agent === "codex"
    ? vscode.l10n.t(
        "Codex runs a hook only once you have reviewed it: start codex, type /hooks, and trust the entries of Countersign.",
      )
    : vscode.l10n.t("{0} is governed from its next session on.", title);
}
