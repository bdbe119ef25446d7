/** What may be written where a cursor stands in `gateway-hooks.toml`. Knows no editor; names of tools are handed in. */
import type { Path } from "./jsonText";
import { headers, helpAt, type KeyHelp, keysAt } from "./schemaHelp";
import { type TomlCursor, tomlCursor } from "./tomlCursor";

export interface Completion {
  readonly kind: "table" | "key" | "value";
  readonly label: string;
  /** As editors write snippets: `$0` is where the cursor goes. */
  readonly snippet: string;
  readonly text: string;
}

export interface Completions {
  /** What they replace, up to the cursor. */
  readonly start: number;
  readonly items: readonly Completion[];
}

/** `tools` are names of tools that were called, the latest first. */
export function complete(
  text: string,
  offset: number,
  { tools }: { readonly tools: readonly string[] },
): Completions {
  const cursor = tomlCursor(text, offset);
  switch (cursor.kind) {
    case "none":
      return { start: offset, items: [] };
    case "header":
      return { start: cursor.start, items: headers().map(headerItem) };
    case "key":
      return { start: cursor.start, items: keyItems(cursor) };
    case "value":
      return { start: cursor.start, items: valueItems(cursor, tools) };
    default:
      return cursor satisfies never;
  }
}

const headerItem = ({ header, text }: { header: string; text: string }): Completion => ({
  kind: "table",
  label: header,
  snippet: header,
  text,
});

function keyItems({ table, written }: TomlCursor & { kind: "key" }): readonly Completion[] {
  const keys = keysAt(table, written).filter(({ name }) => !written.has(name));
  const items = keys
    // At the top and in `hooks` tables are written with headers.
    .filter(({ kind }) => table.length > 0 || (kind !== "table" && kind !== "tables"))
    .map(
      (help): Completion => ({
        kind: "key",
        label: help.name,
        snippet: `${help.name} = ${valueSnippet(help)}`,
        text: help.text,
      }),
    );
  return table.length === 0 ? [...items, ...headers().map(headerItem)] : items;
}

function valueSnippet({ kind, words, name }: KeyHelp): string {
  if (name === "handlers") return '[{ type = "$0" }]';
  switch (kind) {
    case "text":
      return '"$0"';
    case "words":
      return words.length === 1 ? `"${words[0]}"` : '"$0"';
    case "list":
      return "[$0]";
    case "tables":
      return "[{ $0 }]";
    case "table":
      return "{ $0 }";
    case "switch":
    case "number":
      return "$0";
    default:
      return kind satisfies never;
  }
}

function valueItems(
  { path, written, quoted }: TomlCursor & { kind: "value" },
  tools: readonly string[],
): readonly Completion[] {
  const help = helpAt(path, written);
  if (help === undefined) return [];
  const item = (label: string, value: string, text: string): Completion => ({
    kind: "value",
    label,
    snippet: escaped(value),
    text,
  });
  const quote = (word: string) => (quoted === "yes" ? word : `"${word}"`);
  const words = help.words.map((word) => item(word, quote(word), help.text));
  if (help.kind === "switch" && quoted === "no")
    return ["true", "false"].map((word) => item(word, word, help.text));
  return isMatcher(path)
    ? tools.map((tool) => item(tool, quote(tomlPattern(tool, quoted)), "A tool that was called here."))
    : words;
}

const isMatcher = (path: Path): boolean =>
  path[0] === "hooks" &&
  (path[1] === "pre_tool_call" || path[1] === "post_tool_call") &&
  path[3] === "matcher" &&
  path.length === 4;

/** A name as a pattern that fits it alone. Strings in double quotes need each backslash twice. */
function tomlPattern(tool: string, _quoted: "yes" | "no"): string {
  return tool.replace(/[\\^$.*+?()[\]{}|]/gu, "\\\\$&").replaceAll('"', '\\"');
}

const escaped = (text: string): string => text.replace(/[\\$}]/gu, "\\$&");
