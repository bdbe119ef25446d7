/** What a person looks at before they accept a configuration: the list of changes, and old beside new. Accepts nothing. */
import * as vscode from "vscode";
import type { AcceptedFile } from "../node/acceptedFiles";
import { ABSENT } from "../node/handlers/fileDigest";
import type { PendingChange } from "../node/resolveWorkspace";

export interface ConfigReview {
  readonly provider: vscode.Disposable;
  openLines(lines: readonly string[]): Promise<void>;
  /** Every file that is not as it was accepted, in one editor. */
  openDiff(pending: PendingChange, accepted: ReadonlyMap<string, AcceptedFile>): Promise<void>;
}

const SCHEME = "countersign-review";

/** Read-only documents, so that closing them asks nothing. */
export function configReview(): ConfigReview {
  const list = vscode.Uri.from({ scheme: SCHEME, path: "/configuration-changes.txt" });
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const texts = new Map<string, string>();
  const put = (uri: vscode.Uri, text: string): vscode.Uri => {
    texts.set(uri.toString(), text);
    changed.fire(uri);
    return uri;
  };
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
  });
  return {
    provider: vscode.Disposable.from(provider, changed),
    async openLines(lines) {
      put(list, `${lines.join("\n")}\n`);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(list));
    },
    async openDiff(pending, accepted) {
      const rows = changedPaths(pending, accepted).map((path): readonly vscode.Uri[] => {
        const now = vscode.Uri.file(path);
        const before = accepted.get(path)?.text ?? "";
        return [now, put(now.with({ scheme: SCHEME, query: "accepted" }), before), now];
      });
      await vscode.commands.executeCommand("vscode.changes", vscode.l10n.t("Accepted ↔ now"), rows);
    },
  };
}

/** The configuration first; a file that is not there has nothing to show. */
function changedPaths(
  { file, text, reached }: PendingChange,
  accepted: ReadonlyMap<string, AcceptedFile>,
): readonly string[] {
  const config = file !== undefined && accepted.get(file)?.text !== text ? [file] : [];
  const files = [...(reached?.files ?? [])].flatMap(([path, digest]) =>
    digest === ABSENT || accepted.get(path)?.digest === digest ? [] : [path],
  );
  return [...config, ...files];
}
