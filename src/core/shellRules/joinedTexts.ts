/** Texts of PowerShell put together from pieces: `'a'+'b'`, `'a','b' -join ''`, `'{1}{0}' -f 'b','a'`. Knows no command. */

/** Of what is put together, in UTF-16 units. */
const MAX_TEXT = 65_536;
const ROUNDS = 8;
const LIST = String.raw`['"][^'"\n]*['"](?:\s*,\s*['"][^'"\n]*['"])*`;

/** For a text without long runs of blanks. */
export function textsPut(text: string): string {
  return formatted(listsJoined(added(text)));
}

/** `'Remove'+'-Item'` */
function added(text: string): string {
  let out = text;
  for (let round = 0; round < ROUNDS; round++) {
    const next = out.replace(
      /(['"])([^'"$\n]*)\1\s*\+\s*(['"])([^'"$\n]*)\3/g,
      (_, q: string, a: string, _r: string, b: string) => `${q}${a}${b}${q}`,
    );
    if (next === out) break;
    out = next;
  }
  return out;
}

/** `('Remove','-Item') -join ''`, `-join ('Remove','-Item')` */
function listsJoined(text: string): string {
  let out = "";
  let done = 0;
  for (const found of text.matchAll(/-join\s*(?:(['"])([^'"]*)\1)?/gi)) {
    if (found.index < done) continue;
    const end = found.index + found[0].length;
    const list = listBefore(text, found.index, done);
    if (list !== undefined && found[1] !== undefined) {
      out += `${text.slice(done, list.from)}'${textsOf(text.slice(list.from, found.index)).join(found[2])}'`;
      // `('a','b' -join '')`: the bracket in front of the list closes behind it.
      done = list.closed ? end : end + (/^\s*\)/.exec(text.slice(end, end + 8))?.[0].length ?? 0);
      continue;
    }
    const behind = listBehind(text, end);
    if (behind === undefined) continue;
    out += `${text.slice(done, found.index)}'${textsOf(text.slice(end, behind)).join("")}'`;
    done = behind;
  }
  return out + text.slice(done);
}

const textsOf = (list: string): readonly string[] =>
  [...list.matchAll(/['"]([^'"]*)['"]/g)].map((found) => found[1] ?? "");

const BEHIND = new RegExp(String.raw`\s*\(\s*${LIST}\s*\)`, "y");

function listBehind(text: string, at: number): number | undefined {
  BEHIND.lastIndex = at;
  return BEHIND.test(text) ? BEHIND.lastIndex : undefined;
}

/** Where the bracket of a list of texts opens that ends in front of `end`; read from its end, so that no list is read twice. */
function listBefore(
  text: string,
  end: number,
  least: number,
): { readonly from: number; readonly closed: boolean } | undefined {
  const back = (at: number): number => {
    let i = at;
    while (i >= least && /\s/.test(text[i] ?? "")) i--;
    return i;
  };
  let at = back(end - 1);
  const closed = text[at] === ")";
  if (closed) at = back(at - 1);
  for (;;) {
    if (!isQuote(text[at])) return undefined;
    do at--;
    while (at >= least && !/['"$\n]/.test(text[at] ?? ""));
    if (at < least || !isQuote(text[at])) return undefined;
    at = back(at - 1);
    if (text[at] === "(") return { from: at, closed };
    if (text[at] !== ",") return undefined;
    at = back(at - 1);
  }
}

const isQuote = (c: string | undefined): boolean => c === "'" || c === '"';

const FORMAT = new RegExp(String.raw`(['"])([^'"\n]*)\1\s*-f\s*(${LIST})`, "gi");

/** `"{1}-{0}" -f 'Item','Remove'` */
function formatted(text: string): string {
  return text.replace(FORMAT, (whole, _q: string, format: string, list: string) => {
    const slots = [...format.matchAll(/\{(\d+)\}/g)];
    if (slots.length === 0) return whole;
    const words = textsOf(list);
    // What would be longer than a text may be is none.
    let room = MAX_TEXT;
    const put = format.replace(/\{(\d+)\}/g, (_whole, at: string) => {
      const word = words[Number(at)] ?? "";
      room -= word.length;
      return room < 0 ? "" : word;
    });
    return `'${put}'`;
  });
}
