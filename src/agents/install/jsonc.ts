/** JSON as settings files hold it, with comments and trailing commas, and the place of every key and value. Changes nothing. */
import { type JsonText, type Path, parseJsonText, pathKey, type Span } from "../../core/rules/jsonText";

export type { Path, Span } from "../../core/rules/jsonText";

/** One member of an object or array: from its key, or its value, to the end of its value. */
export interface Member extends Span {
  readonly path: Path;
  readonly value: unknown;
}

export type Jsonc =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The text with blanks for comments. */
      readonly bare: string;
      readonly read: Extract<JsonText, { ok: true }>;
    }
  | { readonly ok: false; readonly message: string };

export function parseJsonc(text: string): Jsonc {
  const bare = maskComments(text);
  const read = parseJsonText(maskTrailingCommas(bare));
  if (!read.ok) return { ok: false, message: `${read.message} (line ${lineOf(text, read.span.start)})` };
  return { ok: true, value: read.value, bare, read };
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Comments, and the mark that some editors put first, become blanks: every offset stays. */
function maskComments(text: string): string {
  const tokens = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^\uFEFF/g;
  return text.replace(tokens, (token) => (token.startsWith('"') ? token : token.replace(/[^\r\n]/g, " ")));
}

function maskTrailingCommas(text: string): string {
  const tokens = /"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g;
  return text.replace(tokens, (token) => (token === "," ? " " : token));
}

export function spanOf(parsed: Extract<Jsonc, { ok: true }>, path: Path): Span | undefined {
  return parsed.read.spans.get(pathKey(path))?.value;
}

export function valueAt(value: unknown, path: Path): unknown {
  let here: unknown = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, step)) return undefined;
    // Checked on the line before.
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

/** In the order in which they stand. */
export function membersOf(parsed: Extract<Jsonc, { ok: true }>, path: Path): readonly Member[] {
  const container = valueAt(parsed.value, path);
  if (typeof container !== "object" || container === null) return [];
  const keys = Array.isArray(container) ? container.map((_, index) => index) : Object.keys(container);
  const members = keys.flatMap((key): Member[] => {
    const spans = parsed.read.spans.get(pathKey([...path, key]));
    if (spans?.value === undefined) return [];
    const start = (spans.key ?? spans.value).start;
    return [{ path: [...path, key], value: valueAt(container, [key]), start, end: spans.value.end }];
  });
  return members.sort((a, b) => a.start - b.start);
}
