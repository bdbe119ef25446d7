/** Cuts SQL into tokens as one dialect's server does: linear, without recursion or backtracking. Knows no statement. */
import type { Profile } from "./dialects";
import { closeRunning, dashComments, hash, lineComment, slash } from "./lexComments";
import { backtick, bracket, dollar, doubleQuote, singleQuote } from "./lexQuotes";
import {
  aloneOnLine,
  digitsEnd,
  type Floor,
  isDigit,
  isNameStart,
  nameEnd,
  push,
  type State,
  suspect,
  type Token,
} from "./lexState";
import { bracketParamEnd } from "./quoting";

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly floors: readonly Floor[];
}

export function lex(text: string, profile: Profile): Lexed {
  const state: State = { text, profile, tokens: [], floors: [], at: 0, running: 0 };
  while (state.at < text.length) state.at = step(state);
  if (state.running > 0) push(state, "bad", text.length);
  return { tokens: state.tokens, floors: state.floors };
}

function step(state: State): number {
  const { text, at } = state;
  const c = text.charCodeAt(at);
  if (c === 32 || c === 10 || c === 13 || c === 9) return at + 1;
  if (isNameStart(c)) return word(state);
  if (isDigit(c)) return number(state);
  if (c < 32 || c === 127) return oddCharacter(state, c);
  return punctuation(state, c);
}

function oddCharacter(state: State, c: number): number {
  suspect(state, "odd character");
  return c === 0 ? push(state, "bad", state.at + 1) : state.at + 1;
}

/** Letters, marks and digits of any script are names; every other character beyond ASCII is read differently by each engine. */
const ODD_IN_NAME = /[^\p{L}\p{M}\p{N}\x20-\x7e]/u;

/** Transact-SQL's signs of money beside `$`; an amount may follow at once. */
const CURRENCY =
  /^[\u00a2-\u00a5\u09f2\u09f3\u0e3f\u17db\u20a0-\u20b1\ufdfc\ufe69\uff04\uffe0\uffe1\uffe5\uffe6]\d/;

function word(state: State): number {
  const { text, at, profile } = state;
  const end = nameEnd(state, at);
  const raw = text.slice(at, end);
  if (!isAscii(raw)) return foreignWord(state, end, raw);
  const value = raw.toUpperCase();
  const isGo = profile.goLine && value === "GO" && aloneOnLine(text, at, end);
  return push(state, isGo ? "end" : "word", end, value);
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

function foreignWord(state: State, end: number, raw: string): number {
  if (state.profile.goLine && CURRENCY.test(raw)) return money(state);
  if (ODD_IN_NAME.test(raw)) suspect(state, "odd character");
  return push(state, "word", end, raw);
}

function number(state: State): number {
  const { text, at } = state;
  let end = at;
  const marker = text.charCodeAt(at + 1) | 32;
  if (text.charCodeAt(at) === 48 && marker === 120) {
    end = at + 2;
    while (/[0-9a-fA-F]/.test(text[end] ?? "")) end++;
  } else {
    end = digitsEnd(text, at);
    if (text.charCodeAt(end) === 46) end = digitsEnd(text, end + 1);
    end = exponentEnd(text, end);
  }
  return finishNumber(state, end);
}

function money(state: State): number {
  const end = digitsEnd(state.text, state.at + 1);
  return finishNumber(state, state.text.charCodeAt(end) === 46 ? digitsEnd(state.text, end + 1) : end);
}

function finishNumber(state: State, end: number): number {
  // What `1$$` is differs from engine to engine.
  if (state.text.charCodeAt(end) === 36) suspect(state, "number and word glued");
  return push(state, "number", end);
}

function exponentEnd(text: string, from: number): number {
  if ((text.charCodeAt(from) | 32) !== 101) return from;
  const sign = text.charCodeAt(from + 1);
  const first = sign === 43 || sign === 45 ? from + 2 : from + 1;
  return isDigit(text.charCodeAt(first)) ? digitsEnd(text, first) : from;
}

function punctuation(state: State, c: number): number {
  const next = state.text.charCodeAt(state.at + 1);
  // `#`, `$`, `:` and `@`.
  if (state.profile.bracketParam && (c === 35 || c === 36 || c === 58 || c === 64)) {
    const end = bracketParamEnd(state.text, state.at);
    if (end !== -1)
      return push(state, Number.isNaN(end) ? "bad" : "param", Number.isNaN(end) ? state.at + 1 : end);
  }
  switch (c) {
    case 39:
      return singleQuote(state);
    case 34:
      return doubleQuote(state);
    case 96:
      return backtick(state);
    case 91:
      return bracket(state);
    case 45:
      return next === 45 && dashComments(state) ? lineComment(state) : push(state, "op", state.at + 1, "-");
    case 35:
      return hash(state);
    case 47:
      return slash(state, next);
    case 42:
      if (next === 47 && state.running > 0) return closeRunning(state);
      return push(state, "op", state.at + 1, "*");
    case 36:
      return dollar(state, next);
    case 59:
      return push(state, "end", state.at + 1, ";");
    case 92:
      return backslash(state, next);
    case 64:
      return at(state, next);
    case 63:
      return push(state, "param", digitsEnd(state.text, state.at + 1));
    case 46:
      if (isDigit(next) && !afterName(state))
        return finishNumber(state, exponentEnd(state.text, digitsEnd(state.text, state.at + 1)));
      return push(state, "op", state.at + 1, ".");
    case 123:
      return brace(state, next);
    default:
      return push(state, "op", state.at + 1, state.text[state.at] ?? "");
  }
}

function brace(state: State, next: number): number {
  // `{{`, `{%` and `{#` are an unrendered template.
  if (next === 123 || next === 37 || next === 35) return push(state, "bad", state.at + 1);
  if (!state.profile.braceComment) return push(state, "op", state.at + 1, "{");
  const close = state.text.indexOf("}", state.at);
  return close < 0 ? push(state, "bad", state.text.length) : close + 1;
}

function afterName(state: State): boolean {
  const last = state.tokens[state.tokens.length - 1];
  return last !== undefined && last.end === state.at && (last.kind === "word" || last.kind === "name");
}

function at(state: State, next: number): number {
  if (!state.profile.atName) return push(state, "op", state.at + 1, "@");
  const from = next === 64 ? state.at + 2 : state.at + 1;
  const end = nameEnd(state, from);
  return push(
    state,
    "param",
    end,
    end === from ? "@" : state.text.slice(state.at, Math.min(end, state.at + 130)),
  );
}

function backslash(state: State, next: number): number {
  if (!state.profile.backslashWord) return push(state, "bad", state.at + 1);
  const stands = !isNameStart(state.text.charCodeAt(state.at + 2));
  if ((next | 32) === 103 && stands) return push(state, "end", state.at + 2, "\\G");
  if (next === 78 && stands) return push(state, "number", state.at + 2);
  return push(state, "bad", state.at + 1);
}
