/** Mistakes in `gateway-hooks.toml` and `.json` as one types, with a quick fix where the right word is known. Changes nothing by itself. */
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { messageOf, type Problem, type Result } from "../core/errors";
import { parseConfig } from "../core/rules/parse";
import type { ConfigFile } from "../core/rules/schema";
import { CONFIG_JSON, CONFIG_TOML } from "../node/configFiles";
import { withHandlerProblems } from "../node/handlers/brokenFile";
import { stderrLog } from "../node/ports";
import { reachOfLayer } from "../node/ruleSource";
import type { Log } from "../ports";
import type { ConfigWatch } from "./configWatch";

const SOURCE = "countersign";
const DEBOUNCE_MS = 200;
export const CONFIG_SELECTOR: vscode.DocumentSelector = [
  { scheme: "file", pattern: `**/${CONFIG_TOML}` },
  { scheme: "file", pattern: `**/${CONFIG_JSON}` },
];

interface Fix {
  readonly diagnostic: vscode.Diagnostic;
  /** What stands at the diagnostic's range afterwards. */
  readonly text: string;
}

export interface ConfigDiagnosticsDeps {
  readonly watch: Pick<ConfigWatch, "current" | "onDidChange">;
  readonly log: Log;
}

export function registerConfigDiagnostics(
  context: vscode.ExtensionContext,
  { watch, log }: ConfigDiagnosticsDeps,
): void {
  const diagnostics = vscode.languages.createDiagnosticCollection(SOURCE);
  const known = new Map<string, readonly Fix[]>();
  const timers = new Map<string, NodeJS.Timeout>();

  const show = (document: vscode.TextDocument, problems: readonly Problem[]) => {
    const found = problems.map((problem) => ({ problem, diagnostic: diagnosticOf(problem) }));
    diagnostics.set(
      document.uri,
      found.map(({ diagnostic }) => diagnostic),
    );
    const fixes = found.flatMap(({ problem, diagnostic }) =>
      problem.replacement === undefined ? [] : [{ diagnostic, text: problem.replacement }],
    );
    known.set(document.uri.toString(), fixes);
  };
  const check = async (document: vscode.TextDocument): Promise<void> => {
    if (document.isClosed) return;
    const { version } = document;
    const found = problemsOf(document, watch);
    const { problems } = found;
    show(document, problems);
    if (!vscode.workspace.isTrusted) return;
    const unbuilt = await unbuiltIn(document, found);
    if (unbuilt.length > problems.length && !document.isClosed && document.version === version)
      show(document, unbuilt);
  };
  const checkNow = (document: vscode.TextDocument): void => {
    check(document).catch((error: unknown) => log.error(messageOf(error)));
  };
  const soon = (document: vscode.TextDocument) => {
    if (!isConfig(document)) return;
    const key = document.uri.toString();
    clearTimeout(timers.get(key));
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key);
        checkNow(document);
      }, DEBOUNCE_MS),
    );
  };
  const checkOpen = () => {
    for (const document of vscode.workspace.textDocuments) if (isConfig(document)) checkNow(document);
  };

  context.subscriptions.push(
    diagnostics,
    {
      dispose: () => {
        for (const timer of timers.values()) clearTimeout(timer);
      },
    },
    vscode.workspace.onDidOpenTextDocument((document) => isConfig(document) && checkNow(document)),
    vscode.workspace.onDidChangeTextDocument((event) => soon(event.document)),
    vscode.workspace.onDidCloseTextDocument((document) => {
      diagnostics.delete(document.uri);
      known.delete(document.uri.toString());
    }),
    watch.onDidChange(checkOpen),
    vscode.languages.registerCodeActionsProvider(
      CONFIG_SELECTOR,
      {
        provideCodeActions: (document, _range, { diagnostics: given }) =>
          actionsFor(document, given, known.get(document.uri.toString()) ?? []),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  checkOpen();
}

export function isConfig(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" && [CONFIG_TOML, CONFIG_JSON].includes(basename(document.uri.fsPath));
}

/** What is wrong with the text as typed, and what the last look at the files on disk said about this file as a whole. */
function problemsOf(
  document: vscode.TextDocument,
  watch: ConfigDiagnosticsDeps["watch"],
): { readonly problems: readonly Problem[]; readonly parsed?: ConfigFile } {
  const parsed = parseDocument(document);
  const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri.fsPath;
  // A file of this name in another folder is not the workspace's configuration.
  const own = root !== undefined && dirname(document.uri.fsPath) === root;
  const known = !own ? [] : (watch.current(root)?.problems ?? []);
  const ofFile = known.filter(({ code }) => code === "config.doubled" || code === "config.waiting");
  return parsed.ok
    ? { problems: ofFile, parsed: parsed.value }
    : { problems: [...parsed.problems, ...ofFile.filter(({ code }) => code === "config.doubled")] };
}

export function parseDocument(document: vscode.TextDocument): Result<ConfigFile> {
  const file = document.uri.fsPath;
  return parseConfig({ text: document.getText(), file, format: file.endsWith(".json") ? "json" : "toml" });
}

/** And scripts, modules and variables that the rules name and that are not there. Looks at files, runs none of them. */
async function unbuiltIn(
  document: vscode.TextDocument,
  { problems, parsed }: ReturnType<typeof problemsOf>,
): Promise<readonly Problem[]> {
  const file = document.uri.fsPath;
  const [root, text] = [dirname(file), document.getText()];
  if (parsed === undefined) {
    const format = file.endsWith(".json") ? "json" : "toml";
    const where = { folder: root, env: process.env, log: stderrLog };
    return withHandlerProblems(problems, { text, file, format }, where);
  }
  const found = await reachOfLayer(parsed, { root, file, text, env: process.env });
  return found.kind === "broken" ? [...problems, ...found.problems] : problems;
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

/** The editor may hand back a copy of a diagnostic, so it is known again by its place and text. */
function actionsFor(
  document: vscode.TextDocument,
  given: readonly vscode.Diagnostic[],
  known: readonly Fix[],
): vscode.CodeAction[] {
  return given.flatMap((diagnostic) => {
    const fix = known.find(
      (f) => f.diagnostic.message === diagnostic.message && f.diagnostic.range.isEqual(diagnostic.range),
    );
    if (fix === undefined) return [];
    const title = vscode.l10n.t("Change to {0}", fix.text);
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, diagnostic.range, fix.text);
    action.diagnostics = [diagnostic];
    action.isPreferred = true;
    return [action];
  });
}
