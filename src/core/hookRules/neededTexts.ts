/** Texts of which one must stand in whatever a pattern matches: where none does, the pattern is not asked. Matches nothing itself. */
import { RE2JS } from "re2js";

/** Longer ones tell no more, and are looked for in less even time. */
const MAX_LENGTH = 16;
/** Each is looked for in the whole text. */
const MAX_TEXTS = 16;
/** `(?i)`, `(?si)`: what holds of the whole pattern. */
const FLAGS = /^\(\?([imsU]+)\)/u;

/** As the engine numbers what it knows of a pattern's fixed parts. */
const ONE_TEXT = 1;
const ALL_OF = 2;
const ANY_OF = 3;

/** Letters of either case as one, and the two others that patterns in any case take for a plain letter: `ſ` and the sign for Kelvin. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.includes("ſ") ? lower.replaceAll("ſ", "s") : lower;
}

/** In `folded` spelling; undefined = there are none that are known. `source` must compile. */
export function neededTexts(source: string, compiled: RE2JS): readonly string[] | undefined {
  const flags = FLAGS.exec(source);
  // In any case the engine knows no fixed parts; those of the pattern without it are the same ones, once folded.
  if (flags?.[1]?.includes("i") !== true) return textsOf(compiled.re2Input.prefilter);
  const rest = source.slice(flags[0].length);
  const others = flags[1].replaceAll("i", "");
  try {
    const exact = RE2JS.compile(others === "" ? rest : `(?${others})${rest}`);
    return textsOf(exact.re2Input.prefilter);
  } catch {
    return undefined;
  }
}

function textsOf(filter: unknown): readonly string[] | undefined {
  if (typeof filter !== "object" || filter === null || !("type" in filter)) return undefined;
  if (filter.type === ONE_TEXT) return "str" in filter ? pieceOf(filter.str) : undefined;
  if (!("subs" in filter) || !Array.isArray(filter.subs)) return undefined;
  const parts = filter.subs.map(textsOf);
  const known = parts.filter((part) => part !== undefined);
  if (filter.type === ALL_OF) return known.sort((a, b) => rarity(b) - rarity(a))[0];
  if (filter.type !== ANY_OF || known.length < parts.length) return undefined;
  const all = [...new Set(known.flat())];
  return all.length === 0 || all.length > MAX_TEXTS ? undefined : all;
}

/** Long ones are rarely there, many are rarely absent. */
const rarity = (texts: readonly string[]): number =>
  Math.min(...texts.map((text) => text.length)) / texts.length;

/** Only plain letters and signs: what else folds to what depends on more than the letter. */
function pieceOf(text: unknown): readonly string[] | undefined {
  if (typeof text !== "string") return undefined;
  const pieces = folded(text).match(/[\p{ASCII}]+/gu) ?? [];
  const [longest] = [...pieces].sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : [longest.slice(0, MAX_LENGTH)];
}
