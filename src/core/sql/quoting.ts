/** Finds where quoted things and comments end. Every function is linear in what it passes over; -1 = still open. */

export interface QuoteRules {
  readonly escapes: boolean;
  /** The closing quote twice stands for itself. */
  readonly doubled: boolean;
  /** Character code of the closing quote; default: the opening one. */
  readonly close?: number;
}

/** `at` is the opening quote; the result is the offset behind the closing one. */
export function quotedEnd(text: string, at: number, rules: QuoteRules): number {
  const close = rules.close ?? text.charCodeAt(at);
  for (let end = at + 1; end < text.length; end++) {
    const c = text.charCodeAt(end);
    if (c === 92 && rules.escapes) end++;
    else if (c === close) {
      if (!rules.doubled || text.charCodeAt(end + 1) !== close) return end + 1;
      end++;
    }
  }
  return -1;
}

/** PostgreSQL's E'..': it goes on, escapes still on, when only blanks with a line end stand before the next quote. */
export function eStringEnd(text: string, at: number): number {
  let end = quotedEnd(text, at, { escapes: true, doubled: true });
  while (end >= 0) {
    const next = continuation(text, end);
    if (next < 0) return end;
    end = quotedEnd(text, next, { escapes: true, doubled: true });
  }
  return -1;
}

/** Offset of the quote that continues the string ending at `from`, or -1. Comments may stand between. */
function continuation(text: string, from: number): number {
  let sawLine = false;
  for (let at = from; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 10 || c === 13) sawLine = true;
    else if (c === 45 && text.charCodeAt(at + 1) === 45) {
      while (at + 1 < text.length && !/[\r\n]/.test(text[at + 1] ?? "")) at++;
    } else if (c === 39) return sawLine ? at : -1;
    else if (c !== 32 && c !== 9 && c !== 12 && c !== 11) return -1;
  }
  return -1;
}

const Q_CLOSERS: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")", "<": ">" };

/** Oracle's q'[..]'; `at` is the quote behind the q. */
export function qQuoteEnd(text: string, at: number): number {
  const open = text[at + 1];
  if (open === undefined || /\s/.test(open)) return -1;
  const close = text.indexOf(`${Q_CLOSERS[open] ?? open}'`, at + 2);
  return close < 0 ? -1 : close + 2;
}

/** `$$` or `$tag$` at `at`, or null. A tag may be of any length. */
export function dollarTag(text: string, at: number): string | null {
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
  tag.lastIndex = at;
  return tag.exec(text)?.[0] ?? null;
}

/** `$name(..)` at `at`, as SQLite reads a parameter: -1 = no bracket follows the name, NaN = the bracket stays open. */
export function bracketParamEnd(text: string, at: number): number {
  // A second colon of a run was passed over with the first.
  if (text[at] === ":" && text[at - 1] === ":") return -1;
  let end = at + 1;
  let named = false;
  for (; end < text.length; end++) {
    if (/[\w$\u0080-\uffff]/.test(text[end] ?? "")) named = true;
    else if (text[end] === ":" && text[end + 1] === ":") end++;
    else break;
  }
  if (text[end] !== "(" || !named) return -1;
  while (end < text.length && !/[\s)]/.test(text[end] ?? "")) end++;
  return text[end] === ")" ? end + 1 : Number.NaN;
}

export function blockCommentEnd(text: string, at: number, nested: boolean): number {
  if (!nested) {
    const close = text.indexOf("*/", at + 2);
    return close < 0 ? -1 : close + 2;
  }
  let depth = 1;
  for (let end = at + 2; end < text.length; end++) {
    const c = text.charCodeAt(end);
    const next = text.charCodeAt(end + 1);
    if (c === 42 && next === 47) {
      depth--;
      end++;
      if (depth === 0) return end + 1;
    } else if (c === 47 && next === 42) {
      depth++;
      end++;
    }
  }
  return -1;
}
