/** The `Log` port over VS Code's log output channel, and the command that shows it. What looks like a secret is taken out here a last time. */
import * as vscode from "vscode";
import { redactedLog } from "../core/audit/redactedLog";
import type { Log } from "../ports";

export const SHOW_LOG = "countersign.showLog";

export interface ShownLog extends Log {
  show(): void;
}

export function registerLog(context: vscode.ExtensionContext): ShownLog {
  const channel = vscode.window.createOutputChannel("Countersign", { log: true });
  const show = () => channel.show(true);
  context.subscriptions.push(channel, vscode.commands.registerCommand(SHOW_LOG, show));
  const log = redactedLog({
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
  });
  return { ...log, show };
}
