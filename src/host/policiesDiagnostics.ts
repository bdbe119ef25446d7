/** What doctor finds in cards that somebody writes, at its place with how to mend it; and the fix that makes an observer enforce. Runs no policy. */
import { join } from "node:path";
import * as vscode from "vscode";
import { messageOf } from "../core/errors";
import type { CardIssue } from "../core/policies/types";
import { policyTokens } from "../node/cards/policyTokens";
import { diagnoseSource } from "../node/cards/sourceDoctor";
import type { Log } from "../ports";
import { type OpenSource, POLICY_SELECTOR, sourceAround } from "./policiesSources";

const LOOKED_AT = /[\\/](?:card\.json|hooks[\\/].+\.(?:ts|mts|cts|js|json)|SKILL\.md)$/u;

export function registerPolicyDiagnostics(
  context: vscode.ExtensionContext,
  { log }: { readonly log: Log },
): void {
  const diagnostics = vscode.languages.createDiagnosticCollection("countersign-cards");
  /** Card folder → files that have diagnostics. */
  const shown = new Map<string, readonly vscode.Uri[]>();
  const look = async (document: vscode.TextDocument): Promise<void> => {
    if (document.uri.scheme !== "file" || !LOOKED_AT.test(document.uri.fsPath)) return;
    const source = await sourceAround(document.uri);
    if (source === undefined) return;
    const found = await diagnosticsOf(source);
    for (const uri of shown.get(source.folder) ?? []) diagnostics.delete(uri);
    for (const [uri, list] of found) diagnostics.set(uri, list);
    shown.set(
      source.folder,
      found.map(([uri]) => uri),
    );
  };
  const lookNow = (document: vscode.TextDocument): void => {
    look(document).catch((error: unknown) => log.error(messageOf(error)));
  };
  context.subscriptions.push(
    diagnostics,
    vscode.workspace.onDidOpenTextDocument(lookNow),
    vscode.workspace.onDidSaveTextDocument(lookNow),
    vscode.languages.registerCodeActionsProvider(
      POLICY_SELECTOR,
      { provideCodeActions: switchKind },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  for (const document of vscode.workspace.textDocuments) lookNow(document);
}

async function diagnosticsOf({
  folder,
  card,
}: OpenSource): Promise<readonly [vscode.Uri, vscode.Diagnostic[]][]> {
  const { issues } = await diagnoseSource(folder, card);
  const files = new Map<string, vscode.Diagnostic[]>();
  for (const issue of issues) {
    const file = join(folder, issue.file ?? "card.json");
    files.set(file, [...(files.get(file) ?? []), diagnosticOf(issue)]);
  }
  return [...files].map(([file, list]) => [vscode.Uri.file(file), list]);
}

function diagnosticOf({ line = 1, column = 1, message, mend, code, severity }: CardIssue): vscode.Diagnostic {
  // The editor widens an empty range to the word that stands there.
  const range = new vscode.Range(line - 1, column - 1, line - 1, column - 1);
  const level = severity === "error" ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
  const diagnostic = new vscode.Diagnostic(range, `${message}. ${mend}`, level);
  diagnostic.source = "countersign";
  diagnostic.code = code;
  return diagnostic;
}

/** On the value of `policyKind`: the other kind. */
async function switchKind(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction[]> {
  const read = await policyTokens(document.getText());
  if (!read.ok) return [];
  const { tokens } = read;
  return tokens.flatMap((token, index): vscode.CodeAction[] => {
    const [colon, value] = [tokens[index + 1], tokens[index + 2]];
    if (token.text !== "policyKind" || colon?.text !== ":" || value?.kind !== "string") return [];
    const [from, to] = [
      document.positionAt(token.start),
      document.positionAt(value.start + value.text.length),
    ];
    if (range.intersection(new vscode.Range(from, to)) === undefined) return [];
    const quote = value.text.slice(0, 1);
    const enforce = value.text.slice(1, -1) !== "enforcement";
    const title = enforce
      ? vscode.l10n.t("Switch to enforcement: let this policy block calls")
      : vscode.l10n.t("Switch back to observer: let this policy block nothing");
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    const text = `${quote}${enforce ? "enforcement" : "observer"}${quote}`;
    action.edit.replace(document.uri, new vscode.Range(document.positionAt(value.start), to), text);
    action.isPreferred = enforce;
    return [action];
  });
}
