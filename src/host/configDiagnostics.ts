/** Mistakes in `gateway-hooks.toml` and `.json` as one types, with a quick fix where the right word is known. Changes nothing by itself. */
import { basename } from "node:path";
import * as vscode from "vscode";
import type { Problem } from "../core/errors";
import { parseConfig } from "../core/rules/parse";
import { CONFIG_JSON, CONFIG_TOML } from "../node/configFiles";
import type { ConfigWatch } from "./configWatch";

const SOURCE = "countersign";
const DEBOUNCE_MS = 200;
const SELECTOR: vscode.DocumentSelector = [
  { scheme: "file", pattern: `**/${CONFIG_TOML}` },
  { scheme: "file", pattern: `**/${CONFIG_JSON}` },
];

export interface ConfigDiagnosticsDeps {
  readonly watch: Pick<ConfigWatch, "current" | "onDidChange">;
}

export function registerConfigDiagnostics(
  context: vscode.ExtensionContext,
  { watch }: ConfigDiagnosticsDeps,
): void {
  const diagnostics = vscode.languages.createDiagnosticCollection(SOURCE);
  const replacements = new WeakMap<vscode.Diagnostic, string>();
  const timers = new Map<string, NodeJS.Timeout>();

  const check = (document: vscode.TextDocument) => {
    if (document.isClosed) return;
    const found = problemsOf(document, watch).map((problem) => {
      const diagnostic = diagnosticOf(problem);
      if (problem.replacement !== undefined) replacements.set(diagnostic, problem.replacement);
      return diagnostic;
    });
    diagnostics.set(document.uri, found);
  };
  const soon = (document: vscode.TextDocument) => {
    if (!isConfig(document)) return;
    const key = document.uri.toString();
    clearTimeout(timers.get(key));
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key);
        check(document);
      }, DEBOUNCE_MS),
    );
  };
  const checkOpen = () => {
    for (const document of vscode.workspace.textDocuments) if (isConfig(document)) check(document);
  };

  context.subscriptions.push(
    diagnostics,
    { dispose: () => timers.forEach((timer) => clearTimeout(timer)) },
    vscode.workspace.onDidOpenTextDocument((document) => isConfig(document) && check(document)),
    vscode.workspace.onDidChangeTextDocument((event) => soon(event.document)),
    vscode.workspace.onDidCloseTextDocument((document) => diagnostics.delete(document.uri)),
    watch.onDidChange(checkOpen),
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      {
        provideCodeActions: (document, _range, { diagnostics: given }) =>
          fixes(document, given, replacements),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  checkOpen();
}

function isConfig(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" && [CONFIG_TOML, CONFIG_JSON].includes(basename(document.uri.fsPath));
}

/** What is wrong with the text as typed, and what the last look at the files on disk said about this file as a whole. */
function problemsOf(
  document: vscode.TextDocument,
  watch: ConfigDiagnosticsDeps["watch"],
): readonly Problem[] {
  const file = document.uri.fsPath;
  const format = file.endsWith(".json") ? "json" : "toml";
  const parsed = parseConfig({ text: document.getText(), file, format });
  const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  const known = root === undefined ? [] : (watch.current(root)?.problems ?? []);
  const ofFile = known.filter(({ code }) => code === "config.doubled" || code === "config.waiting");
  return parsed.ok ? ofFile : [...parsed.problems, ...ofFile.filter(({ code }) => code === "config.doubled")];
}

function diagnosticOf(problem: Problem): vscode.Diagnostic {
  const { line, column, endLine = line, endColumn = column + 1, code, message, suggestion } = problem;
  const range = new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
  const text = suggestion === undefined ? message : `${message} (${suggestion})`;
  const severity =
    code === "config.waiting" ? vscode.DiagnosticSeverity.Warning : vscode.DiagnosticSeverity.Error;
  const diagnostic = new vscode.Diagnostic(range, text, severity);
  diagnostic.source = SOURCE;
  diagnostic.code = code;
  return diagnostic;
}

function fixes(
  document: vscode.TextDocument,
  given: readonly vscode.Diagnostic[],
  replacements: WeakMap<vscode.Diagnostic, string>,
): vscode.CodeAction[] {
  const own = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === SOURCE);
  return given.flatMap((diagnostic) => {
    // The editor may hand back a copy; the one that was set holds the replacement.
    const set = own.find((d) => d.range.isEqual(diagnostic.range) && d.message === diagnostic.message);
    const text = replacements.get(diagnostic) ?? (set === undefined ? undefined : replacements.get(set));
    if (text === undefined) return [];
    const action = new vscode.CodeAction(
      vscode.l10n.t("Change to {0}", text),
      vscode.CodeActionKind.QuickFix,
    );
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, diagnostic.range, text);
    action.diagnostics = [diagnostic];
    action.isPreferred = true;
    return [action];
  });
}
