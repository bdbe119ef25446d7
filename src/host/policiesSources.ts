/** Which folders of the window are cards that somebody writes, and which of them a document belongs to. Reads names, runs nothing. */
import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import * as vscode from "vscode";
import { MANIFEST } from "../core/cards/cardManifest";
import { parseCardName } from "../core/cards/cardName";
import { DATA_FOLDER } from "../node/dataFolder";

export interface OpenSource {
  /** `@handle/name` */
  readonly card: string;
  /** Absolute. */
  readonly folder: string;
}

const MOST = 200;

export const POLICY_SELECTOR: vscode.DocumentSelector = { scheme: "file", pattern: "**/hooks/*/policy.ts" };

export async function cardSources(): Promise<readonly OpenSource[]> {
  const found = await vscode.workspace.findFiles(
    `**/${MANIFEST}`,
    `**/{node_modules,${DATA_FOLDER}}/**`,
    MOST,
  );
  const sources = await Promise.all(found.map(({ fsPath }) => sourceIn(dirname(fsPath))));
  return sources.filter((source) => source !== undefined).sort((a, b) => (a.card < b.card ? -1 : 1));
}

/** The card around a file; undefined also for what is installed, which nobody writes. */
export async function sourceAround(uri: vscode.Uri): Promise<OpenSource | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  if (uri.scheme !== "file" || root === undefined || uri.fsPath.includes(`${sep}${DATA_FOLDER}${sep}`))
    return undefined;
  for (let folder = dirname(uri.fsPath); folder.startsWith(root); folder = dirname(folder)) {
    const source = await sourceIn(folder);
    if (source !== undefined) return source;
    if (dirname(folder) === folder) break;
  }
  return undefined;
}

/** A card.json with mistakes in it is still the card's, as long as its name can be told. */
async function sourceIn(folder: string): Promise<OpenSource | undefined> {
  const text = await readFile(join(folder, MANIFEST), "utf8").catch(() => undefined);
  const name = text === undefined ? undefined : /"name"\s*:\s*"([^"\\]+)"/u.exec(text)?.[1];
  if (name === undefined || parseCardName(name) === undefined) return undefined;
  return { card: name, folder };
}
