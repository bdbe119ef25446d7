/** JSON (RFC 8259) with the place of every key and value. Stricter than JSON.parse in one thing: a key written twice is an error. */

export type Path = readonly (string | number)[];

/** Offsets into the text, the end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Spans {
  readonly key?: Span;
  readonly value?: Span;
}

export type JsonText =
  | { readonly ok: true; readonly value: unknown; readonly spans: ReadonlyMap<string, Spans> }
  | { readonly ok: false; readonly message: string; readonly span: Span };

/** How paths are written as keys of a map; unambiguous for any key. */
export const pathKey = (path: Path): string => JSON.stringify(path);

const MAX_DEPTH = 64;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class Mistake extends Error {
  readonly span: Span;
  constructor(message: string, span: Span) {
    super(message);
    this.span = span;
  }
}

interface Reader {
  readonly text: string;
  at: number;
  readonly spans: Map<string, Spans>;
}

export function parseJsonText(text: string): JsonText {
  const reader: Reader = { text, at: 0, spans: new Map() };
  try {
    const value = readValue(reader, []);
    skipSpace(reader);
    if (reader.at < text.length) fail(reader, "unexpected text after the end of the document");
    return { ok: true, value, spans: reader.spans };
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, message: error.message, span: error.span };
    throw error;
  }
}

function fail(reader: Reader, message: string): never {
  const end = Math.min(reader.at + 1, reader.text.length);
  throw new Mistake(message, { start: Math.min(reader.at, reader.text.length), end });
}

function skipSpace(reader: Reader): void {
  while (" \t\r\n".includes(reader.text[reader.at] ?? "x")) reader.at++;
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

function readValue(reader: Reader, path: Path): unknown {
  skipSpace(reader);
  if (path.length > MAX_DEPTH) fail(reader, `nested deeper than ${MAX_DEPTH} levels`);
  const start = reader.at;
  const value = readBare(reader, path);
  const key = pathKey(path);
  reader.spans.set(key, { ...reader.spans.get(key), value: { start, end: reader.at } });
  return value;
}

function readBare(reader: Reader, path: Path): unknown {
  const c = reader.text[reader.at];
  if (c === undefined) fail(reader, "the document ends where a value is expected");
  if (c === "{") return readObject(reader, path);
  if (c === "[") return readArray(reader, path);
  if (c === '"') return readString(reader);
  const number = take(reader, NUMBER);
  if (number !== undefined) {
    if (/[\w.]/u.test(reader.text[reader.at] ?? "")) fail(reader, "not a number");
    return Number(number);
  }
  for (const [word, value] of WORDS) {
    if (reader.text.startsWith(word, reader.at)) {
      reader.at += word.length;
      return value;
    }
  }
  if (reader.text.startsWith("//", reader.at) || reader.text.startsWith("/*", reader.at)) {
    fail(reader, "JSON has no comments");
  }
  return fail(reader, "a value is expected here");
}

function readString(reader: Reader): string {
  const start = reader.at;
  const raw = take(reader, STRING);
  if (raw !== undefined) return JSON.parse(raw) as string;
  const end = /[^\r\n]*/u.exec(reader.text.slice(start))?.[0].length ?? 1;
  throw new Mistake("this string has no end, or holds a character that must be escaped", {
    start,
    end: start + end,
  });
}

function readObject(reader: Reader, path: Path): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  reader.at++;
  skipSpace(reader);
  if (reader.text[reader.at] === "}") reader.at++;
  else {
    for (;;) {
      skipSpace(reader);
      const start = reader.at;
      if (reader.text[start] !== '"') fail(reader, "a key in double quotes is expected here");
      const key = readString(reader);
      const span = { start, end: reader.at };
      if (entries.has(key)) throw new Mistake(`\`${key}\` is set twice`, span);
      const inner = [...path, key];
      reader.spans.set(pathKey(inner), { key: span });
      skipSpace(reader);
      if (reader.text[reader.at] !== ":") fail(reader, "a colon is expected here");
      reader.at++;
      entries.set(key, readValue(reader, inner));
      if (!goesOn(reader, "}")) break;
    }
  }
  return Object.fromEntries(entries);
}

function readArray(reader: Reader, path: Path): unknown[] {
  const items: unknown[] = [];
  reader.at++;
  skipSpace(reader);
  if (reader.text[reader.at] === "]") reader.at++;
  else {
    do {
      items.push(readValue(reader, [...path, items.length]));
    } while (goesOn(reader, "]"));
  }
  return items;
}

/** True after a comma, false after the closing bracket. */
function goesOn(reader: Reader, close: string): boolean {
  skipSpace(reader);
  const c = reader.text[reader.at];
  if (c !== "," && c !== close) fail(reader, `a comma or \`${close}\` is expected here`);
  reader.at++;
  return c === ",";
}
