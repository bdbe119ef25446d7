/** Cuts texts into passages, turns what a person typed into safe searches, and shows what was found. Pure. */

export interface Passage {
  /** Counts from 1. */
  readonly line: number;
  readonly body: string;
}

const PASSAGE_CHARS = 2000;

export function passagesOf(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  let body = "";
  let first = 1;
  for (const [i, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (body !== "" && body.length + line.length > PASSAGE_CHARS) {
      passages.push({ line: first, body });
      body = "";
    }
    if (body === "") first = i + 1;
    for (const piece of pieces(line)) {
      if (body.length + piece.length > 2 * PASSAGE_CHARS) {
        passages.push({ line: first, body });
        body = "";
        first = i + 1;
      }
      body += piece;
    }
    body += "\n";
  }
  if (body.trim() !== "") passages.push({ line: first, body });
  return passages;
}

function pieces(line: string): readonly string[] {
  return line.length <= PASSAGE_CHARS ? [line] : (line.match(/[\s\S]{1,2000}/gu) ?? []);
}

export interface SearchPlan {
  /** All terms, or any of them when all found nothing. */
  readonly join: "all" | "any";
  /** FTS5 expressions made of quoted strings alone; null = none. */
  readonly words: string | null;
  readonly grams: string | null;
  /** LIKE patterns, `\` escaped, for terms too short for trigrams. */
  readonly like: readonly string[];
  readonly terms: readonly string[];
}

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const TERM = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}_])+`, "gu");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const MAX_TERMS = 32;

/** Searches to try in turn. Operators, quotes and column filters of FTS5 lose their meaning. */
export function searchPlans(query: string): readonly SearchPlan[] {
  const terms = [...new Set(query.slice(0, 2000).match(TERM) ?? [])].slice(0, MAX_TERMS);
  const words = terms.filter((term) => !IS_UNSPACED.test(term));
  const runs = terms.filter((term) => IS_UNSPACED.test(term));
  if (terms.length === 0) return [];
  const all = planOf({
    join: "all",
    words,
    grams: runs.filter(isLong),
    like: runs.filter((run) => !isLong(run)),
    terms,
  });
  const grams = runs.flatMap(gramsOf);
  const like = runs.flatMap((run) => (isLong(run) ? [] : [run]));
  const any = planOf({ join: "any", words, grams, like, terms: [...words, ...grams, ...like] });
  return [all, any];
}

function isLong(run: string): boolean {
  return [...run].length >= 3;
}

function gramsOf(run: string): readonly string[] {
  const chars = [...run];
  return chars.slice(2).map((_char, i) => chars.slice(i, i + 3).join(""));
}

interface Terms {
  readonly join: "all" | "any";
  readonly words: readonly string[];
  readonly grams: readonly string[];
  readonly like: readonly string[];
  readonly terms: readonly string[];
}

function planOf({ join, words, grams, like, terms }: Terms): SearchPlan {
  const glue = join === "all" ? " AND " : " OR ";
  const expression = (list: readonly string[]) =>
    list.length === 0 ? null : list.map((term) => `"${term.replaceAll('"', '""')}"`).join(glue);
  return {
    join,
    words: expression(words),
    grams: expression(grams),
    like: like.map((term) => `%${term.replace(/[\\%_]/g, "\\$&")}%`),
    terms,
  };
}

const AROUND = 120;

/** The first place where a term stands, with what is around it. */
export function snippetOf(body: string, terms: readonly string[]): string {
  const folded = fold(body);
  const found = terms
    .map((term) => ({ at: folded.indexOf(fold(term)), length: term.length }))
    .filter((place) => place.at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  if (found === undefined || folded.length !== body.length) return oneLine(body.slice(0, 2 * AROUND));
  const from = Math.max(0, found.at - AROUND);
  const end = Math.min(body.length, found.at + found.length + AROUND);
  const marked = `${body.slice(from, found.at)}«${body.slice(found.at, found.at + found.length)}»${body.slice(found.at + found.length, end)}`;
  return `${from > 0 ? "…" : ""}${oneLine(marked)}${end < body.length ? "…" : ""}`;
}

/** Case folded, accents taken off, the length of the text kept. */
function fold(text: string): string {
  return text
    .replace(/[^\0-\x7f]/g, (char) => {
      const bare = char.normalize("NFD").replace(/\p{M}/gu, "");
      return bare.length === 1 ? bare : char;
    })
    .toLowerCase();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
