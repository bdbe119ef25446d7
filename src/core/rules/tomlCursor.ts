/** Where in a TOML text a cursor stands: in a table's header, a key or a value. Reads texts that are half written; knows no grammar. */
import type { Path } from "./jsonText";

export type TomlCursor =
  | { readonly kind: "none" }
  /** `start` is the first bracket. */
  | { readonly kind: "header"; readonly start: number }
  | {
      readonly kind: "key";
      readonly start: number;
      readonly table: Path;
      /** Keys of the table that are there, with their values where those are text. */
      readonly written: Written;
    }
  | {
      readonly kind: "value";
      /** Behind the opening quote where there is one. */
      readonly start: number;
      readonly path: Path;
      readonly quoted: "yes" | "no";
      readonly written: Written;
    };

export type Written = ReadonlyMap<string, string | undefined>;

/** Ends the reading: what stands there is the answer. */
class Reached extends Error {
  readonly cursor: TomlCursor;
  constructor(cursor: TomlCursor) {
    super("reached");
    this.cursor = cursor;
  }
}

interface Frame {
  readonly path: Path;
  readonly written: Map<string, string | undefined>;
}

interface Reader {
  readonly text: string;
  at: number;
}

/** Never throws. Offsets are UTF-16 units. */
export function tomlCursor(text: string, offset: number): TomlCursor {
  const reader: Reader = { text: text.slice(0, offset), at: 0 };
  const lists = new Map<string, number>();
  let frame: Frame = { path: [], written: new Map() };
  try {
    for (;;) {
      skip(reader, /[\s]*/uy);
      if (reader.text[reader.at] === "#") comment(reader);
      else if (reader.text[reader.at] === "[") frame = header(reader, lists, frame);
      else pair(reader, frame, /[=\n]/u);
    }
  } catch (error) {
    if (!(error instanceof Reached)) throw error;
    return withFollowing(error.cursor, { text, offset, frame });
  }
}

/** Keys of a table that stand below the cursor are written too. */
function withFollowing(
  cursor: TomlCursor,
  { text, offset, frame }: { readonly text: string; readonly offset: number; readonly frame: Frame },
): TomlCursor {
  if (cursor.kind !== "key" || cursor.table !== frame.path) return cursor;
  const written = new Map(cursor.written);
  for (const line of text.slice(offset).split("\n").slice(1)) {
    if (/^\s*\[/u.test(line)) break;
    const key = /^\s*([\w-]+)\s*=/u.exec(line)?.[1];
    if (key !== undefined) written.set(key, undefined);
  }
  return { ...cursor, written };
}

function skip(reader: Reader, pattern: RegExp): void {
  pattern.lastIndex = reader.at;
  reader.at += pattern.exec(reader.text)?.[0].length ?? 0;
}

const ended = (reader: Reader): boolean => reader.at >= reader.text.length;

function comment(reader: Reader): void {
  const end = reader.text.indexOf("\n", reader.at);
  if (end < 0) throw new Reached({ kind: "none" });
  reader.at = end + 1;
}

function header(reader: Reader, lists: Map<string, number>, before: Frame): Frame {
  const start = reader.at;
  const line = /[^\n]*/u.exec(reader.text.slice(start))?.[0] ?? "";
  reader.at += line.length;
  const closed = /^(\[\[?)\s*([^\]]*?)\s*\]\]?/u.exec(line);
  if (ended(reader)) throw new Reached(closed === null ? { kind: "header", start } : { kind: "none" });
  if (closed === null) return before;
  const [, open, name = ""] = closed;
  const path: (string | number)[] = [];
  const parts = name.split(".").map((part) => part.trim().replace(/^["']|["']$/gu, ""));
  parts.forEach((part, index) => {
    path.push(part);
    const key = JSON.stringify(parts.slice(0, index + 1));
    const last = index === parts.length - 1;
    if (last && open === "[[") lists.set(key, (lists.get(key) ?? -1) + 1);
    const place = lists.get(key);
    if (place !== undefined) path.push(place);
  });
  return { path, written: new Map() };
}

/** `key = value` up to `stop`, which is not taken where it is no `=`. */
function pair(reader: Reader, frame: Frame, stop: RegExp): void {
  const start = reader.at;
  while (!ended(reader) && !stop.test(reader.text[reader.at] ?? "")) reader.at++;
  const { path: table, written } = frame;
  if (ended(reader)) throw new Reached({ kind: "key", start, table, written });
  const name = reader.text
    .slice(start, reader.at)
    .trim()
    .replace(/^["']|["']$/gu, "");
  if (reader.text[reader.at] !== "=") {
    if (reader.text[reader.at] === "\n") reader.at++;
    return;
  }
  reader.at++;
  const path = [...table, ...name.split(".").map((part) => part.trim())];
  written.set(name, value(reader, { path, written }));
}

/** The value where it is a text. */
function value(reader: Reader, frame: Frame): string | undefined {
  skip(reader, /[ \t]*/uy);
  const { path, written } = frame;
  const start = reader.at;
  const here = (at: number, quoted: "yes" | "no") =>
    new Reached({ kind: "value", start: at, path, quoted, written });
  if (ended(reader)) throw here(start, "no");
  const c = reader.text[start];
  if (c === "{") return inlineTable(reader, path);
  if (c === "[") return list(reader, frame);
  const long = /^(?:"""|''')/u.exec(reader.text.slice(start, start + 3))?.[0];
  if (long !== undefined) {
    const end = reader.text.indexOf(long, start + 3);
    if (end < 0) throw new Reached({ kind: "none" });
    reader.at = end + 3;
    return undefined;
  }
  if (c === '"' || c === "'") {
    const body = c === '"' ? /(?:[^"\\\n]|\\.)*/uy : /[^'\n]*/uy;
    reader.at++;
    skip(reader, body);
    if (ended(reader)) throw here(start + 1, "yes");
    const text = reader.text.slice(start + 1, reader.at);
    if (reader.text[reader.at] === c) reader.at++;
    return text;
  }
  skip(reader, /[^,\]}\n#]*/uy);
  if (ended(reader)) throw here(start, "no");
  return undefined;
}

const BETWEEN = /(?:[\s,]|#[^\n]*\n)*/uy;

function inlineTable(reader: Reader, path: Path): undefined {
  reader.at++;
  const inner: Frame = { path, written: new Map() };
  for (;;) {
    skip(reader, BETWEEN);
    if (reader.text[reader.at] === "#") throw new Reached({ kind: "none" });
    if (reader.text[reader.at] === "}") {
      reader.at++;
      return;
    }
    const before = reader.at;
    pair(reader, inner, /[=,}\n]/u);
    // What is no pair must not hold us.
    if (reader.at === before) reader.at++;
  }
}

function list(reader: Reader, { path, written }: Frame): undefined {
  reader.at++;
  for (let index = 0; ; index++) {
    skip(reader, BETWEEN);
    if (reader.text[reader.at] === "#") throw new Reached({ kind: "none" });
    if (reader.text[reader.at] === "]") {
      reader.at++;
      return;
    }
    const before = reader.at;
    value(reader, { path: [...path, index], written });
    if (reader.at === before) reader.at++;
  }
}
