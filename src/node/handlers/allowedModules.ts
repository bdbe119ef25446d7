/** What a callable may import beside files of its own folder. Knows nothing of how modules are found. */

/** What computes, and reaches nothing. */
const COMPUTES =
  /^(?:node:)?(?:assert|assert\/strict|buffer|crypto|events|path|path\/posix|path\/win32|punycode|querystring|string_decoder|timers|timers\/promises|url|util|util\/types|zlib)$/;

export const OURS = "countersign";
export const ONLY_THESE =
  "and a callable may import only files of its own folder and modules of Node that compute";

export function isBuiltinAllowed(specifier: string): boolean {
  return COMPUTES.test(specifier);
}

export function isRelative(specifier: string): boolean {
  return /^\.\.?(?:\/|$)/.test(specifier);
}
