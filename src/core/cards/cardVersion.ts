/** Versions of cards and ranges of them, as npm counts them. Knows no registry. */
import { valid, validRange } from "semver";
import { type CardName, parseCardName } from "./cardName";

/** Exactly one version in full, as npm wants it. */
export const isVersion = (text: string): boolean => text.length <= 128 && valid(text) === text;

export const isRange = (text: string): boolean =>
  text.length <= 128 && text.trim() !== "" && validRange(text) !== null;

export interface CardSpec {
  readonly card: CardName;
  /** A range of versions; absent = the newest. */
  readonly range?: string;
}

/** `@handle/name`, or `@handle/name@range`. Undefined where it is neither. */
export function parseCardSpec(text: string): CardSpec | undefined {
  const at = text.indexOf("@", 1);
  const card = parseCardName(at < 0 ? text : text.slice(0, at));
  if (card === undefined) return undefined;
  if (at < 0) return { card };
  const range = text.slice(at + 1);
  return isRange(range) ? { card, range } : undefined;
}
