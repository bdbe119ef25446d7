/** Finds `name = value` in free text, whatever the notation, where the name announces a secret. Looks at each character a bounded number of times. */
import { isFileName, isNoSecret, isSettingKey } from "./secretDoubts";
import type { SecretNames } from "./secretKeys";
import { elementValues, foldedValues, valueOfNeighbour } from "./secretNotations";
import { isDrawn } from "./secretSpoken";
import { type TextWords, textWords } from "./secretWords";

/** Start, end, type. */
export type Span = readonly [number, number, string];

const MAX_NAME = 64;
const MAX_VALUE = 8192;
const SPACES = 16;
/** So much of a value tells whether it is one. */
const MAX_JUDGED = 512;

/** Built once for each set of names: compiling takes longer than searching a short text. */
const HINTS = new WeakMap<SecretNames, RegExp>();

function hintOf(names: SecretNames): RegExp {
  const known = HINTS.get(names) ?? new RegExp(names.hint, "gi");
  HINTS.set(names, known);
  return known;
}

export function namedValues(text: string, names: SecretNames, spans: Span[]): void {
  const hint = hintOf(names);
  hint.lastIndex = 0;
  const valueOfElement = elementValues(text);
  const words = { ...textWords(text), folded: foldedValues(text) };
  let floor = 0;
  for (let m = hint.exec(text); m !== null; m = hint.exec(text)) {
    const name = nameAround(text, { start: m.index, end: m.index + m[0].length, floor });
    floor = name.end;
    hint.lastIndex = Math.max(hint.lastIndex, name.end);
    const spelt = text.slice(name.start, name.end);
    if (isFileName(spelt)) continue;
    const value = valueAfter(text, name, words) ?? valueOfElement(name) ?? valueOfNeighbour(text, name);
    if (value === undefined) continue;
    const [start, end] = value;
    const secret = text.slice(start, end);
    if (isNoSecret(secret, spelt)) continue;
    if (!names.isSecret(spelt, secret.slice(0, MAX_JUDGED)) && !(isSettingKey(spelt) && isDrawn(secret)))
      continue;
    spans.push([start, end, typeOf(spelt)]);
    hint.lastIndex = Math.max(hint.lastIndex, end);
    floor = end;
  }
}

function typeOf(name: string): string {
  const m = /pass|pwd|secret|token|key|auth|cookie|credential/i.exec(name);
  switch (m?.[0].toLowerCase()) {
    case "pass":
    case "pwd":
      return "password";
    case "auth":
      return "authorization";
    case undefined:
      return "named";
    default:
      return m?.[0].toLowerCase() ?? "named";
  }
}

/** Where values end, remembered over the whole text. */
interface Words extends TextWords {
  readonly folded: ReturnType<typeof foldedValues>;
}

/** Where a name stands in the text. */
export interface Name {
  readonly start: number;
  readonly end: number;
}

function nameAround(text: string, at: Name & { readonly floor: number }): Name {
  let { start, end } = at;
  while (start > at.floor && at.start - start < MAX_NAME && isNameUnit(text.charCodeAt(start - 1)))
    start -= 1;
  while (end < text.length && end - at.end < MAX_NAME && isNameUnit(text.charCodeAt(end))) end += 1;
  return { start, end };
}

/** Letters, digits, `_`, `-`, `.`. */
function isNameUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 95 ||
    unit === 45 ||
    unit === 46
  );
}

/** `-x`, `--x`, and `/x` of Windows where it begins a word. */
function isFlagAt(text: string, start: number): boolean {
  if (text[start] === "-" || text[start - 1] === "-") return true;
  return text[start - 1] === "/" && (start === 1 || /\s/.test(text[start - 2] ?? ""));
}

/** `secret_access_key fhr…`: names with a line in them are no English. */
function drawnWord(text: string, name: Name, word: [number, number] | undefined): typeof word {
  if (!text.slice(name.start, name.end).includes("_")) return undefined;
  return word !== undefined && word[1] - word[0] >= 12 && isDrawn(text.slice(...word)) ? word : undefined;
}

const COMPLAINT = /(?:unexpected|unknown|invalid|expected|illegal|missing|bad)[ \t]{1,4}$/i;

function valueAfter(text: string, name: Name, words: Words): [number, number] | undefined {
  const afterName = skipQuote(text, name.end);
  const afterSpace = skipSpaces(text, afterName);
  const separator = separatorAt(text, afterSpace);
  const isFlag = isFlagAt(text, name.start);
  const at = separator === 0 ? afterSpace : skipSpaces(text, afterSpace + separator);
  const opener = quoteAt(text, at);
  if (separator === 0) {
    if (afterSpace === name.end) return undefined;
    // `PASSWORD 'x'` of SQL, `--password x` of a command line.
    if (afterSpace === afterName) return undefined;
    if (!isFlag && opener === 0) return drawnWord(text, name, words.bare(at, "word"));
    if (isFlag && text[at] === "-" && opener === 0) return undefined;
    // `Unexpected token 'export'`.
    if (!isFlag && COMPLAINT.test(text.slice(Math.max(0, name.start - 16), name.start))) return undefined;
  }
  if (opener > 0) {
    const quoted = quotedValue(text, at, opener);
    // What a command prints: TOKEN=`cat file`.
    const isCommand =
      text[at] === "`" && text[at - 1] === "=" && /^\S{1,64} \S/.test(text.slice(quoted[0], quoted[1]));
    return isCommand ? undefined : quoted;
  }
  // A comparison in code: the other side is a name, not a secret.
  if (separator > 1 && text[afterSpace] === "=" && text[afterSpace + 1] === "=") return undefined;
  if (isHeaderName(text.slice(name.start, name.end))) return lineValue(text, at);
  const isSetting =
    at === name.end + 1 && text[at - 1] === "=" && ENV_NAME.test(text.slice(name.start, name.end));
  return words.folded(at) ?? words.bare(at, isSetting ? "setting" : "word");
}

const ENV_NAME = /^[A-Z][A-Z0-9_]{2,}$/;

/** A closing quote, escaped or not, and a bracket: `"password"`, `\"password\"`, `['password']`. */
function skipQuote(text: string, at: number): number {
  let i = at + quoteAt(text, at);
  if (text[i] === "]") i += 1;
  return i;
}

/** Length of a quote with the backslashes before it; 0 = none. */
function quoteAt(text: string, at: number): number {
  let i = at;
  while (i - at < 7 && text[i] === "\\") i += 1;
  const c = text[i];
  return c === '"' || c === "'" || c === "`" ? i - at + 1 : 0;
}

function skipSpaces(text: string, at: number): number {
  let i = at;
  while (i - at < SPACES && (text[i] === " " || text[i] === "\t")) i += 1;
  return i;
}

/** Length of `=`, `:`, `:=`, `=>`, `==`, `===`; 0 = none. `::` is a cast, not a separator. */
function separatorAt(text: string, at: number): number {
  const c = text[at];
  if (c === "!" && text[at + 1] === "=") return text[at + 2] === "=" ? 3 : 2;
  if (c === ":") return text[at + 1] === ":" ? 0 : text[at + 1] === "=" ? 2 : 1;
  if (c !== "=") return 0;
  if (text[at + 1] === ">") return 2;
  if (text[at + 1] !== "=") return 1;
  return text[at + 2] === "=" ? 3 : 2;
}

function quotedValue(text: string, at: number, opener: number): [number, number] {
  const start = at + opener;
  const quote = text.slice(at, start);
  const stop = Math.min(text.length, start + MAX_VALUE);
  for (let i = start; i < stop; i += 1) {
    if (text.startsWith(quote, i) && (opener > 1 || text[i - 1] !== "\\" || i === start)) return [start, i];
    if (opener === 1 && text[i] === "\\") i += 1;
  }
  return [start, stop];
}

function isHeaderName(name: string): boolean {
  return /(?:^|[-_.])(?:authorization|cookie)$/i.test(name);
}

/** A header's value goes to the end of the line, or to the quote around the whole header. */
function lineValue(text: string, at: number): [number, number] | undefined {
  let end = at;
  const stop = Math.min(text.length, at + MAX_VALUE);
  while (end < stop && !"\r\n\"'`".includes(text[end] ?? "\n")) end += 1;
  if (text[end - 1] === "\\") end -= 1;
  return end === at ? undefined : [at, end];
}
