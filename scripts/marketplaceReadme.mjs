/** Makes the README that is packed: the one in the repository without what would be broken outside it. */

/**
 * Drops lines that are only a picture of the repository, and keeps the words of links into it.
 * Full addresses and links within the page stay.
 */
export function marketplaceReadme(text) {
  const outside = (target) => /^(\w+:|#)/.test(target);
  return text
    .replace(/^!\[[^\]]*\]\(([^)]+)\)\n*/gm, (whole, target) => (outside(target) ? whole : ""))
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (whole, words, target) => (outside(target) ? whole : words));
}
