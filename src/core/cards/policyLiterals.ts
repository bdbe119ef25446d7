/** Object literals among the tokens of a TypeScript file: their keys, and where they stand. Knows nothing of policies or of a parser. */

export interface PolicyToken {
  readonly kind: "string" | "name" | "template" | "regexp" | "other";
  readonly text: string;
  /** Offset into the file. */
  readonly start: number;
  readonly isType: boolean;
}

/** What a text in quotes says; undefined for any other token. */
export const wordOf = (token: PolicyToken | undefined): string | undefined =>
  token?.kind === "string" ? unquoted(token.text) : undefined;

/** Escapes are read as far as names need them. */
function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replace(
      /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\([\s\S])/gi,
      (_, braced, four, two, one) => {
        if (one !== undefined)
          return ({ n: "\n", r: "\r", t: "\t", "\n": "" } as Record<string, string>)[one] ?? one;
        const point = Number.parseInt(braced ?? four ?? two, 16);
        return point > 0x10ffff ? "\uFFFD" : String.fromCodePoint(point);
      },
    );
}

export interface Key {
  readonly key: PolicyToken;
  /** The value where it is one token; else absent. */
  readonly value?: PolicyToken;
}

const OPENS = new Set(["(", "[", "{", "${"]);
const CLOSES = new Set([")", "]", "}"]);
const MODIFIERS = new Set(["async", "*", "get", "set"]);

/** Keys of the object literal that begins at `open`; a spread is kept as `...`. */
export function keysOf(tokens: readonly PolicyToken[], open: number): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    const begins = depth === 1 && (tokens[at - 1]?.text === "," || at === open + 1);
    if (begins && !CLOSES.has(token.text)) {
      let name = at;
      while (MODIFIERS.has(tokens[name]?.text ?? "") && /^["'\w$#*[]/.test(tokens[name + 1]?.text ?? ""))
        name += 1;
      const key = tokens[name];
      if (key !== undefined) keys.set(wordOf(key) ?? key.text, { key, ...single(tokens, name) });
    }
    if (OPENS.has(token.text) && token.kind === "other") depth += 1;
    if (CLOSES.has(token.text) && token.kind === "other") depth -= 1;
    if (depth === 0) break;
  }
  return keys;
}

function single(tokens: readonly PolicyToken[], name: number): { readonly value?: PolicyToken } {
  const [colon, value, end] = [tokens[name + 1], tokens[name + 2], tokens[name + 3]];
  if (colon?.text !== ":" || value === undefined || (end?.text !== "," && end?.text !== "}")) return {};
  return { value };
}

/** The `{` of the object literal that holds the token at `index`. */
export function openerOf(tokens: readonly PolicyToken[], index: number): number {
  let depth = 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    const { text = "", kind } = tokens[at] ?? {};
    if (kind !== "other") continue;
    if (CLOSES.has(text)) depth += 1;
    if (OPENS.has(text)) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return 0;
}

/** `return {`, `=> ({`, and either branch of `? … : …` in such a place. */
export function isReturned(tokens: readonly PolicyToken[], open: number): boolean {
  const before = tokens[open - 1]?.text ?? "";
  if (before === ":") return isBranch(tokens, open - 1);
  return before === "return" || before === "?" || (before === "(" && tokens[open - 2]?.text === "=>");
}

/** Whether the colon at `colon` belongs to `? … : …`, not to a key. */
function isBranch(tokens: readonly PolicyToken[], colon: number): boolean {
  let depth = 0;
  for (let at = colon - 1; at >= 0; at -= 1) {
    const { text = "", kind } = tokens[at] ?? {};
    if (kind !== "other") continue;
    if (CLOSES.has(text)) depth += 1;
    else if (OPENS.has(text)) depth -= 1;
    if (depth < 0 || (depth === 0 && (text === "," || text === ";"))) return false;
    if (depth === 0 && text === "?") return true;
  }
  return false;
}
