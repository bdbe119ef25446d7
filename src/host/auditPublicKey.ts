/** "Copy Public Key of the Audit Log": what a person gives to whoever will verify the log. Changes nothing. */
import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import type { Log } from "../ports";
import { openFolders } from "./openFolders";
import type { Workspaces } from "./workspaces";

export function registerAuditPublicKey(
  context: vscode.ExtensionContext,
  deps: { readonly workspaces: Pick<Workspaces, "of">; readonly log: Log },
): void {
  const copy = async (): Promise<void> => {
    const workspace = await deps.workspaces.of(openFolders()[0]);
    const key = await workspace.audit.publicKey();
    if (key === undefined) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("This audit log has no key yet; its first record brings one."),
      );
      return;
    }
    await vscode.env.clipboard.writeText(key);
    void vscode.window.showInformationMessage(
      vscode.l10n.t("Copied. Keep it on another machine and verify with: countersign verify --vkey KEY"),
    );
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("countersign.copyAuditKey", () =>
      copy().catch((error: unknown) => {
        deps.log.error(messageOf(error));
        void vscode.window.showErrorMessage(messageOf(error));
      }),
    ),
  );
}
