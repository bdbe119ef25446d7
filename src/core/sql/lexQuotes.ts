/** Reads quoted strings and names as one dialect does. Knows no comment and no statement. */
import { digitsEnd, isDigit, nameEnd, push, type State, suspect } from "./lexState";
import { dollarTag, eStringEnd, qQuoteEnd, quotedEnd } from "./quoting";

/** The word that stands directly before the cursor: a string prefix. */
function prefix(state: State): string {
  const last = state.tokens[state.tokens.length - 1];
  return last?.kind === "word" && last.end === state.at ? last.text : "";
}

/** An open quote takes the rest of the text with it. */
function pushQuoted(state: State, kind: "string" | "name", end: number): number {
  if (end < 0) return push(state, "bad", state.text.length);
  return push(state, kind, end, state.text.slice(state.at, end));
}

export function singleQuote(state: State): number {
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

export function doubleQuote(state: State): number {
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

export function backtick(state: State): number {
  const { text, at, profile } = state;
  if (profile.backtick === "none") return push(state, "bad", at + 1);
  const escapes = profile.backtick === "escaped";
  return pushQuoted(state, "name", quotedEnd(text, at, { escapes, doubled: !escapes }));
}

export function bracket(state: State): number {
  const { text, at, profile } = state;
  if (profile.bracket === "operator") return push(state, "op", at + 1, "[");
  const doubled = profile.bracket === "doubled";
  return pushQuoted(state, "name", quotedEnd(text, at, { escapes: false, doubled, close: 93 }));
}

export function dollar(state: State, next: number): number {
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
  // `$1_0$$` is a parameter and the name `_0$$` to an older PostgreSQL, a parameter and the start of a string to others.
  if (text.charCodeAt(end) === 36) suspect(state, "number and word glued");
  return push(state, "number", end);
}
