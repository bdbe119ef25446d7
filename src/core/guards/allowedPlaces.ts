/** The real folders that path_allowlist lets a call use, followed to where they lie. Judges no path. */
import type { FileSystem } from "../../ports";
import type { ToolCall } from "../call";
import { type CanonicalPath, isWithin } from "../paths/canonicalPath";
import { isAnchored } from "../paths/changeFolder";
import { resolvePath } from "../paths/resolvePath";
import type { PathAllowlistOptions } from "./pathAllowlist";

export interface Allowed {
  readonly ok: true;
  readonly roots: readonly CanonicalPath[];
  readonly temp: readonly CanonicalPath[];
  readonly publicReads: readonly CanonicalPath[];
  readonly home: CanonicalPath | undefined;
}

type Refused = { readonly ok: false; readonly reason: string };

/** A root that cannot be judged is left out: it may never widen what is allowed. None left is an error. */
export async function allowedPlaces(
  options: PathAllowlistOptions,
  call: ToolCall,
  fs: FileSystem,
): Promise<Allowed | Refused> {
  const given = typeof options.roots === "function" ? options.roots(call) : options.roots;
  const [roots, cwd, temp, publicReads, home] = await Promise.all([
    resolveAll(given, fs),
    resolveOne(call.cwd, fs),
    resolveAll(options.temp ?? [], fs),
    resolveAll(options.publicReads ?? [], fs),
    resolveOne(fs.home, fs),
  ]);
  const base = cwd === undefined ? undefined : roots.filter((root) => isWithin(cwd, root)).sort(byDepth)[0];
  for (const text of options.extra) {
    if (!isAnchored(text) && base === undefined) continue;
    const root = await resolveOne(text, fs, base?.text);
    if (root !== undefined) roots.push(root);
  }
  if (roots.length === 0) return { ok: false, reason: noRoots(given, options.extra) };
  return { ok: true, roots, temp, publicReads, home };
}

function noRoots(given: readonly string[], extra: readonly string[]): string {
  const named = [...given, ...extra];
  return named.length === 0
    ? "path_allowlist has no allowed folders: open a folder, or list one in path_allowlist_extra"
    : `path_allowlist cannot use any of its folders (${named.join(", ")}): give absolute paths that can be read`;
}

function byDepth(a: CanonicalPath, b: CanonicalPath): number {
  return b.segments.length - a.segments.length;
}

async function resolveAll(texts: readonly string[], fs: FileSystem): Promise<CanonicalPath[]> {
  const all = await Promise.all(texts.map((text) => resolveOne(text, fs)));
  return all.filter((path) => path !== undefined);
}

async function resolveOne(
  text: string | undefined,
  fs: FileSystem,
  cwd?: string,
): Promise<CanonicalPath | undefined> {
  if (text === undefined) return undefined;
  const resolved = await resolvePath({ path: text, cwd, fs });
  // A root with two readings is no root.
  return resolved.ok && resolved.others.length === 0 ? resolved.real : undefined;
}
