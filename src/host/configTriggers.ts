/** All that can make another configuration be in force: files, settings, folders, trust, the window's focus. Reads none of them. */
import * as vscode from "vscode";

export const localFolders = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");

export interface ConfigTriggers {
  /** Files may say something else now. */
  readonly refresh: () => void;
  /** Settings, folders or trust may be others now; a refresh follows. */
  readonly settle: () => void;
}

export function configTriggers({ refresh, settle }: ConfigTriggers): readonly vscode.Disposable[] {
  const settled = () => {
    settle();
    refresh();
  };
  let watchers = watchFolders(refresh);
  const rewatch = () => {
    watchers.dispose();
    watchers = watchFolders(refresh);
    settled();
  };
  return [
    { dispose: () => watchers.dispose() },
    vscode.workspace.onDidChangeWorkspaceFolders(rewatch),
    vscode.workspace.onDidGrantWorkspaceTrust(settled),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("countersign")) settled();
    }),
    vscode.window.onDidChangeWindowState((state) => {
      if (state.focused) refresh();
    }),
  ];
}

function watchFolders(refresh: () => void): vscode.Disposable {
  const watchers = localFolders().map((folder) => {
    const pattern = new vscode.RelativePattern(folder, "gateway-hooks.{toml,json}");
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    watcher.onDidChange(refresh);
    watcher.onDidCreate(refresh);
    watcher.onDidDelete(refresh);
    return watcher;
  });
  return vscode.Disposable.from(...watchers);
}
