/** A file system that exists only as a description, so that a rule can be tried for any machine on any machine. */
import type { FileSystem } from "../../ports";
import { foldName, type Os } from "./canonicalPath";
import { parsePath } from "./parsePath";

export interface ImaginedWorld {
  readonly os: Os;
  /** Absolute. */
  readonly home: string;
  /** Folders that exist. */
  readonly roots: readonly string[];
  /** Path to its link target as stored; null = it exists and is no link. Parents exist too. */
  readonly links: Readonly<Record<string, string | null>>;
}

/** Paths that are not named do not exist. Linux tells cases apart, macOS and Windows do not. */
export function imaginedFileSystem({ os, home, roots, links }: ImaginedWorld): FileSystem {
  const caseInsensitive = os !== "linux";
  const shape = { os, caseInsensitive };
  const there = new Map<string, string>();
  const targets = new Map<string, string>();
  const key = (volume: string, names: readonly string[]) =>
    [volume.toLowerCase(), ...names.map((name) => foldName(name, shape))].join("\0");
  const add = (text: string, target: string | null) => {
    const parsed = parsePath(text, { os, home });
    if (!parsed.ok) return;
    const names = parsed.segments;
    for (let i = 1; i <= names.length; i++) {
      const id = key(parsed.volume, names.slice(0, i));
      if (!there.has(id)) there.set(id, names[i - 1] ?? "");
    }
    if (target !== null) targets.set(key(parsed.volume, names), target);
  };
  for (const root of [home, ...roots]) add(root, null);
  for (const [path, target] of Object.entries(links)) add(path, target);
  return {
    os,
    home,
    caseInsensitive,
    async look(path) {
      const parsed = parsePath(path, { os, home });
      if (!parsed.ok) return { kind: "missing" };
      const id = key(parsed.volume, parsed.segments);
      const target = targets.get(id);
      if (target !== undefined) return { kind: "link", target };
      const stored = there.get(id);
      if (parsed.segments.length === 0) return { kind: "there" };
      if (stored === undefined) return { kind: "missing" };
      return stored === parsed.segments.at(-1) ? { kind: "there" } : { kind: "there", canonical: stored };
    },
  };
}
