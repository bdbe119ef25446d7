/** "Try a call": a person picks a recorded call, and sees what the rules of the open text say of it. Runs no tool. */
import { dirname } from "node:path";
import * as vscode from "vscode";
import type { AuditRecord } from "../core/audit/record";
import { callsSeen } from "../core/audit/ruleCounts";
import type { ConfigFile } from "../core/rules/schema";
import { visibleText } from "../core/visible";
import { hooksOf, ruleSourceOf } from "../node/ruleSource";
import { triedLines, tryCall } from "../node/tryCall";
import type { RuleSource } from "../node/workspaceRules";
import type { Log } from "../ports";
import { translate } from "./auditPanel";
import { parseDocument } from "./configDiagnostics";
import type { ConfigWatch } from "./configWatch";
import type { PlacedRule } from "./rulesLens";

const MOST_CALLS = 50;

export interface TryDeps {
  readonly watch: Pick<ConfigWatch, "current">;
  readonly log: Log;
}

/** Undefined where the person went away. */
export async function tryInEditor(
  { placed, records }: { readonly placed: PlacedRule; readonly records: readonly AuditRecord[] },
  deps: TryDeps,
): Promise<readonly string[] | undefined> {
  const { document, event } = placed;
  if (event !== "pre_tool_call" && event !== "post_tool_call") return undefined;
  const parsed = parseDocument(document);
  if (!parsed.ok) {
    void vscode.window.showWarningMessage(vscode.l10n.t("Mend the mistakes in this file first."));
    return undefined;
  }
  const record = await pickCall(records);
  if (record === undefined) return undefined;
  const source = await pickSource(document, parsed.value, deps);
  if (source === undefined) return undefined;
  const run = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Trying a call"),
      cancellable: true,
    },
    (_, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return tryCall({ record, event, source, env: process.env, log: deps.log, signal: abort.signal });
    },
  );
  const redacted = (record.redactions ?? []).length > 0;
  const note = vscode.l10n.t("Secrets in the arguments are replaced, as in the log.");
  return [...triedLines(record, run, translate), ...(redacted ? ["", note] : [])];
}

async function pickCall(records: readonly AuditRecord[]): Promise<AuditRecord | undefined> {
  const calls = callsSeen(records, MOST_CALLS);
  if (calls.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No call has been recorded here yet."));
    return undefined;
  }
  const items = calls.map((record) => ({
    label: visibleText(record.tool ?? ""),
    description: visibleText(JSON.stringify(record.args ?? {})).slice(0, 200),
    detail: `${record.ts} ${record.decision ?? ""}`,
    record,
  }));
  const title = vscode.l10n.t("Which call should the rules judge? No tool runs.");
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return picked?.record;
}

/**
 * The rules as they are written here, none of whose code runs; or where the person says so the rules in force, whose
 * code they have accepted. Never code of the text that is open: it may be any file of that name.
 */
async function pickSource(
  document: vscode.TextDocument,
  written: ConfigFile,
  { watch }: TryDeps,
): Promise<RuleSource | undefined> {
  const file = document.uri.fsPath;
  const folder = dirname(file);
  const inert: RuleSource = {
    hooks: hooksOf(written),
    folder,
    file: { file, text: document.getText() },
    trust: { kind: "inert", why: vscode.l10n.t("its code was not run") },
  };
  const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  const resolved = root === undefined || root !== folder ? undefined : watch.current(root);
  const inForce = resolved?.state === "accepted" && resolved.pending === undefined && !document.isDirty;
  if (!vscode.workspace.isTrusted || !inForce || resolved.reach === undefined) return inert;
  const without = vscode.l10n.t("Without running the rules' code");
  const title = vscode.l10n.t("How should the call be tried?");
  const choices = [without, vscode.l10n.t("Run the rules' code too")];
  const picked = await vscode.window.showQuickPick(choices, { title });
  if (picked === undefined) return undefined;
  return picked === without ? inert : ruleSourceOf(resolved, folder);
}
