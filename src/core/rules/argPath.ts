/** The paths that a rule's `arg` may have: what is written like another language's is refused with the right spelling. Knows no call. */

/** How it should be written; undefined = the path may stand. */
export function rightArgPath(path: string): string | undefined {
  const right = path
    .replace(/^\$\.?/u, "")
    .replace(/\[(\d{1,9}|\*|)\]/gu, (_, place: string) => (place === "" ? ".*" : `.${place}`))
    .split(".")
    .filter((part) => part !== "*" && part !== "")
    .join(".");
  if (right === path) return undefined;
  return right;
}
