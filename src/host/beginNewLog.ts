/** "Begin a New Audit Log": for a log that was lost, and for one whose key is not held here. Only the return value of the dialog counts. */
import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import type { CommandDeps } from "./commands";
import type { Workspace } from "./workspaces";

const COMMAND = "countersign.beginNewLog";

export function registerBeginNewLog(
  context: vscode.ExtensionContext,
  deps: Pick<CommandDeps, "workspaces" | "log" | "onSwitch" | "onChange">,
): void {
  const begin = async (): Promise<void> => {
    const all = deps.workspaces.all();
    const lost = all.filter((workspace) => workspace.audit.state().place !== "file");
    const keyless = all.filter((workspace) => isKeyless(workspace) && !lost.includes(workspace));
    const chosen = lost.length > 0 ? lost : keyless;
    if (chosen.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("No audit log is missing, and each can be signed here."),
      );
      return;
    }
    if (!(await agreed(lost.length > 0 ? lostDetail(lost) : keylessDetail()))) return;
    for (const workspace of chosen) {
      workspace.audit.beginAnew();
      deps.onSwitch({ what: "new_log", to: "begun" }, workspace.root);
    }
    deps.onChange();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand(COMMAND, () =>
      begin().catch((error: unknown) => {
        deps.log.error(`${COMMAND}: ${messageOf(error)}`);
        void vscode.window.showErrorMessage(messageOf(error));
      }),
    ),
  );
}

/** Tells that approvals are not signed here, and opens the dialog where the person wants a new log. */
export function offerNewLog(why: string): void {
  const begin = vscode.l10n.t("Begin a new log…");
  const text = vscode.l10n.t("Countersign records approvals without a signature: {0}", why);
  vscode.window.showWarningMessage(text, begin).then(
    (answer) => (answer === begin ? vscode.commands.executeCommand(COMMAND) : undefined),
    () => undefined,
  );
}

function isKeyless({ audit }: Workspace): boolean {
  return audit.keyTrouble()?.kind === "not held";
}

function lostDetail(lost: readonly Workspace[]): string {
  const problem = lost[0]?.audit.state().problem ?? "";
  return vscode.l10n.t("{0}\nThe new log's first record says what was lost.", problem);
}

function keylessDetail(): string {
  return vscode.l10n.t(
    "The key of this audit log is not held on this machine: it was made on another one, or the secret storage was emptied. Until a new log begins, approvals carry no signature, and a verification calls them unattested.\nThe old files stay under other names and can still be verified with their public key; the new log's first record names them.",
  );
}

async function agreed(detail: string): Promise<boolean> {
  const go = vscode.l10n.t("Begin a new log");
  const cancel = vscode.l10n.t("Cancel");
  const text = vscode.l10n.t("Begin a new audit log?");
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, cancel, go)) === go;
}
