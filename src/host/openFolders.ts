/** The window's folders on a file system. */
import * as vscode from "vscode";

/** Absolute paths, in the window's order. */
export function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => folder.uri.fsPath);
}
