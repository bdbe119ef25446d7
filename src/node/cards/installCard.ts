/** Brings a card into a workspace: fetched, checked, placed, locked. Nothing of it runs, and nothing of it is trusted by this. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { lt } from "semver";
import { LOCK_FILE, type LockedCard } from "../../core/cards/cardLock";
import { MANIFEST, policiesOf } from "../../core/cards/cardManifest";
import type { CardSpec } from "../../core/cards/cardVersion";
import { messageOf } from "../../core/errors";
import { ensureDataFolder } from "../dataFolder";
import { readLockFile, writeLockFile } from "./cardLockFile";
import { placeCard, removeCard } from "./cardStore";
import { fetchFromFolder } from "./folderRegistry";
import { type NpmAnswer, type NpmOptions, npmFetch } from "./npmProgram";
import { integrityOf, packCard, unpackCard } from "./packedCard";
import { diagnoseSource } from "./sourceDoctor";

/** Where cards come from. */
export type Origin =
  | { readonly kind: "registry"; readonly npm: NpmOptions }
  /** A folder of packed cards, or a card's own source. */
  | { readonly kind: "folder"; readonly folder: string };

export interface Installed {
  readonly card: string;
  readonly version: string;
  readonly integrity: string;
  readonly folder: string;
  readonly policies: readonly string[];
  /** What card.lock named before. */
  readonly before?: string;
}

export interface InstallOptions {
  /** Absolute path of the workspace folder. */
  readonly root: string;
  readonly origin: Origin;
  /** A version below the locked one is refused unless a person says so. */
  readonly lower: "refuse" | "allow";
}

export async function installCard(
  { card, range }: CardSpec,
  options: InstallOptions,
): Promise<NpmAnswer<Installed>> {
  try {
    const fetched = await fetchCard(card.id, range, options.origin);
    if (!fetched.ok) return fetched;
    const lock = await readLockFile(options.root);
    if (lock.kind === "broken") return { ok: false, why: `${LOCK_FILE} cannot be read: ${lock.why}` };
    const locked = lock.kind === "read" ? lock.cards : {};
    return await place(card.id, fetched.value, { ...options, locked });
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}

/** Every card of card.lock, exactly as locked. */
export async function installLocked(card: string, options: InstallOptions): Promise<NpmAnswer<Installed>> {
  try {
    const lock = await readLockFile(options.root);
    const locked = lock.kind === "read" ? lock.cards : {};
    const wanted = Object.hasOwn(locked, card) ? locked[card] : undefined;
    if (wanted === undefined) return { ok: false, why: `${LOCK_FILE} does not name it` };
    const fetched = await fetchCard(card, wanted.version, options.origin);
    return fetched.ok ? await place(card, fetched.value, { ...options, locked }) : fetched;
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
}

async function fetchCard(
  card: string,
  range: string | undefined,
  origin: Origin,
): Promise<NpmAnswer<Uint8Array>> {
  if (origin.kind === "registry") return npmFetch(card, range, origin.npm);
  const isSource = await lstat(join(origin.folder, MANIFEST)).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isSource) return fetchFromFolder(origin.folder, card, range);
  const { issues, manifest, files } = await diagnoseSource(origin.folder, card);
  const first = issues.find(({ severity }) => severity === "error");
  if (first !== undefined || manifest === undefined || files === undefined)
    return { ok: false, why: first?.message ?? "the card cannot be read" };
  const packed = packCard(files, manifest);
  return packed.ok ? { ok: true, value: packed.packed.bytes } : packed;
}

async function place(
  card: string,
  bytes: Uint8Array,
  { root, locked, lower }: InstallOptions & { readonly locked: Readonly<Record<string, LockedCard>> },
): Promise<NpmAnswer<Installed>> {
  const unpacked = unpackCard(bytes, { card });
  if (!unpacked.ok) return { ok: false, why: `the packed card is refused: ${unpacked.why}` };
  const { manifest, digest } = unpacked.content;
  const { version } = manifest;
  const integrity = integrityOf(bytes);
  const before = Object.hasOwn(locked, card) ? locked[card] : undefined;
  if (before !== undefined && before.version === version && before.integrity !== integrity)
    return {
      ok: false,
      why: `version ${version} is not what ${LOCK_FILE} names: its integrity is ${integrity}, and ${before.integrity} is locked`,
    };
  if (before !== undefined && lt(version, before.version) && lower === "refuse")
    return {
      ok: false,
      why: `${LOCK_FILE} names ${before.version}, and ${version} is lower; --allow-lower takes it all the same`,
    };
  const data = await ensureDataFolder(root);
  if (!data.ok) return { ok: false, why: data.problems[0]?.message ?? "the data folder cannot be used" };
  const folder = await placeCard(data.value, { card, version }, unpacked.files);
  await writeLockFile(root, { ...locked, [card]: { version, integrity, content: `sha256-${digest}` } });
  const result = { card, version, integrity, folder, policies: policiesOf(manifest) };
  return { ok: true, value: before === undefined ? result : { ...result, before: before.version } };
}

/** False where card.lock does not name it. */
export async function uninstallCard(root: string, dataFolder: string, card: string): Promise<boolean> {
  const lock = await readLockFile(root);
  await removeCard(dataFolder, card);
  if (lock.kind !== "read" || !Object.hasOwn(lock.cards, card)) return false;
  const { [card]: _, ...rest } = lock.cards;
  await writeLockFile(root, rest);
  return true;
}
