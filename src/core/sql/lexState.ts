/** Tokens, the lexer's state and the steps that all its readers share. Knows no quote and no comment. */
import type { Profile } from "./dialects";

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

export interface State {
  readonly text: string;
  readonly profile: Profile;
  readonly tokens: Token[];
  /** Each once. */
  readonly floors: Floor[];
  at: number;
  /** Executable comments that are being read and not closed yet. */
  running: number;
}

/** Like every reader below, gives the offset at which reading goes on. */
export function push(state: State, kind: TokenKind, end: number, value = ""): number {
  if (kind === "bad") return pushBad(state, end, value);
  state.tokens.push({ kind, text: value, start: state.at, end });
  return end;
}

/** A run of what cannot be read is one token, however long it is. */
function pushBad(state: State, end: number, value: string): number {
  const last = state.tokens.at(-1);
  if (last?.kind === "bad") state.tokens.pop();
  const start = last?.kind === "bad" ? last.start : state.at;
  state.tokens.push({ kind: "bad", text: value, start, end });
  return end;
}

export function suspect({ floors }: State, floor: Floor): void {
  if (!floors.includes(floor)) floors.push(floor);
}

export function isNameStart(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95 || c >= 128;
}

export function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/** `from` on: the end of a run of name characters. */
export function nameEnd({ text, profile }: State, from: number): number {
  let end = from;
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end);
    if (isNameStart(c) || isDigit(c) || c === 36) continue;
    if ((c === 35 && profile.hash === "name") || (c === 64 && profile.goLine)) continue;
    break;
  }
  return end;
}

export function digitsEnd(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end)) || (text.charCodeAt(end) === 95 && isDigit(text.charCodeAt(end + 1))))
    end++;
  return end;
}

/** A repeat count may follow. Looks at no more than 64 characters on either side. */
export function aloneOnLine(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  const after = text.slice(end, end + 64);
  return /(^|[\r\n;/])[ \t]*$/.test(before) && /^[ \t]*\d*[ \t]*(;|--|\/\*|[\r\n]|$)/.test(after);
}
