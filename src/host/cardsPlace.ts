/** What commands about cards share: their folder, and the one that trusts. */
import * as vscode from "vscode";
import { localFolders } from "./configTriggers";

/** Opens the dialog; nothing it is called with stands in for that. */
export const TRUST_CARD = "countersign.trustCard";

/** The only one, or the one that a person picks. */
export async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const [first, ...others] = localFolders();
  if (first === undefined) throw new Error(vscode.l10n.t("Open a folder first."));
  if (others.length === 0) return first;
  const items = localFolders().map((folder) => ({
    label: folder.name,
    description: folder.uri.fsPath,
    folder,
  }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("For which folder?") });
  return picked?.folder;
}
