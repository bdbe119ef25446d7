/** "Install Card…": from a registry or a folder into an open workspace folder. Installs code, and runs and trusts none of it. */
import { homedir } from "node:os";
import * as vscode from "vscode";
import { type CardSpec, parseCardSpec } from "../core/cards/cardVersion";
import { nameCard } from "../node/cards/configOnDisk";
import { installCard, type Origin } from "../node/cards/installCard";
import { realOf } from "../node/dataFolder";
import { pickFolder, TRUST_CARD } from "./cardsPlace";

export async function installCardCommand(reload: (root: string) => Promise<void>): Promise<void> {
  if (!vscode.workspace.isTrusted)
    throw new Error(vscode.l10n.t("This workspace is not trusted, so no policies run in it."));
  const folder = await pickFolder();
  if (folder === undefined) return;
  const spec = await askSpec();
  if (spec === undefined) return;
  const root = await realOf(folder.uri.fsPath);
  const origin = await askOrigin(root);
  if (origin === undefined) return;
  const { id } = spec.card;
  const done = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t("Installing {0}", id) },
    () => installCard(spec, { root, origin, lower: "refuse" }),
  );
  if (!done.ok) throw new Error(`${id}: ${done.why}`);
  const named = await nameCard(root, id, "named");
  if (named.kind === "by hand")
    void vscode.window.showWarningMessage(
      vscode.l10n.t("Add {0} to cards in [policies] of gateway-hooks.toml yourself: {1}", id, named.why),
    );
  await reload(root);
  const { version, policies } = done.value;
  const trust = vscode.l10n.t("Look at it and trust…");
  const said = vscode.l10n.t(
    "{0} {1} is installed. Its policies do nothing until you trust them.",
    id,
    version,
  );
  if (policies.length === 0)
    void vscode.window.showInformationMessage(vscode.l10n.t("{0} {1} is installed.", id, version));
  else if ((await vscode.window.showInformationMessage(said, trust)) === trust)
    await vscode.commands.executeCommand(TRUST_CARD);
}

async function askSpec(): Promise<CardSpec | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Which card?"),
    placeHolder: "@acme/backend@^1.0.0",
    prompt: vscode.l10n.t("@handle/name, and perhaps @ and a range of versions"),
    ignoreFocusOut: true,
    validateInput: (value) =>
      parseCardSpec(value.trim()) === undefined
        ? vscode.l10n.t("@handle/name, and perhaps @ and a range of versions")
        : undefined,
  });
  return text === undefined ? undefined : parseCardSpec(text.trim());
}

async function askOrigin(root: string): Promise<Origin | undefined> {
  const registry = vscode.l10n.t("From the registry of your npm program");
  const folder = vscode.l10n.t("From a folder…");
  const picked = await vscode.window.showQuickPick([registry, folder], {
    title: vscode.l10n.t("Where does the card come from?"),
  });
  if (picked === undefined) return undefined;
  // Not in the workspace: its .npmrc is a file that an agent may write.
  if (picked === registry) return { kind: "registry", npm: { env: process.env, cwd: homedir() } };
  const [chosen] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      defaultUri: vscode.Uri.file(root),
    })) ?? [];
  return chosen === undefined ? undefined : { kind: "folder", folder: chosen.fsPath };
}
