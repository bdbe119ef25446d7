/** What a person is told when the configuration in force changes, breaks or waits. Accepts nothing: buttons only open what does. */
import { basename } from "node:path";
import * as vscode from "vscode";
import { formatProblem } from "../core/errors";
import type { Log } from "../ports";
import type { ConfigChanged } from "./configWatch";

export function tell({ root, resolved }: ConfigChanged, log: Log): void {
  log.info(`configuration of ${root}: ${resolved.state}`);
  for (const problem of resolved.problems) log.warn(formatProblem(problem));
  if (resolved.state === "broken") tellBroken(root);
  const { pending } = resolved;
  if (pending === undefined) return;
  const reviewButton = vscode.l10n.t("Review…");
  const text =
    pending.lines.length === 0 && pending.reached !== undefined
      ? vscode.l10n.t(
          "{0}: files that the rules run have changed; the rules deny until you accept them.",
          basename(root),
        )
      : vscode.l10n.t("{0}: a changed configuration waits for you.", basename(root));
  vscode.window.showWarningMessage(text, reviewButton).then(
    (answer) => {
      // The button opens the dialog; only the dialog accepts.
      if (answer === reviewButton) void vscode.commands.executeCommand("countersign.reviewConfig");
    },
    () => undefined,
  );
}

/** What was in force stays in force: nobody should wonder why a change has no effect. */
function tellBroken(root: string): void {
  const show = vscode.l10n.t("Show problems");
  const text = vscode.l10n.t(
    "{0}: the configuration has mistakes. What was in force before them stays in force.",
    basename(root),
  );
  vscode.window.showWarningMessage(text, show).then(
    (answer) => {
      if (answer === show) void vscode.commands.executeCommand("workbench.actions.view.problems");
    },
    () => undefined,
  );
}
