/** The folder in which somebody writes a card: found by the card's name, read without what is not packed. Changes nothing. */
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MANIFEST } from "../../core/cards/cardManifest";
import { textOf } from "../agentSettings";
import { type CardFolder, readCardFolder } from "./readCardFolder";

/** What an author keeps beside the card for their own tools; package.json is made anew for the packed card. */
const BESIDE = /^(?:node_modules|package\.json|package-lock\.json|tsconfig(?:\.[\w-]+)?\.json|[^/]*\.tgz)$/;

export const readSource = (folder: string): Promise<CardFolder> =>
  readCardFolder(folder, (path) => BESIDE.test(path) || /(?:^|\/)(?:\.[^/]*|node_modules)$/.test(path));

export type FoundSource =
  | { readonly kind: "found"; readonly folder: string }
  | { readonly kind: "missing" }
  | { readonly kind: "several"; readonly folders: readonly string[] };

const MAX_LOOKED = 2000;

/** In this folder and those around it, then two levels below it. */
export async function findSource(card: string, cwd: string): Promise<FoundSource> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if ((await nameIn(folder)) === card) return { kind: "found", folder };
    if (dirname(folder) === folder) break;
  }
  const folders: string[] = [];
  let looked = 0;
  for (const first of await foldersIn(cwd)) {
    for (const folder of [first, ...(await foldersIn(first))]) {
      if (looked++ > MAX_LOOKED) break;
      if ((await nameIn(folder)) === card) folders.push(folder);
    }
  }
  const [only, ...others] = folders;
  if (only === undefined) return { kind: "missing" };
  return others.length === 0 ? { kind: "found", folder: only } : { kind: "several", folders };
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort();
}

/** The name that a card.json gives, whatever else is wrong with it. */
async function nameIn(folder: string): Promise<string | undefined> {
  const text = await textOf(join(folder, MANIFEST)).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "name" in value ? String(value.name) : undefined;
  } catch {
    // Half-written: the only name that can still be told.
    return /"name"\s*:\s*"([^"\\]+)"/.exec(text)?.[1];
  }
}
