/** Which cards' hooks a person agreed to, per workspace: 0600 files in `~/.countersign/cards`, outside every workspace. Asks nobody. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { parseCardName } from "../../core/cards/cardName";
import { type Consent, consentSchema } from "../../core/cards/consent";
import { CountersignError, messageOf } from "../../core/errors";
import { DATA_FOLDER, realOf } from "../dataFolder";
import { ensurePrivateFolder, readPrivateFile, writePrivateFile } from "../privateFile";

export type Consents = Readonly<Record<string, Consent>>;

export type StoredConsents =
  | { readonly kind: "none" }
  | { readonly kind: "kept"; readonly consents: Consents }
  /** There is something that cannot be believed: nothing counts as trusted, and nothing as never trusted. */
  | { readonly kind: "damaged"; readonly message: string };

export interface CardConsents {
  /** Where what `load` says is kept. */
  file(root: string): Promise<string>;
  /** Never rejects. */
  load(root: string): Promise<StoredConsents>;
  /** Undefined takes the consent away. Throws `folder.unsafe` where it cannot be kept. */
  save(root: string, card: string, consent: Consent | undefined): Promise<void>;
}

const schema = z.object({
  version: z.literal(1),
  root: z.string(),
  cards: z.record(
    z.string().refine((name) => parseCardName(name) !== undefined),
    consentSchema,
  ),
});

export function createCardConsents({ home }: { readonly home: string }): CardConsents {
  const base = join(home, DATA_FOLDER);
  const pathOf = (root: string) =>
    join(base, "cards", `${createHash("sha256").update(root).digest("hex")}.json`);
  const load = async (real: string): Promise<StoredConsents> => {
    const path = pathOf(real);
    try {
      const text = await readPrivateFile(path);
      if (text === undefined) return { kind: "none" };
      const { root, cards } = schema.parse(JSON.parse(text));
      if (root !== real) return { kind: "damaged", message: `${path} is about another folder` };
      return { kind: "kept", consents: cards };
    } catch (error) {
      const message = error instanceof CountersignError ? messageOf(error) : `The file ${path} is damaged.`;
      return { kind: "damaged", message };
    }
  };
  // One after the other: two dialogs may be answered at once.
  let last: Promise<unknown> = Promise.resolve();
  const write = async (root: string, card: string, consent: Consent | undefined): Promise<void> => {
    const real = await realOf(root);
    const before = await load(real);
    const { [card]: _, ...rest } = before.kind === "kept" ? before.consents : {};
    const cards = consent === undefined ? rest : { ...rest, [card]: consent };
    await ensurePrivateFolder(base);
    await writePrivateFile(pathOf(real), `${JSON.stringify({ version: 1, root: real, cards }, null, 2)}\n`);
  };
  return {
    file: async (root) => pathOf(await realOf(root)),
    load: async (root) => load(await realOf(root)),
    save(root, card, consent) {
      const next = last.then(() => write(root, card, consent));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
