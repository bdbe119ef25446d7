/** Cuts SQL into tokens as one dialect's server does: linear, without recursion or backtracking. Knows no statement. */
import type { Profile } from "./dialects";
import { blockCommentEnd, dollarTag, eStringEnd, qQuoteEnd, quotedEnd } from "./quoting";

export type TokenKind = "word" | "name" | "string" | "number" | "param" | "op" | "end" | "bad";

export interface Token {
  readonly kind: TokenKind;
  /** Words in ASCII upper case, operators as one character, the source text of names, strings and `@` names; empty for the rest. */
  readonly text: string;
  /** UTF-16 offsets into the source, half open. */
  readonly start: number;
  readonly end: number;
}

/** Things that make a text suspect though it can be read; each is at least an ask. */
export type Floor =
  | "executable comment"
  | "line break in a comment"
  | "odd character"
  | "number and word glued";

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly floors: ReadonlySet<Floor>;
}

interface State {
  readonly text: string;
  readonly profile: Profile;
  readonly tokens: Token[];
  readonly floors: Set<Floor>;
  at: number;
  /** Executable comments that are being read and not closed yet. */
  running: number;
}

export function lex(text: string, profile: Profile): Lexed {
  const state: State = { text, profile, tokens: [], floors: new Set(), at: 0, running: 0 };
  while (state.at < text.length) state.at = step(state);
  if (state.running > 0) push(state, "bad", text.length);
  return { tokens: state.tokens, floors: state.floors };
}

/** Like every reader below, gives the offset at which reading goes on. */
function push(state: State, kind: TokenKind, end: number, value = ""): number {
  const last = state.tokens.at(-1);
  // A run of what cannot be read is one token, however long it is.
  if (kind === "bad" && last?.kind === "bad") state.tokens.pop();
  const start = kind === "bad" && last?.kind === "bad" ? last.start : state.at;
  state.tokens.push({ kind, text: value, start, end });
  return end;
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
  state.floors.add("odd character");
  return c === 0 ? push(state, "bad", state.at + 1) : state.at + 1;
}

function isNameStart(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95 || c >= 128;
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/** `from` on: the end of a run of name characters. */
function nameEnd(state: State, from: number): number {
  const { text, profile } = state;
  const hash = profile.hash === "name";
  let end = from;
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end);
    if (isNameStart(c) || isDigit(c) || c === 36 || (hash && c === 35) || (profile.goLine && c === 64))
      continue;
    break;
  }
  return end;
}

/** Letters, marks and digits of any script are names; every other character beyond ASCII is read differently by each engine. */
const ODD_IN_NAME = /[^\p{L}\p{M}\p{N}\x20-\x7e]/u;
const ASCII = /^[\x00-\x7f]*$/;

function word(state: State): number {
  const end = nameEnd(state, state.at);
  const raw = state.text.slice(state.at, end);
  const ascii = ASCII.test(raw);
  if (!ascii && ODD_IN_NAME.test(raw)) state.floors.add("odd character");
  const value = ascii ? raw.toUpperCase() : raw;
  const isGo = state.profile.goLine && value === "GO" && aloneOnLine(state.text, state.at, end);
  return push(state, isGo ? "end" : "word", end, isGo ? "GO" : value);
}

/** A repeat count may follow. Looks at no more than 64 characters on either side. */
function aloneOnLine(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  const after = text.slice(end, end + 64);
  return /(^|[\r\n;/])[ \t]*$/.test(before) && /^[ \t]*\d*[ \t]*(;|--|\/\*|[\r\n]|$)/.test(after);
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

function finishNumber(state: State, end: number): number {
  // What `1$$` is differs from engine to engine.
  if (state.text.charCodeAt(end) === 36) state.floors.add("number and word glued");
  return push(state, "number", end);
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end)) || (text.charCodeAt(end) === 95 && isDigit(text.charCodeAt(end + 1))))
    end++;
  return end;
}

function exponentEnd(text: string, from: number): number {
  if ((text.charCodeAt(from) | 32) !== 101) return from;
  const sign = text.charCodeAt(from + 1);
  const first = sign === 43 || sign === 45 ? from + 2 : from + 1;
  return isDigit(text.charCodeAt(first)) ? digitsEnd(text, first) : from;
}

function punctuation(state: State, c: number): number {
  const next = state.text.charCodeAt(state.at + 1);
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
      // `{{`, `{%` and `{#` are an unrendered template.
      return push(state, next === 123 || next === 37 || next === 35 ? "bad" : "op", state.at + 1, "{");
    default:
      return push(state, "op", state.at + 1, state.text[state.at] ?? "");
  }
}

function afterName(state: State): boolean {
  const last = state.tokens.at(-1);
  return last !== undefined && last.end === state.at && (last.kind === "word" || last.kind === "name");
}

/** The word that stands directly before the cursor: a string prefix. */
function prefix(state: State): string {
  const last = state.tokens.at(-1);
  return last?.kind === "word" && last.end === state.at ? last.text : "";
}

/** An open quote takes the rest of the text with it. */
function pushQuoted(state: State, kind: "string" | "name", end: number): number {
  if (end < 0) return push(state, "bad", state.text.length);
  return push(state, kind, end, state.text.slice(state.at, end));
}

function singleQuote(state: State): number {
  const { text, at, profile } = state;
  const before = prefix(state);
  if (profile.tripleQuote && text.startsWith("'''", at))
    return pushQuoted(state, "string", tripleEnd(text, at, "'''"));
  if (profile.qQuote && (before === "Q" || before === "NQ"))
    return pushQuoted(state, "string", qQuoteEnd(text, at));
  if (profile.eString && before === "E") return pushQuoted(state, "string", eStringEnd(text, at));
  const raw = profile.rawString && before === "R";
  const escapes = profile.backslash && !raw;
  return pushQuoted(state, "string", quotedEnd(text, at, { escapes, doubled: profile.doubledQuote && !raw }));
}

function doubleQuote(state: State): number {
  const { text, at, profile } = state;
  if (profile.tripleQuote && text.startsWith('"""', at))
    return pushQuoted(state, "string", tripleEnd(text, at, '"""'));
  const isString = profile.doubleQuote === "string";
  const raw = profile.rawString && prefix(state) === "R";
  const escapes = isString && profile.backslash && !raw;
  const doubled = (isString ? profile.doubledQuote : true) && !raw;
  return pushQuoted(state, isString ? "string" : "name", quotedEnd(text, at, { escapes, doubled }));
}

function tripleEnd(text: string, at: number, quote: string): number {
  for (let end = at + 3; end < text.length; end++) {
    if (text.charCodeAt(end) === 92) end++;
    else if (text.startsWith(quote, end)) return end + 3;
  }
  return -1;
}

function backtick(state: State): number {
  const { text, at, profile } = state;
  if (profile.backtick === "none") return push(state, "bad", at + 1);
  const escapes = profile.backtick === "escaped";
  return pushQuoted(state, "name", quotedEnd(text, at, { escapes, doubled: !escapes }));
}

function bracket(state: State): number {
  const { text, at, profile } = state;
  if (profile.bracket === "operator") return push(state, "op", at + 1, "[");
  const doubled = profile.bracket === "doubled";
  return pushQuoted(state, "name", quotedEnd(text, at, { escapes: false, doubled, close: 93 }));
}

function dashComments(state: State): boolean {
  if (!state.profile.dashNeedsBlank) return true;
  const third = state.text.charCodeAt(state.at + 2);
  return Number.isNaN(third) || third <= 32 || third === 127;
}

const ODD_BREAK = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/;

function lineComment(state: State): number {
  const { text, at, profile } = state;
  let end = text.indexOf("\n", at);
  if (end < 0) end = text.length;
  const body = text.slice(at, end);
  const odd = ODD_BREAK.exec(body.endsWith("\r") ? body.slice(0, -1) : body);
  if (odd !== null) {
    state.floors.add("line break in a comment");
    if (profile.returnEndsComment && body.includes("\r")) end = at + body.indexOf("\r");
  }
  return end;
}

function hash(state: State): number {
  const { profile } = state;
  if (profile.hash === "comment") return lineComment(state);
  if (profile.hash === "operator") return push(state, "op", state.at + 1, "#");
  const end = nameEnd(state, state.at);
  return push(state, "word", end, state.text.slice(state.at, end));
}

function slash(state: State, next: number): number {
  const { text, at, profile } = state;
  if (next === 47 && profile.slashComment) return lineComment(state);
  if (next !== 42) {
    const ends = profile.slashLine && aloneOnLine(text, at, at + 1);
    return push(state, ends ? "end" : "op", at + 1, "/");
  }
  if (profile.executable !== "none") {
    const header = /^\/\*[Mm]?!\d{0,6}/.exec(text.slice(at, at + 12));
    if (header !== null) {
      state.floors.add("executable comment");
      if (profile.executable === "run") {
        state.running++;
        return at + header[0].length;
      }
    }
  }
  const end = blockCommentEnd(text, at, profile.nestedComment);
  if (end >= 0) return end;
  return profile.openComment ? text.length : push(state, "bad", text.length);
}

function closeRunning(state: State): number {
  state.running--;
  return state.at + 2;
}

function dollar(state: State, next: number): number {
  const { text, at, profile } = state;
  const tag = profile.dollar === "none" ? null : dollarTag(text, at);
  if (tag !== null && (profile.dollar === "tag" || tag === "$$")) {
    const close = text.indexOf(tag, at + tag.length);
    return pushQuoted(state, "string", close < 0 ? -1 : close + tag.length);
  }
  // `$1` ends after its digits: in Transact-SQL it is money, and a word may follow at once.
  if (isDigit(next)) return finishParam(state);
  if (next === 123) return push(state, "bad", at + 1);
  return push(state, "param", nameEnd(state, at + 1));
}

function finishParam(state: State): number {
  const { text } = state;
  let end = digitsEnd(text, state.at + 1);
  if (text.charCodeAt(end) === 46) end = digitsEnd(text, end + 1);
  return push(state, "number", end);
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
