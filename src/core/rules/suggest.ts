/** "Did you mean": the nearest of some known words. Knows nothing of where they come from. */

/** Optimal string alignment distance: insert, delete, replace, or swap two neighbours. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

const plain = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/gu, "");

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The known word that is close enough to be meant; undefined when none is, or when the word is absurdly long. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const wanted = plain(word);
  if (wanted === "") return undefined;
  let best: string | undefined;
  let bestAt = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = plain(candidate);
    const at = distance(wanted, other);
    // The same beginning with another ending is another form of the word: "denied" for "deny".
    const form = commonPrefix(wanted, other) >= 3 && at <= Math.max(wanted.length, other.length) / 2;
    const close = at <= Math.max(1, Math.floor(wanted.length / 3));
    if ((form || close) && at < bestAt) [best, bestAt] = [candidate, at];
  }
  return best;
}
