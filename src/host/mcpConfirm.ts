/** Asks a person whether a file of an agent's configuration may be changed as shown. The dialog's return value is the only yes. */
import * as vscode from "vscode";
import { visibleText } from "../core/visible";

export interface Change {
  readonly title: string;
  /** The exact difference, line by line. */
  readonly lines: readonly string[];
}

/** A click this soon after the dialog appeared was meant for something else. */
const TOO_SOON_MS = 800;
const MAX_LINES = 10;
const MAX_CHARS = 600;

export async function confirmChange({ title, lines }: Change): Promise<boolean> {
  const shown = lines.map(visibleText);
  const whole = shown.length <= MAX_LINES && shown.join("\n").length <= MAX_CHARS;
  // First and no close affordance: the editor never makes such an item the default, and the default must not agree.
  const keep: vscode.MessageItem = { title: vscode.l10n.t("Keep as it is") };
  if (!whole) {
    const show: vscode.MessageItem = { title: vscode.l10n.t("Show the change") };
    const detail = vscode.l10n.t(
      "The change has {0} lines. They are shown in the editor first.",
      shown.length,
    );
    const answer = await vscode.window.showWarningMessage(
      visibleText(title),
      { modal: true, detail },
      keep,
      show,
    );
    if (answer !== show) return false;
    const document = await vscode.workspace.openTextDocument({ language: "diff", content: shown.join("\n") });
    await vscode.window.showTextDocument(document);
  }
  const change: vscode.MessageItem = { title: vscode.l10n.t("Change the file") };
  const text = whole
    ? shown.join("\n")
    : vscode.l10n.t("All {0} lines are listed in the editor.", shown.length);
  for (
    let note = "";
    ;
    note = `${vscode.l10n.t("Your click came too fast to count. Please choose again.")}\n`
  ) {
    const began = performance.now();
    const options = { modal: true, detail: note + text };
    const answer = await vscode.window.showWarningMessage(visibleText(title), options, keep, change);
    if (answer !== change) return false;
    if (performance.now() - began >= TOO_SOON_MS) return true;
  }
}
