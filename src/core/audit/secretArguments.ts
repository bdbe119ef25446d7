/** Secrets in an argument list, which only show beside the words before them: `["curl", "-u", "ann:…"]`. Knows nothing of other structures. */
import type { SecretNames } from "./secretKeys";
import { secretSpans } from "./secretText";

export interface ArgumentSecret {
  /** Of the item. */
  readonly index: number;
  /** Within the item. */
  readonly start: number;
  readonly end: number;
  readonly type: string;
}

const MAX_ITEMS = 500;
/** A program or a path; what follows a sentence is no argument. */
const PROGRAM = /^[\w./\\:@+-]{1,200}$/;
/** What ends a word for a shell is a letter like any other here. */
const SHELL_SIGNS = /[\s"'`;|&()\\]/g;

/** Read as the command line that they make. Looks at each item once for each secret found. */
export function argumentSecrets(items: readonly unknown[], names: SecretNames): ArgumentSecret[] {
  if (items.length < 2 || items.length > MAX_ITEMS || !isCommand(items)) return [];
  const starts: number[] = [];
  let line = "";
  for (const item of items) {
    starts.push(line.length);
    line += `${typeof item === "string" ? item.replace(SHELL_SIGNS, "·") : "0"} `;
  }
  const found: ArgumentSecret[] = [];
  for (const [start, end, type] of secretSpans(line, names)) {
    for (const [index, item] of items.entries()) {
      const from = starts[index] ?? 0;
      if (typeof item !== "string" || from >= end) continue;
      const to = from + item.length;
      if (to <= start) continue;
      found.push({ index, start: Math.max(0, start - from), end: Math.min(item.length, end - from), type });
    }
  }
  return found;
}

function isCommand(items: readonly unknown[]): boolean {
  const [program] = items;
  if (typeof program !== "string" || !PROGRAM.test(program)) return false;
  return items.some((item) => typeof item === "string" && /^-|^[\w.-]+=/.test(item));
}
