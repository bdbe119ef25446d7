/** A client's configuration file as a value with the place of each part of it: JSON with comments, or TOML. Changes nothing. */
import { parse as parseToml } from "smol-toml";
import { type Path, parseJsonc, type Span, spanOf } from "../../agents/install/jsonc";
import { messageOf } from "../../core/errors";
import { pathKey } from "../../core/rules/jsonText";
import { tomlSpans } from "../../core/rules/locate";

export type { Path, Span } from "../../agents/install/jsonc";

export type Syntax = "json" | "toml";

export interface ConfigText {
  readonly value: unknown;
  span(path: Path): Span | undefined;
}

export type ReadConfig =
  | ({ readonly ok: true } & ConfigText)
  | { readonly ok: false; readonly message: string };

export function readConfig(text: string, syntax: Syntax): ReadConfig {
  if (syntax === "json") {
    const parsed = parseJsonc(text);
    return parsed.ok ? { ok: true, value: parsed.value, span: (path) => spanOf(parsed, path) } : parsed;
  }
  try {
    const value: unknown = parseToml(text);
    const spans = tomlSpans(text);
    return { ok: true, value, span: (path) => spans.get(pathKey(path))?.value };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** Object members on the way; undefined where one is missing. */
export function valueAt(value: unknown, path: Path): unknown {
  let here: unknown = value;
  for (const step of path) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, step)) return undefined;
    here = Reflect.get(here, step);
  }
  return here;
}
