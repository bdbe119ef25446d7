/** Where each key and value of a configuration text stands. Knows the syntax of TOML and JSON, nothing of the grammar. */
import { type AST, parseTOML } from "toml-eslint-parser";
import { type Path, pathKey, type Span, type Spans } from "./jsonText";

/** Lines and columns count from 1 (columns in UTF-16 units, as editors do); the end is exclusive. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Places {
  /** The key itself where it is written, else its nearest written ancestor, else the start of the file. */
  key(path: Path): Range;
  /** The value where it is written, else as `key`; of a text, the part `within` where it is written as it reads. */
  value(path: Path, within?: Span): Range;
}

const START: Range = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/** Turns offsets into ranges. Lines end at LF or CRLF. */
export function rangesOf(text: string): (span: Span) => Range {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const position = (offset: number) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
  return ({ start, end }) => {
    const from = position(start);
    const to = position(Math.max(start, end));
    return { ...from, endLine: to.line, endColumn: to.column };
  };
}

export function placesOf(text: string, spans: ReadonlyMap<string, Spans>): Places {
  const range = rangesOf(text);
  const find = (path: Path, want: readonly (keyof Spans)[]): Range => {
    for (let length = path.length; length > 0; length--) {
      const at = spans.get(pathKey(path.slice(0, length)));
      const order: readonly (keyof Spans)[] = length === path.length ? want : ["key", "value"];
      for (const which of order) {
        const span = at?.[which];
        if (span !== undefined) return range(span);
      }
    }
    return START;
  };
  return {
    key: (path) => find(path, ["key", "value"]),
    value(path, within) {
      const whole = spans.get(pathKey(path))?.value;
      const part = within === undefined || whole === undefined ? undefined : partOf(text, whole, within);
      return part === undefined ? find(path, ["value", "key"]) : range(part);
    },
  };
}

/** Only a text without escapes on one line stands in the file as it reads. */
function partOf(text: string, whole: Span, within: Span): Span | undefined {
  const written = text.slice(whole.start, whole.end);
  const quote = /^(?:"""|'''|"|')/u.exec(written)?.[0] ?? "";
  const plain = quote.startsWith("'") || !written.includes("\\");
  if (quote === "" || !plain || written.includes("\n")) return undefined;
  const start = whole.start + quote.length;
  return { start: start + within.start, end: start + within.end };
}

/** Above this the exact parser would hold the editor for seconds. */
const MAX_EXACT = 131_072;

/** Never throws: a text that cannot be read, or of more than 128 KiB, has no places, and everything is at its start. */
export function tomlSpans(text: string): ReadonlyMap<string, Spans> {
  const spans = new Map<string, Spans>();
  if (text.length > MAX_EXACT) return spans;
  try {
    for (const node of parseTOML(text).body[0].body) {
      if (node.type === "TOMLKeyValue") pair(node, [], spans);
      else table(node, spans);
    }
  } catch {
    // The parser of record has accepted this text, so a refusal here is this parser's own fault: what it had read so far stands.
  }
  return spans;
}

const span = (node: { readonly range: readonly [number, number] }): Span => ({
  start: node.range[0],
  end: node.range[1],
});

function note(spans: Map<string, Spans>, path: Path, found: Spans): void {
  const key = pathKey(path);
  spans.set(key, { ...found, ...spans.get(key) });
}

function table(node: AST.TOMLTable, spans: Map<string, Spans>): void {
  const names = node.key.keys;
  let seen = 0;
  node.resolvedKey.forEach((part, index) => {
    const path = node.resolvedKey.slice(0, index + 1);
    const name = names[typeof part === "string" ? seen : Math.max(0, seen - 1)];
    if (typeof part === "string") seen++;
    if (name !== undefined) note(spans, path, { key: span(name) });
  });
  for (const inner of node.body) pair(inner, node.resolvedKey, spans);
}

function pair(node: AST.TOMLKeyValue, base: Path, spans: Map<string, Spans>): void {
  const path = [...base];
  for (const name of node.key.keys) {
    path.push(name.type === "TOMLBare" ? name.name : name.value);
    note(spans, path, { key: span(name) });
  }
  content(node.value, path, spans);
}

function content(node: AST.TOMLContentNode, path: Path, spans: Map<string, Spans>): void {
  const { start, end } = span(node);
  // The parser gives a lone `0` no length.
  note(spans, path, { value: { start, end: Math.max(end, start + 1) } });
  if (node.type === "TOMLArray") {
    node.elements.forEach((element, index) => {
      content(element, [...path, index], spans);
    });
  } else if (node.type === "TOMLInlineTable") {
    for (const inner of node.body) pair(inner, path, spans);
  }
}
