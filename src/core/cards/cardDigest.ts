/** The content digest of a card: what a person trusts. Changes with any byte and any name of any file. Knows no disk. */
import type { Hasher } from "../../ports";

export interface HashedFile {
  /** Below the card's folder, with `/`. */
  readonly path: string;
  /** 64 hex digits. */
  readonly sha256: string;
}

const byPath = (a: HashedFile, b: HashedFile): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

export const sortedFiles = (files: readonly HashedFile[]): readonly HashedFile[] => [...files].sort(byPath);

/** 64 hex digits over the canonical listing of every file. */
export function contentDigest(files: readonly HashedFile[], hash: Hasher): string {
  const lines = sortedFiles(files).map(({ path, sha256 }) => JSON.stringify([path, sha256]));
  return hash(`countersign-card 1\n${lines.join("\n")}\n`);
}
