/** Tells when one of the local files changes that accepted rules run. Knows paths alone; decides nothing. */
import { basename, dirname } from "node:path";
import * as vscode from "vscode";

export interface ReachWatch extends vscode.Disposable {
  /** The files of one workspace folder, in the place of those named before. */
  set(root: string, paths: readonly string[]): void;
}

/** Each costs the system a watch; files beyond are looked at when the window gets the focus. */
const MAX_FILES = 100;
/** A save often comes as several changes. */
const SETTLE_MS = 300;

export function reachWatch(changed: () => void): ReachWatch {
  const watched = new Map<string, { readonly key: string; readonly watchers: vscode.Disposable }>();
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS);
  };
  return {
    set(root, paths) {
      const wanted = paths.slice(0, MAX_FILES);
      const key = wanted.join("\n");
      const before = watched.get(root);
      if (before?.key === key) return;
      before?.watchers.dispose();
      watched.set(root, {
        key,
        watchers: vscode.Disposable.from(...wanted.map((path) => watcherOf(path, soon))),
      });
    },
    dispose() {
      clearTimeout(timer);
      for (const { watchers } of watched.values()) watchers.dispose();
      watched.clear();
    },
  };
}

function watcherOf(path: string, soon: () => void): vscode.Disposable {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(dirname(path)), basename(path));
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  watcher.onDidChange(soon);
  watcher.onDidCreate(soon);
  watcher.onDidDelete(soon);
  return watcher;
}
