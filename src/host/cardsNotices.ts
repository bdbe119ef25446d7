/** Looks at the cards again when their lock or anything else changed, and tells a person once of each that waits for trust or lost it. Changes nothing. */
import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import type { CardIssue } from "../core/policies/types";
import { visibleLine } from "../core/visible";
import type { CardsDeps } from "./cards";
import { TRUST_CARD } from "./cardsPlace";

/** An installation is under way for a moment, and what is missing then comes. */
const SETTLE_MS = 2000;

export function cardNotices({ workspaces, onChange, log }: CardsDeps): vscode.Disposable {
  const told = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    timer = undefined;
    for (const workspace of workspaces.all()) {
      if (workspace.resolved().config.policies.cards.length === 0) continue;
      await workspace.chain();
      const { issues, broken } = workspace.policies();
      for (const issue of issues) {
        const key = JSON.stringify([workspace.root, issue.card, issue.code, issue.message]);
        if (told.has(key)) continue;
        told.add(key);
        const stops = broken.some((one) => one.card === issue.card && one.code === issue.code);
        void tell(issue, stops ? "stops calls" : "waits");
      }
    }
  };
  const soon = (): void => {
    timer ??= setTimeout(() => {
      look().catch((error: unknown) => log.error(messageOf(error)));
    }, SETTLE_MS);
  };
  const locks = vscode.workspace.createFileSystemWatcher("**/card.lock");
  return vscode.Disposable.from(
    locks,
    locks.onDidChange(soon),
    locks.onDidCreate(soon),
    locks.onDidDelete(soon),
    onChange(soon),
    { dispose: () => clearTimeout(timer) },
  );
}

async function tell(issue: CardIssue, effect: "stops calls" | "waits"): Promise<void> {
  const look = vscode.l10n.t("Trust Card…");
  const text = vscode.l10n.t("{0}: {1}", issue.card, visibleLine(issue.message));
  const answer =
    effect === "stops calls"
      ? await vscode.window.showErrorMessage(
          vscode.l10n.t("{0}. Until that is mended only reads run.", text),
          look,
        )
      : await vscode.window.showWarningMessage(text, look);
  if (answer === look) await vscode.commands.executeCommand(TRUST_CARD);
}
