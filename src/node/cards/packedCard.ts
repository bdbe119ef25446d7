/** A card as one file, as npm packs packages: made the same from the same files, and taken apart without trusting any of it. Writes nothing. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  type CardFile,
  filesProblem,
  MAX_CARD_BYTES,
  MAX_FILES,
  MAX_PACKED_BYTES,
} from "../../core/cards/cardFiles";
import type { CardManifest } from "../../core/cards/cardManifest";
import { readTar, writeTar } from "../../core/cards/tarFormat";
import { hasCode } from "../privateFile";
import { type CardContent, contentOf } from "./cardContent";

export interface PackedCard {
  readonly bytes: Uint8Array;
  /** `sha512-…`, as package registries write it. */
  readonly integrity: string;
}

/** The files with all that tar adds to them: one header each, padding, and as much again for extended headers. */
const MAX_UNPACKED = MAX_CARD_BYTES + MAX_FILES * 2048 + 65_536;

export const integrityOf = (bytes: Uint8Array): string =>
  `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

/** `@handle/name` 1.0.0 → `handle-name-1.0.0.tgz`, as npm names it. */
export const packedName = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `${name.slice(1).replace("/", "-")}-${version}.tgz`;

/** What package programs read of it. No scripts and no dependencies: nothing of a card runs by being installed. */
export function packageJson({ name, version, description, license }: CardManifest): string {
  const text = {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    ...(license === undefined ? {} : { license }),
    keywords: ["countersign-card"],
  };
  return `${JSON.stringify(text, null, 2)}\n`;
}

export type Packed =
  | { readonly ok: true; readonly packed: PackedCard; readonly files: readonly CardFile[] }
  | { readonly ok: false; readonly why: string };

/** `files` are those of the source; its own package.json, where it has one for its editor, is not among them. */
export function packCard(files: readonly CardFile[], manifest: CardManifest): Packed {
  const all = [...files, { path: "package.json", bytes: new TextEncoder().encode(packageJson(manifest)) }];
  const wrong = filesProblem(all);
  if (wrong !== undefined) return { ok: false, why: wrong };
  const tar = writeTar(all);
  if (tar === undefined) return { ok: false, why: "a path is too long to be packed" };
  const bytes = gzipSync(tar, { level: 9 });
  if (bytes.length > MAX_PACKED_BYTES) return { ok: false, why: "packed it is larger than 16 MiB" };
  return { ok: true, packed: { bytes, integrity: integrityOf(bytes) }, files: all };
}

export type Unpacked =
  | { readonly ok: true; readonly files: readonly CardFile[]; readonly content: CardContent }
  | { readonly ok: false; readonly why: string };

/** Never throws, and never holds more than a card may have. */
export function unpackCard(
  bytes: Uint8Array,
  expected: { readonly card?: string; readonly version?: string },
): Unpacked {
  if (bytes.length > MAX_PACKED_BYTES) return { ok: false, why: "packed it is larger than 16 MiB" };
  let tar: Uint8Array;
  try {
    tar = gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    const tooLarge = hasCode(error, "ERR_BUFFER_TOO_LARGE");
    return { ok: false, why: tooLarge ? "unpacked it is larger than 32 MiB" : "it is no gzip file" };
  }
  const read = readTar(tar);
  if (!read.ok) return read;
  const wrong = filesProblem(read.files);
  if (wrong !== undefined) return { ok: false, why: wrong };
  const checked = contentOf(read.files, expected);
  return checked.ok ? { ok: true, files: read.files, content: checked.content } : checked;
}
