/** Tells a person that a rule does not accept what an agent handed in. Changes nothing: the answer stands in the chat already. */
import * as vscode from "vscode";
import type { RuleDenial } from "../core/hookRules/ruleRun";
import { visibleLine } from "../core/visible";

const MAX_REASON = 300;

export function tellRunRefused(_run: unknown, { by, reason }: Pick<RuleDenial, "by" | "reason">): void {
  const show = vscode.l10n.t("Show the audit log");
  const text = vscode.l10n.t(
    "The rule {0} does not accept what the agent handed in: {1}",
    plain(by),
    plain(reason),
  );
  vscode.window.showWarningMessage(text, show).then(
    (answer) => {
      if (answer === show) void vscode.commands.executeCommand("countersign.openAuditPanel");
    },
    () => undefined,
  );
}

/** A notice makes links of `[text](address)`, and a reason may repeat what an agent wrote. */
function plain(text: string): string {
  const line = visibleLine(text).replaceAll("](", "] (");
  return line.length <= MAX_REASON ? line : `${line.slice(0, MAX_REASON)}…`;
}
