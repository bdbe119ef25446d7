/**
 * `card.lock`, beside the configuration and committed with it: which version of each card a workspace uses, and what its bytes were.
 * Knows no disk and trusts nothing.
 */
import * as z from "zod";
import { parseCardName } from "./cardName";
import { isVersion } from "./cardVersion";

export const LOCK_FILE = "card.lock";
export const LOCK_VERSION = 3;

const entry = z.strictObject({
  version: z.string().refine(isVersion, "must be one version in full"),
  /** Of the packed card, as package registries write it. */
  integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/, "must be sha512-…"),
  /** Content digest of the unpacked files. */
  content: z.string().regex(/^sha256-[0-9a-f]{64}$/, "must be sha256-…"),
});
export type LockedCard = z.infer<typeof entry>;

const cards = z.record(
  z.string().refine((name) => parseCardName(name) !== undefined, "must be @handle/name"),
  entry,
);
const lock = z.strictObject({ lockfileVersion: z.literal(LOCK_VERSION), cards });
/** Hooks came with version 3: an older lock says what was installed, and nothing of hooks. */
const oldLock = z.object({ lockfileVersion: z.literal(2) });

export type CardLock =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly cards: Readonly<Record<string, LockedCard>> }
  | { readonly kind: "old" }
  | { readonly kind: "broken"; readonly why: string };

export function readLock(text: string | undefined): CardLock {
  if (text === undefined) return { kind: "none" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "broken", why: "it is no JSON" };
  }
  if (oldLock.safeParse(value).success) return { kind: "old" };
  const checked = lock.safeParse(value);
  if (checked.success) return { kind: "read", cards: checked.data.cards };
  const [first] = checked.error.issues;
  return { kind: "broken", why: `${first?.path.join(".") ?? ""}: ${first?.message ?? "it cannot be read"}` };
}

/** In the order of names, so that two people's changes meet in few lines. */
export function lockText(locked: Readonly<Record<string, LockedCard>>): string {
  const sorted = Object.fromEntries(Object.entries(locked).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ lockfileVersion: LOCK_VERSION, cards: sorted }, null, 2)}\n`;
}
