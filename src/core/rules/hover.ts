/** What the schema says of the key under a cursor in `gateway-hooks.toml`. Knows no editor. */
import { parse as parseToml } from "smol-toml";
import type { Path, Span, Spans } from "./jsonText";
import { tomlSpans } from "./locate";
import { helpAt } from "./schemaHelp";
import type { Written } from "./tomlCursor";

export interface Hover {
  readonly span: Span;
  readonly title: string;
  readonly text: string;
  readonly words: readonly string[];
  readonly usual?: string;
}

/** Undefined on what is no key, and in a text that cannot be read. */
export function hoverAt(text: string, offset: number): Hover | undefined {
  let found: { path: Path; span: Span } | undefined;
  for (const [key, { key: span }] of tomlSpans(text) as ReadonlyMap<string, Spans>) {
    if (span === undefined || offset < span.start || offset > span.end) continue;
    const path = JSON.parse(key) as Path;
    if (found === undefined || path.length > found.path.length) found = { path, span };
  }
  if (found === undefined) return undefined;
  const { path, span } = found;
  const help = helpAt(path, siblings(text, path));
  if (help === undefined) return undefined;
  const title = path.filter((part) => typeof part === "string").join(".");
  return {
    span,
    title,
    text: help.text,
    words: help.kind === "switch" ? ["true", "false"] : help.words,
    ...(help.usual === undefined ? {} : { usual: help.usual }),
  };
}

/** The `type` beside the key, where there is one. */
function siblings(text: string, path: Path): Written {
  try {
    let at: unknown = parseToml(text);
    for (const part of path.slice(0, -1))
      at = typeof at === "object" && at !== null ? Reflect.get(at, part) : undefined;
    const type: unknown = typeof at === "object" && at !== null ? Reflect.get(at, "type") : undefined;
    return new Map(typeof type === "string" ? [["type", type]] : []);
  } catch {
    return new Map();
  }
}
