/** Files out of the arguments of a call, whatever shape they come in. Judges nothing. */
import { type Args, isPlainObject, type PathFacet } from "../core/call";
import { filesInPatch } from "../core/paths/filesInPatch";
import { NOT_A_PATH } from "../core/paths/parsePath";
import { LOOSE_PATH_ARGS, PATH_ARGS } from "./toolTables";

export interface PathFacetOptions {
  /** Which arguments hold files; "table" = every usual spelling. */
  readonly names: ReadonlySet<string> | "table";
  readonly access: "read" | "write";
  readonly strict: boolean;
  /** For tools nobody knows: what plainly is no file is skipped instead of refused. */
  readonly loose: boolean;
}

type Found = { readonly arg: string; readonly path: string };

export function pathFacets(args: Args, options: PathFacetOptions): readonly PathFacet[] {
  const names = options.names === "table" ? PATH_ARGS : options.names;
  const found: Found[] = [];
  for (const [arg, value] of Object.entries(args)) {
    if (names.has(arg)) found.push(...fromValue(arg, value, options));
    // One level down: `replacements: [{ filePath }]`, `options: { path }`.
    else
      for (const inner of [value].flat().filter(isPlainObject))
        found.push(...fromObject(arg, inner, { names, options }));
  }
  return found.map(({ arg, path }) => ({ arg, path, access: options.access, strict: options.strict }));
}

function fromObject(
  arg: string,
  inner: Record<string, unknown>,
  on: { names: ReadonlySet<string>; options: PathFacetOptions },
): readonly Found[] {
  return Object.entries(inner)
    .filter(([name]) => on.names.has(name))
    .flatMap(([name, value]) => fromValue(`${arg}.${name}`, value, on.options));
}

function fromValue(arg: string, value: unknown, options: PathFacetOptions): readonly Found[] {
  const name = arg.split(".").at(-1) ?? arg;
  const loose = options.loose || LOOSE_PATH_ARGS.has(name);
  if (value === undefined || (value === null && !options.strict)) return [];
  if (typeof value === "string")
    return isNoFile(value, name, { ...options, loose }) ? [] : [{ arg, path: value }];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => fromItem(arg, item, options));
  return fromItem(arg, value, options);
}

function fromItem(arg: string, item: unknown, options: PathFacetOptions): readonly Found[] {
  const name = arg.split(".").at(-1) ?? arg;
  if (typeof item === "string") return isNoFile(item, name, options) ? [] : [{ arg, path: item }];
  if (isPlainObject(item)) {
    const inner = Object.entries(item).filter(([key]) => PATH_ARGS.has(key));
    const texts = inner.flatMap(([key, value]) =>
      typeof value === "string" ? [{ arg: `${arg}.${key}`, path: value }] : [],
    );
    if (texts.length > 0 && texts.length === inner.length) return texts;
    if (options.loose && LOOSE_PATH_ARGS.has(name)) return texts;
  }
  return [{ arg, path: NOT_A_PATH }];
}

/** Addresses of other kinds, and in loose arguments long or many-lined text, name no file. */
function isNoFile(text: string, name: string, options: PathFacetOptions): boolean {
  if (options.strict) return false;
  if (!options.loose) return text === "" && name !== "filePath" && name !== "file_path";
  if (text === "") return true;
  const climbs = /(^|[/\\])\.\.([/\\]|$)/.test(text);
  if (ADDRESS.test(text) && !/^file:/i.test(text)) return !climbs;
  if (!LOOSE_PATH_ARGS.has(name) || climbs || /^([/\\~.]|[a-z]:[/\\])/i.test(text)) return false;
  return text.length > 1024 || text.includes("\n");
}

/** A program that takes these for a file name would look below the working folder. */
const ADDRESS = /^([a-z][a-z0-9+.-]+:\/\/|(data|mailto|urn|untitled|blob|about):)/i;

/** A pattern that begins at a fixed folder, or climbs, searches there; any other searches below the given path. */
export function globFacets(args: Args, arg: string): readonly PathFacet[] {
  const patterns = [Object.hasOwn(args, arg) ? args[arg] : undefined].flat();
  return patterns.flatMap((pattern): readonly PathFacet[] => {
    if (typeof pattern !== "string" || !/^([/\\~]|[a-z]:[/\\]|file:)|(^|[/\\])\.\.([/\\]|$)/i.test(pattern))
      return [];
    const names = pattern.split(/(?<=[/\\])/);
    const first = names.findIndex((name) => /[*?[{]/.test(name));
    const climbs = names.slice(Math.max(first, 0)).some((name) => /^\.\.[/\\]?$/.test(name));
    const path = first < 0 || climbs ? pattern : names.slice(0, first).join("");
    return [{ arg, path: path === "" ? "." : path, access: "read", strict: false }];
  });
}

/** Files of a patch: the `*** … File:` lines of Codex and the `+++`/`---` lines of diff. None found = refused. */
export function patchFacets(args: Args, arg: string): readonly PathFacet[] {
  if (!Object.hasOwn(args, arg)) return [];
  const value = args[arg];
  if (value === undefined || value === null || value === "") return [];
  const text = Array.isArray(value) ? value.filter((item) => typeof item === "string").join("\n") : value;
  if (typeof text !== "string") return [{ arg, path: NOT_A_PATH, access: "write", strict: false }];
  const files = filesInPatch(text);
  return (files.length === 0 ? [NOT_A_PATH] : files).map((path) => ({
    arg,
    path,
    access: "write",
    strict: false,
  }));
}
