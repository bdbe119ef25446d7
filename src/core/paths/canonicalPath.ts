/** A path that has been followed to where it really lies, and how two of them compare. Knows no file system. */

export type Os = "linux" | "darwin" | "win32";

declare const canonical: unique symbol;

/** Made by `resolvePath` alone: links followed, `.` and `..` gone, names as the volume stores them. */
export interface CanonicalPath {
  readonly [canonical]: true;
  readonly os: Os;
  /** "" on POSIX, `C:` or `\\server\share` on Windows. */
  readonly volume: string;
  readonly segments: readonly string[];
  /** As this system writes it. */
  readonly text: string;
  /** Whether names that differ only in case are one file here. */
  readonly caseInsensitive: boolean;
}

export function formatPath(os: Os, volume: string, segments: readonly string[]): string {
  if (os === "win32") return `${volume}\\${segments.join("\\")}`;
  return `/${segments.join("/")}`;
}

/** Only for code that has followed every link of the path. */
export function canonicalPath(parts: Omit<CanonicalPath, typeof canonical | "text">): CanonicalPath {
  return { ...parts, text: formatPath(parts.os, parts.volume, parts.segments) } as CanonicalPath;
}

/** True when `path` is `folder` or lies below it; compared segment by segment. */
export function isWithin(path: CanonicalPath, folder: CanonicalPath): boolean {
  if (path.os !== folder.os || foldVolume(path.volume) !== foldVolume(folder.volume)) return false;
  if (folder.segments.length > path.segments.length) return false;
  return folder.segments.every(
    (segment, i) => foldName(segment, path) === foldName(path.segments[i] ?? "", path),
  );
}

export function samePath(a: CanonicalPath, b: CanonicalPath): boolean {
  return a.segments.length === b.segments.length && isWithin(a, b);
}

export function parentOf(path: CanonicalPath): CanonicalPath {
  return canonicalPath({ ...path, segments: path.segments.slice(0, -1) });
}

/** The key of a name where equal keys surely are one file: what may widen a permission compares with this. */
export function foldName(name: string, on: { readonly os: Os; readonly caseInsensitive: boolean }): string {
  const text = on.os === "darwin" ? name.normalize("NFC") : name;
  return on.caseInsensitive ? text.toLowerCase() : text;
}

/**
 * The key of a name where names that might be one file have equal keys: what protects a place compares with this.
 * Covers full case folding (ſ and s, ß and SS) and the characters that HFS+ ignores.
 */
export function foldWide(name: string, on: { readonly os: Os; readonly caseInsensitive: boolean }): string {
  if (!on.caseInsensitive && on.os === "linux") return name;
  const text = name.normalize("NFC").replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, "");
  return text.toUpperCase().toLowerCase();
}

function foldVolume(volume: string): string {
  return volume.toLowerCase();
}
