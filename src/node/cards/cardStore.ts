/** Installed cards: `<data folder>/cards/@handle/name/<version>`. Places what was checked before, and reads it back; trusts none of it. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CardFile } from "../../core/cards/cardFiles";
import { parseCardName } from "../../core/cards/cardName";
import { CountersignError } from "../../core/errors";
import { realOf } from "../dataFolder";
import { ensurePrivateFolder } from "../privateFile";
import { type CardContent, contentOf } from "./cardContent";
import { readCardFolder } from "./readCardFolder";

export interface CardVersion {
  readonly card: string;
  readonly version: string;
}

export const STORE = "cards";

export function cardFolder(dataFolder: string, { card, version }: CardVersion): string {
  const name = parseCardName(card);
  if (name === undefined) throw new CountersignError("usage", `${card} is no name of a card`);
  return join(dataFolder, STORE, name.handle, name.name, version);
}

/** The card is there as a whole or not at all. Earlier versions of it go. */
export async function placeCard(
  dataFolder: string,
  card: CardVersion,
  files: readonly CardFile[],
): Promise<string> {
  const target = cardFolder(dataFolder, card);
  const store = join(dataFolder, STORE);
  for (const folder of [store, dirname(dirname(target)), dirname(target)]) await ensurePrivateFolder(folder);
  const draft = join(store, `.new-${randomBytes(9).toString("hex")}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    for (const file of files) await writeNew(draft, file);
    for (const other of await readdir(dirname(target)))
      await rm(join(dirname(target), other), { recursive: true, force: true });
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return target;
}

/** `path` was checked; "wx" follows no link and overwrites nothing. */
async function writeNew(folder: string, { path, bytes }: CardFile): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
  } finally {
    await handle.close();
  }
}

export async function removeCard(dataFolder: string, card: string): Promise<void> {
  const name = parseCardName(card);
  if (name === undefined) return;
  await rm(join(dataFolder, STORE, name.handle, name.name), { recursive: true, force: true });
}

export type InstalledCard =
  | {
      readonly kind: "read";
      readonly folder: string;
      readonly files: readonly CardFile[];
      readonly content: CardContent;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly why: string };

/** As it lies there now. Never rejects. */
export async function readInstalled(dataFolder: string, card: CardVersion): Promise<InstalledCard> {
  const folder = cardFolder(dataFolder, card);
  // A link on the way would make another folder ours.
  if ((await realOf(folder)) !== join(await realOf(dataFolder), STORE, card.card, card.version))
    return { kind: "refused", why: "a link leads out of the folder of installed cards" };
  const read = await readCardFolder(folder);
  if (read.kind !== "read") return read;
  const checked = contentOf(read.files, card);
  if (!checked.ok) return { kind: "refused", why: checked.why };
  return { kind: "read", folder: await realOf(folder), files: read.files, content: checked.content };
}
