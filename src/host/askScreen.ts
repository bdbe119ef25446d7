/** What the `Ask` port needs of VS Code: the native dialog, and the choices behind "More…". Knows nothing of when they are shown. */
import * as vscode from "vscode";
import { consentSentences } from "../core/askText";
import { visibleLine } from "../core/visible";
import type { AskRequest } from "../ports";
import type { MoreAnswer, ShowModal } from "./askModal";
import { translate } from "./auditPanel";

export const showModal: ShowModal = (title, options, ...buttons) =>
  vscode.window.showWarningMessage(title, options, ...buttons);

/** "Deny with a message…" and "Deny all and pause this agent"; undefined when the person goes back. */
export async function askMore(request: AskRequest, signal: AbortSignal): Promise<MoreAnswer> {
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const sentence = vscode.l10n.t("Deny with a message…");
    const pause = vscode.l10n.t("Deny all and pause this agent");
    const picked = await vscode.window.showQuickPick(
      [
        { label: sentence, detail: vscode.l10n.t("The agent is told what you write.") },
        {
          label: pause,
          detail: vscode.l10n.t("Everything this agent asks for is denied until you let it go on."),
        },
      ],
      {
        title: visibleLine(request.prompt),
        placeHolder: vscode.l10n.t("Escape goes back to the question"),
        ignoreFocusOut: true,
      },
      source.token,
    );
    if (picked?.label === pause) return { kind: "pause" };
    if (picked?.label !== sentence) return undefined;
    const written = await vscode.window.showInputBox(
      {
        title: sentence,
        prompt: vscode.l10n.t("What shall the agent do instead?"),
        placeHolder: consentSentences(translate).cancel,
        ignoreFocusOut: true,
      },
      source.token,
    );
    if (written === undefined) return undefined;
    return { kind: "sentence", sentence: written.trim() };
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}
