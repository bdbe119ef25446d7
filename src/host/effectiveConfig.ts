/** "Show Effective Configuration": each value in force with its origin, as a read-only document. Decides nothing. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { formatProblem } from "../core/errors";
import { listEffective } from "../core/rules/effectiveDiff";
import type { Resolved } from "../node/resolveWorkspace";
import type { ConfigWatch } from "./configWatch";

const SCHEME = "countersign-config";
const ADDRESS = vscode.Uri.from({ scheme: SCHEME, path: "/effective-configuration.toml" });

export function registerEffectiveConfig(
  context: vscode.ExtensionContext,
  { watch }: { readonly watch: Pick<ConfigWatch, "fresh" | "onDidChange"> },
): void {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  context.subscriptions.push(
    changed,
    watch.onDidChange(() => changed.fire(ADDRESS)),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: () => textOfAll(watch.fresh),
    }),
    vscode.commands.registerCommand("countersign.showEffectiveConfig", async () => {
      changed.fire(ADDRESS);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(ADDRESS));
    }),
  );
}

async function textOfAll(fresh: ConfigWatch["fresh"]): Promise<string> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  const roots = folders.length > 0 ? folders.map((folder) => folder.uri.fsPath) : [homedir()];
  const parts = await Promise.all(roots.map(async (root) => textOf(root, await fresh(root))));
  return `${parts.join("\n\n")}\n`;
}

function textOf(root: string, resolved: Resolved): string {
  const head = [`# ${root}`, `# ${stateText(resolved)}`];
  if (resolved.askAllButReads) head.push(`# ${vscode.l10n.t("Every call that is not a read asks.")}`);
  const waits = resolved.pending?.lines.map((line) => `# ${vscode.l10n.t("waits")}: ${line}`) ?? [];
  const problems = resolved.problems.map((problem) => `# ${formatProblem(problem)}`);
  return [...head, "", ...listEffective(resolved), ...waits, ...problems].join("\n");
}

function stateText({ state }: Resolved): string {
  switch (state) {
    case "defaults":
      return vscode.l10n.t("No workspace configuration; defaults and your settings apply.");
    case "accepted":
      return vscode.l10n.t("The workspace configuration was accepted and is in force.");
    case "tightened":
      return vscode.l10n.t("The workspace configuration only tightens and is in force.");
    case "waiting":
      return vscode.l10n.t("A changed workspace configuration waits until you accept it.");
    case "broken":
      return vscode.l10n.t("The workspace configuration cannot be read; what was in force stays in force.");
  }
}
