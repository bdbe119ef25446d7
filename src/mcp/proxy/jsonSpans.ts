/**
 * Where things stand in a JSON text that has been parsed already, and whether two readers could disagree on it: keys written
 * twice. In one pass, with a stack of its own. Knows nothing of what a message means.
 */

/** Offsets into the text, the end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Survey {
  /** Of the outermost object: each key's value. */
  readonly members: ReadonlyMap<string, Span>;
  /** Of the objects directly in it: `params` → its keys' values. */
  readonly inner: ReadonlyMap<string, ReadonlyMap<string, Span>>;
  /** Of the outermost array: each element. */
  readonly elements: readonly Span[];
  /** A key that one object holds twice, wherever it stands. */
  readonly doubled?: string;
  /** An object holds the key `__proto__`: some readers keep it, some lose it, to some it is no key at all. */
  readonly holdsProto?: true;
}

interface Frame {
  readonly kind: "object" | "array";
  readonly keys: Set<string>;
  /** Set for objects whose members are told. */
  readonly told?: Map<string, Span>;
  key: string | undefined;
  start: number;
}

const SPACE = /[\t\n\r ]*/y;
const SCALAR = /[-+.0-9a-zA-Z]+/y;

/** `text` must be valid JSON. */
export function surveyJson(text: string): Survey {
  const members = new Map<string, Span>();
  const inner = new Map<string, ReadonlyMap<string, Span>>();
  const elements: Span[] = [];
  const open: Frame[] = [];
  let doubled: string | undefined;
  let holdsProto = false;
  let at = 0;
  const skip = (pattern: RegExp): void => {
    pattern.lastIndex = at;
    pattern.test(text);
    at = pattern.lastIndex;
  };
  /** A value has ended at `at`. */
  const ended = (start: number): void => {
    const frame = open.at(-1);
    if (frame === undefined) return;
    const span = { start, end: at };
    if (frame.kind === "object" && frame.key !== undefined) frame.told?.set(frame.key, span);
    if (frame.kind === "array" && open.length === 1) elements.push(span);
    frame.key = undefined;
  };
  const toldIn = (): Map<string, Span> | undefined => {
    if (open.length === 0) return members;
    const [outer] = open;
    if (open.length > 1 || outer?.kind !== "object" || outer.key === undefined) return undefined;
    const map = new Map<string, Span>();
    inner.set(outer.key, map);
    return map;
  };
  while (at < text.length) {
    skip(SPACE);
    const start = at;
    const char = text[at];
    const frame = open.at(-1);
    if (char === undefined) break;
    if (char === "{" || char === "[") {
      const told = char === "{" ? toldIn() : undefined;
      open.push({
        kind: char === "{" ? "object" : "array",
        keys: new Set(),
        ...(told === undefined ? {} : { told }),
        key: undefined,
        start,
      });
      at += 1;
    } else if (char === "}" || char === "]") {
      at += 1;
      const closed = open.pop();
      if (closed !== undefined) ended(closed.start);
    } else if (char === "," || char === ":") at += 1;
    else if (char === '"') {
      at = endOfString(text, at);
      if (frame?.kind === "object" && frame.key === undefined) {
        const key = unquoted(text.slice(start, at));
        if (frame.keys.has(key)) doubled ??= key;
        holdsProto ||= key === "__proto__";
        frame.keys.add(key);
        frame.key = key;
      } else ended(start);
    } else {
      skip(SCALAR);
      // Not JSON: what cannot be read is not gone over for ever.
      if (at === start) break;
      ended(start);
    }
  }
  return {
    members,
    inner,
    elements,
    ...(doubled === undefined ? {} : { doubled }),
    ...(holdsProto ? { holdsProto } : {}),
  };
}

/** Offset behind the closing quote. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function unquoted(text: string): string {
  if (!text.includes("\\")) return text.slice(1, -1);
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : text;
}
