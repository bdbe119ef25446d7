/** A card in a workspace as `card install` leaves it, and the trust that a person's click leaves. */
import { join } from "node:path";
import { parseCardSpec } from "../../../src/core/cards/cardVersion";
import type { Consent } from "../../../src/core/cards/consent";
import { createCardConsents } from "../../../src/node/cards/cardConsents";
import { digestOfFiles, hashesOf } from "../../../src/node/cards/cardContent";
import { installCard } from "../../../src/node/cards/installCard";
import { readCardFolder } from "../../../src/node/cards/readCardFolder";

export const CARD = "@acme/backend";

export interface CardPlace {
  readonly root: string;
  readonly home: string;
}

export const installedAt = ({ root }: CardPlace, path: string): string =>
  join(root, ".countersign/cards", CARD, "1.0.0", path);

/** Throws where it is refused. */
export async function installFrom(place: CardPlace, source: string): Promise<void> {
  const spec = parseCardSpec(CARD);
  if (spec === undefined) throw new Error(CARD);
  const origin = { kind: "folder", folder: source } as const;
  const done = await installCard(spec, { root: place.root, origin, lower: "refuse" });
  if (!done.ok) throw new Error(done.why);
}

export async function trustInstalled(
  place: CardPlace,
  kinds: Consent["kinds"] = { "no-root": "enforcement" },
): Promise<void> {
  const read = await readCardFolder(installedAt(place, ""));
  if (read.kind !== "read") throw new Error("not installed");
  const hashes = hashesOf(read.files);
  await createCardConsents({ home: place.home }).save(place.root, CARD, {
    consentedAt: new Date(0).toISOString(),
    consentedRange: "^1.0.0",
    version: "1.0.0",
    digest: digestOfFiles(hashes),
    files: Object.fromEntries(hashes.map(({ path, sha256 }) => [path, sha256])),
    kinds,
  });
}
