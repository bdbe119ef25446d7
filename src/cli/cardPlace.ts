/** Which folder a card command is about. Knows no command. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { NAME_RULE, parseCardName } from "../core/cards/cardName";
import { visibleLine } from "../core/visible";
import { findSource } from "../node/cards/cardSource";
import type { CardsPlace } from "../node/cards/cardsInForce";
import { DATA_FOLDER, findDataFolder, realOf } from "../node/dataFolder";
import { readLocators } from "../node/locator";
import type { Io } from "./io";

/** The workspace of this folder: as the editor has it open, else as its files mark it, else this folder itself. */
export async function cardsPlace(io: Pick<Io, "cwd">): Promise<CardsPlace> {
  const home = homedir();
  const workspaceFolders = readLocators(home).live.flatMap(({ folders }) => folders);
  const found = await findDataFolder({ cwd: io.cwd, workspaceFolders, home });
  const root = found.root === (await realOf(home)) ? await realOf(io.cwd) : found.root;
  return { root, dataFolder: join(root, DATA_FOLDER) };
}

export const notACard = (text: string): string =>
  `"${visibleLine(text)}" is no name of a card: write @handle/name; each of the two is ${NAME_RULE}`;

export type Source =
  | { readonly ok: true; readonly folder: string; readonly card: string }
  | { readonly ok: false; readonly why: string };

/** The source of `card`, in `dir` where that is named. */
export async function sourceOf(card: string, dir: string | undefined, io: Pick<Io, "cwd">): Promise<Source> {
  if (parseCardName(card) === undefined) return { ok: false, why: notACard(card) };
  if (dir !== undefined) return { ok: true, folder: resolve(io.cwd, dir), card };
  const found = await findSource(card, io.cwd);
  switch (found.kind) {
    case "found":
      return { ok: true, folder: found.folder, card };
    case "several":
      return {
        ok: false,
        why: `${card} has several sources; name one by --dir: ${found.folders.join(", ")}`,
      };
    case "missing":
      return {
        ok: false,
        why: `no source of ${card} in, around or below this folder; name it by --dir, or make it by \`countersign card new ${card}\``,
      };
    default:
      return found satisfies never;
  }
}
