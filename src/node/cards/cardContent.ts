/** What a card's files are: hashes, content digest, manifest, and which of them are its policies. Runs none of it. */
import { createHash } from "node:crypto";
import { contentDigest, type HashedFile, sortedFiles } from "../../core/cards/cardDigest";
import type { CardFile } from "../../core/cards/cardFiles";
import { type CardManifest, MANIFEST, policiesOf, readManifest } from "../../core/cards/cardManifest";
import { sha256 } from "../ports";

export interface CardContent {
  readonly manifest: CardManifest;
  readonly files: readonly HashedFile[];
  /** 64 hex digits. */
  readonly digest: string;
}

export type ReadContent =
  | { readonly ok: true; readonly content: CardContent }
  | { readonly ok: false; readonly why: string };

export function hashesOf(files: readonly CardFile[]): readonly HashedFile[] {
  return sortedFiles(
    files.map(({ path, bytes }) => ({ path, sha256: createHash("sha256").update(bytes).digest("hex") })),
  );
}

export const digestOfFiles = (files: readonly HashedFile[]): string => contentDigest(files, sha256);

export const policyFile = (policy: string): string => `hooks/${policy}/policy.ts`;

export function textIn(files: readonly CardFile[], path: string): string | undefined {
  const found = files.find((file) => file.path === path);
  if (found === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(found.bytes);
  } catch {
    return undefined;
  }
}

/** `expected` is what the card must call itself. */
export function contentOf(
  files: readonly CardFile[],
  expected: { readonly card?: string; readonly version?: string },
): ReadContent {
  const text = textIn(files, MANIFEST);
  if (text === undefined) return { ok: false, why: "it has no card.json" };
  const read = readManifest(text, { file: MANIFEST, card: expected.card ?? "" });
  if (!read.ok) return { ok: false, why: `its card.json is refused: ${read.issues[0]?.message ?? ""}` };
  const { manifest } = read;
  if (expected.card !== undefined && manifest.name !== expected.card)
    return { ok: false, why: `it calls itself ${manifest.name}, not ${expected.card}` };
  if (expected.version !== undefined && manifest.version !== expected.version)
    return { ok: false, why: `it calls itself version ${manifest.version}, not ${expected.version}` };
  const missing = policiesOf(manifest).find(
    (policy) => !files.some(({ path }) => path === policyFile(policy)),
  );
  if (missing !== undefined) return { ok: false, why: `${policyFile(missing)} is missing` };
  const hashes = hashesOf(files);
  return { ok: true, content: { manifest, files: hashes, digest: digestOfFiles(hashes) } };
}
