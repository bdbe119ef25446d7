/** The tree view "Coverage" and what a person can do in it. Every change asks in a dialog of its own; nothing here governs or loosens. */
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { type CoverageRow, notGoverned, type SwitchedOff } from "../core/coverage";
import { messageOf } from "../core/errors";
import { type AgentChange, type OutsideAgent, outsideAgents } from "../node/agentSettings";
import { newProbe, pluginLine, runProbe } from "../node/coverageProbe";
import { hookProgram } from "../node/launcherFiles";
import type { Log } from "../ports";
import type { Coverage } from "./coverage";
import { childrenOf, itemOf, type Node, OPEN_LIMITS, OPEN_SWITCH, rootsOf } from "./coverageTree";
import { changeAgent, type GovernAgentsDeps } from "./governAgents";
import { ACKNOWLEDGE } from "./hookSourceWatch";
import { openFolders } from "./openFolders";

export const COVERAGE_VIEW = "countersign.coverage";

export interface CoverageViewDeps extends GovernAgentsDeps {
  readonly coverage: Coverage;
  readonly log: Log;
  /** Told when the rows say something new. */
  readonly onRows: (listener: () => void) => vscode.Disposable;
  /** Told of each request that the broker gets. */
  readonly onRequest: (listener: (payload: string) => void) => vscode.Disposable;
}

/** Many calls in a row paint once. */
const PAINT_MS = 250;
/** "2 min. ago" grows old by itself. */
const AGE_MS = 30_000;

export function registerCoverageView(context: vscode.ExtensionContext, deps: CoverageViewDeps): void {
  const { coverage } = deps;
  const painted = new vscode.EventEmitter<undefined>();
  const view = vscode.window.createTreeView<Node>(COVERAGE_VIEW, {
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: painted.event,
      getTreeItem: (node) => itemOf(node, coverage.words()),
      getChildren: (node) => [
        ...(node === undefined ? rootsOf(coverage.rows()) : childrenOf(node, coverage.words())),
      ],
    },
  });
  let soon: NodeJS.Timeout | undefined;
  function paint(): void {
    badge(view, coverage);
    if (!view.visible) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      painted.fire(undefined);
    }, PAINT_MS);
  }
  const aging = setInterval(paint, AGE_MS);
  aging.unref();
  context.subscriptions.push(
    view,
    painted,
    deps.onRows(paint),
    view.onDidChangeVisibility(({ visible }) => {
      if (visible) void coverage.refresh();
    }),
    {
      dispose() {
        clearInterval(aging);
        clearTimeout(soon);
      },
    },
  );
  registerActions(context, deps);
}

function badge(view: vscode.TreeView<Node>, coverage: Coverage): void {
  const off = notGoverned(coverage.rows());
  const tooltip = coverage.alarm()?.short;
  if (view.badge?.value === off.length && view.badge.tooltip === tooltip) return;
  view.badge = tooltip === undefined ? undefined : { value: off.length, tooltip };
}

function registerActions(context: vscode.ExtensionContext, deps: CoverageViewDeps): void {
  const rowOf = (node: unknown): CoverageRow | undefined => {
    const { id } = isRowNode(node) ? node.row : { id: undefined };
    // The row as it is now, not as it was painted.
    return deps.coverage.rows().find((row) => row.id === id);
  };
  const actions: Readonly<Record<string, (argument: unknown) => Promise<unknown>>> = {
    "countersign.coverage.show": async () => vscode.commands.executeCommand(`${COVERAGE_VIEW}.focus`),
    "countersign.coverage.refresh": () => deps.coverage.refresh(),
    "countersign.coverage.govern": async (node) => govern(rowOf(node), "install", deps),
    "countersign.coverage.stop": async (node) => govern(rowOf(node), "uninstall", deps),
    "countersign.coverage.acknowledge": async () => vscode.commands.executeCommand(ACKNOWLEDGE),
    "countersign.coverage.verify": async (node) => verify(rowOf(node), context, deps),
    [OPEN_SWITCH]: async (argument) => openSwitch(isSwitch(argument) ? argument : rowOf(argument)?.off[0]),
    [OPEN_LIMITS]: async () =>
      vscode.commands.executeCommand(
        "markdown.showPreview",
        vscode.Uri.joinPath(context.extensionUri, "docs", "agents.md").with({ fragment: "known-limits" }),
      ),
  };
  for (const [id, run] of Object.entries(actions)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(id, (argument: unknown) =>
        run(argument).catch((error: unknown) => {
          deps.log.error(`${id}: ${messageOf(error)}`);
          void vscode.window.showErrorMessage(messageOf(error));
        }),
      ),
    );
  }
}

function isRowNode(node: unknown): node is Extract<Node, { kind: "row" }> {
  return typeof node === "object" && node !== null && "kind" in node && node.kind === "row" && "row" in node;
}

function isSwitch(value: unknown): value is SwitchedOff {
  return typeof value === "object" && value !== null && "key" in value && typeof value.key === "string";
}

const isOutside = (id: string): id is OutsideAgent => outsideAgents.some((agent) => agent === id);

/** Without a row, as from the command palette, the list of all agents. */
async function govern(
  row: CoverageRow | undefined,
  to: AgentChange["to"],
  deps: CoverageViewDeps,
): Promise<void> {
  if (row?.id === "mcp") await vscode.commands.executeCommand("countersign.governMcpServers");
  else if (row === undefined || !isOutside(row.id))
    await vscode.commands.executeCommand("countersign.governAgents");
  else await changeAgent(row.id, to, deps);
  await deps.coverage.refresh();
}

/** The file at the line of the switch; where only the editor knows the place, the settings page. */
async function openSwitch(off: SwitchedOff | undefined): Promise<void> {
  if (off === undefined) return;
  if (off.file === undefined) {
    await vscode.commands.executeCommand("workbench.action.openSettings", off.key);
    return;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(off.file));
  const text = document.getText();
  const whole = text.indexOf(off.key);
  const at = whole >= 0 ? whole : text.indexOf(off.key.split(".").at(-1) ?? off.key);
  const start = document.positionAt(Math.max(0, at));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
}

/** Starts the hook as the agent would, with a call that no door can read: it must be denied, and this window must have heard of it. */
async function verify(
  row: CoverageRow | undefined,
  context: vscode.ExtensionContext,
  deps: CoverageViewDeps,
): Promise<void> {
  if (row === undefined) return;
  const probe = newProbe(randomUUID());
  let heard = false;
  const listening = deps.onRequest((payload) => {
    heard ||= payload.includes(probe.id);
  });
  try {
    const line = isOutside(row.id)
      ? { program: hookProgram(homedir()), args: [row.id, "pre"] }
      : await pluginLine(context.asAbsolutePath("dist/agent-plugin"));
    const answer = await runProbe(line, probe, openFolders()[0] ?? homedir());
    deps.log.info(`${row.id}: a call that cannot be read was ${answer.kind}, heard here: ${heard}`);
    if (answer.kind === "denied" && heard)
      void vscode.window.showInformationMessage(
        vscode.l10n.t(
          "{0}: the hook reaches this window, and what it cannot read is denied ({1} ms).",
          row.title,
          answer.ms,
        ),
      );
    else if (answer.kind === "denied")
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          "{0}: the hook denies, but this window did not hear of it. Reload the window.",
          row.title,
        ),
      );
    else
      void vscode.window.showErrorMessage(
        vscode.l10n.t(
          "{0}: the hook does not work: {1}",
          row.title,
          answer.kind === "failed" ? answer.why : answer.said,
        ),
      );
  } finally {
    listening.dispose();
    await deps.coverage.refresh();
  }
}
