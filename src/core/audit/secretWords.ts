/** Where a word of a text ends, as a shell, a query string, a connection string or YAML would end it. Linear over a whole text, however many words are asked for. */

type Range = [number, number];

const MAX_VALUE = 8192;

export interface TextWords {
  /** The word that begins here; undefined where none does, or where a call of a function stands. "setting": a line of an `.env` file, which may hold brackets. */
  readonly bare: (at: number, how: "word" | "setting") => Range | undefined;
}

const unitsOf = (signs: string): Uint8Array => {
  const table = new Uint8Array(128);
  for (const sign of signs) table[sign.charCodeAt(0)] = 1;
  return table;
};
const ENDS = { word: unitsOf(" \t\r\n;&|<>(){}`"), setting: unitsOf(" \t\r\n;&|<>`") } as const;
const ENDS_LIST_ITEM = unitsOf(" \t\r\n\"'\\]}");

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const LETTER_N = 0x6e;

/** `${VAR}` and `{{ name }}` are looked at whole, to be spared. */
const PLACEHOLDER =
  /^(?:\$\([^()\n]{0,100}\)|\$\{\{[^}\n]{0,100}\}\}|\$\{[^}\n]{0,100}\}|\{\{[^}\n]{0,100}\}\}|<[^<>\n]{0,100}>)/;

/** Units walked over before a table of all ends is worth its making. */
const MAX_WALKED = 16_384;

export function textWords(text: string): TextWords {
  let walked = 0;
  const tables: Partial<Record<keyof typeof ENDS, Int32Array>> = {};
  let nextClose = -1;

  function endFrom(from: number, how: keyof typeof ENDS): number {
    const stop = Math.min(text.length, from + MAX_VALUE);
    if (walked > MAX_WALKED) {
      tables[how] ??= allEnds(text, ENDS[how]);
      return Math.min(stop, tables[how][from] ?? stop);
    }
    let i = from;
    while (i < stop) {
      const next = stepFrom(text, i, ENDS[how]);
      if (next === i) break;
      i = next;
    }
    walked += i - from;
    return Math.min(i, stop);
  }

  /** `[a, b]`: what stands between the brackets. */
  function listed(start: number): Range | undefined {
    if (nextClose < start) nextClose = text.slice(start).search(/[\]\n]/) + start;
    if (nextClose < start) nextClose = Number.POSITIVE_INFINITY;
    return nextClose === start || nextClose >= start + MAX_VALUE ? undefined : [start, nextClose];
  }

  return {
    bare(at, how) {
      const first = text[at] ?? " ";
      if (first === "[" && !text.startsWith("[REDACTED", at)) return listed(at + 1);
      const placeholder = "${<".includes(first) ? PLACEHOLDER.exec(text.slice(at, at + 110)) : null;
      const end = endFrom(at + (placeholder?.[0].length ?? 0), how);
      // A call: `token = getToken(...)`.
      if (text[end] === "(" && /^[A-Za-z_$][\w.$]*$/.test(text.slice(at, Math.min(end, at + 100))))
        return undefined;
      return end === at ? undefined : [at, end];
    },
  };
}

/** For each place where a word that goes on there ends. */
function allEnds(text: string, ends: Uint8Array): Int32Array {
  const table = new Int32Array(text.length + 2).fill(text.length);
  for (let i = text.length - 1; i >= 0; i -= 1) {
    const next = stepFrom(text, i, ends);
    table[i] = next === i ? i : (table[next] ?? text.length);
  }
  return table;
}

/** The next place of the same word; the place itself where the word ends. */
function stepFrom(text: string, i: number, ends: Uint8Array): number {
  const unit = text.charCodeAt(i);
  if (unit === BACKSLASH) {
    if (i + 1 >= text.length) return i + 1;
    const next = text.charCodeAt(i + 1);
    return next === QUOTE || next === LETTER_N ? i : i + 2;
  }
  if (unit === QUOTE || unit === APOSTROPHE) {
    const close = closingInWord(text, i);
    return close === -1 ? i : close + 1;
  }
  if (unit < 128 && ends[unit] === 1) return i;
  if (unit === COMMA && (i + 1 >= text.length || ENDS_LIST_ITEM[text.charCodeAt(i + 1)] === 1)) return i;
  return i + 1;
}

/** `ab"cd"ef` is one shell word; the quote that closes a header around us is not part of it. */
function closingInWord(text: string, at: number): number {
  const quote = text.charCodeAt(at);
  const stop = Math.min(text.length, at + 256);
  for (let i = at + 1; i < stop; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === quote) return i === at + 1 ? -1 : i;
    if ((unit < 128 && ENDS.word[unit] === 1) || unit === COMMA) return -1;
  }
  return -1;
}
