/** Files out of the arguments of a call, whatever shape they come in. Judges nothing. */
import { type Args, isPlainObject, type PathFacet } from "../core/call";
import { holdsSecrets } from "../core/paths/credentialGuess";
import { filesInPatch } from "../core/paths/filesInPatch";
import { NOT_A_PATH } from "../core/paths/parsePath";
import { LOOSE_PATH_ARGS, PATH_ARGS, plainName } from "./toolTables";

export interface PathFacetOptions {
  /** Which arguments hold files; "table" = every usual spelling. */
  readonly names: ReadonlySet<string> | "table";
  readonly access: "read" | "write";
  readonly strict: boolean;
  /** For tools nobody knows: what plainly is no file is skipped instead of refused. */
  readonly loose: boolean;
}

type Found = { readonly arg: string; readonly path: string; readonly access?: "read" };
type Named = (name: string) => boolean;

/** Deeper than any tool nests; what lies below is refused, never skipped. */
const MAX_DEPTH = 8;

export function pathFacets(args: Args, options: PathFacetOptions): readonly PathFacet[] {
  const { names } = options;
  const isFile: Named =
    names === "table" ? (name) => PATH_ARGS.has(plainName(name)) : (name) => names.has(name);
  return inObject("", args, { isFile, options, depth: 0 }).map(
    ({ arg, path, access = options.access }): PathFacet => ({
      arg,
      path,
      access,
      strict: options.strict,
      ...(options.loose ? { guessed: true } : {}),
    }),
  );
}

interface On {
  readonly isFile: Named;
  readonly options: PathFacetOptions;
  readonly depth: number;
}

/** `filePath`, `replacements: [{ filePath }]`, `options: { path }`, and `file:` addresses under any name. */
function inObject(arg: string, object: Readonly<Record<string, unknown>>, on: On): readonly Found[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const inner = arg === "" ? name : `${arg}.${name}`;
    return on.isFile(name) ? fromValue(inner, value, on.options) : below(inner, value, on);
  });
}

function below(arg: string, value: unknown, on: On): readonly Found[] {
  const { options, depth } = on;
  if (typeof value === "string")
    return !options.strict && ADDRESS_ARG.test(plainName(arg)) && FILE_ADDRESS.test(value)
      ? [{ arg, path: value, access: "read" }]
      : [];
  if (typeof value !== "object" || value === null) return [];
  if (depth >= MAX_DEPTH) return options.loose ? [] : [{ arg, path: NOT_A_PATH }];
  const deeper = { ...on, depth: depth + 1 };
  if (Array.isArray(value)) return value.flatMap((item: unknown) => below(arg, item, deeper));
  return inObject(arg, value as Readonly<Record<string, unknown>>, deeper);
}

/** What tools call an address; other texts may speak of one. */
const ADDRESS_ARG = /(ur[il]s?|href|address|link|resource|target|image|media|document|location)$/;
/** An address and nothing else: a text that speaks of one is no file. */
const FILE_ADDRESS = /^\s*file:\/\/\S{1,4096}$/i;

function fromValue(arg: string, value: unknown, options: PathFacetOptions): readonly Found[] {
  const name = plainName(arg.split(".").at(-1) ?? arg);
  const loose = options.loose || LOOSE_PATH_ARGS.has(name);
  if (value === undefined || (value === null && !options.strict)) return [];
  if (typeof value === "string")
    return isNoFile(value, name, { ...options, loose }) ? [] : [{ arg, path: value }];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => fromItem(arg, item, options));
  return fromItem(arg, value, options);
}

function fromItem(arg: string, item: unknown, options: PathFacetOptions): readonly Found[] {
  const name = plainName(arg.split(".").at(-1) ?? arg);
  if (typeof item === "string") return isNoFile(item, name, options) ? [] : [{ arg, path: item }];
  if (isPlainObject(item)) {
    const inner = Object.entries(item).filter(([key]) => PATH_ARGS.has(plainName(key)));
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
  if (!options.loose) return text === "" && name !== "filepath";
  if (text === "") return true;
  const climbs = text.includes("..") && /(^|[/\\])\.\.([/\\]|$)/.test(text);
  if (ADDRESS.test(text) && !/^file:/i.test(text)) return !climbs;
  if (!LOOSE_PATH_ARGS.has(name) || climbs || /^([/\\~.]|[a-z]:[/\\])/i.test(text)) return false;
  return text.length > 1024 || text.includes("\n");
}

/** `__proto__` as a key: what it holds reaches some tools and not others, so that a call with it cannot be judged. */
export function protoFacets(args: Args): readonly PathFacet[] {
  const open: unknown[] = [args];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== "object" || one === null) continue;
    if (Object.hasOwn(one, "__proto__"))
      return [{ arg: "__proto__", path: NOT_A_PATH, access: "write", strict: true }];
    for (const inner of Object.values(one)) if (typeof inner === "object" && inner !== null) open.push(inner);
  }
  return [];
}

/** A program that takes these for a file name would look below the working folder. */
const ADDRESS = /^([a-z][a-z0-9+.-]+:\/\/|(data|mailto|urn|untitled|blob|about):)/i;

/** A pattern that begins at a fixed folder, or climbs, searches there; any other searches below the given path. */
export function globFacets(args: Args, arg: string): readonly PathFacet[] {
  const patterns = [Object.hasOwn(args, arg) ? args[arg] : undefined].flat();
  return patterns.flatMap((pattern): readonly PathFacet[] => {
    if (typeof pattern === "string" && namesSecrets(pattern))
      return [{ arg, path: pattern.replace(/[*?{}[\]]/g, ""), access: "read", strict: false }];
    if (typeof pattern !== "string" || !/^([/\\~]|[a-z]:[/\\]|file:)|(^|[/\\])\.\.([/\\]|$)/i.test(pattern))
      return [];
    const names = pattern.split(/(?<=[/\\])/);
    const first = names.findIndex((name) => /[*?[{]/.test(name));
    const climbs = names.slice(Math.max(first, 0)).some((name) => /^\.\.[/\\]?$/.test(name));
    const path = first < 0 || climbs ? pattern : names.slice(0, first).join("");
    return [{ arg, path: path === "" ? "." : path, access: "read", strict: false }];
  });
}

/** `.env*`, `{.env,.env.local}`: what a search is narrowed to is read. */
function namesSecrets(pattern: string): boolean {
  return pattern
    .split(/[{},]/)
    .some(
      (part) =>
        /(^|[/\\])\.[\w-]/.test(part) && holdsSecrets(part.replaceAll("*", "").replace(/^[/\\]+/, "")),
    );
}

/** Files of a patch, whatever its argument is called and however it is wrapped. None found anywhere = refused. */
export function patchFacets(args: Args, namesFile: boolean): readonly PathFacet[] {
  const files = Object.entries(args).flatMap(([arg, value]) =>
    textsIn(value, 0).flatMap((text) => filesInPatch(text).map((path) => ({ arg, path }))),
  );
  const [first] = Object.keys(args);
  const none = files.length === 0 && !namesFile && first !== undefined;
  const found = none ? [{ arg: first, path: NOT_A_PATH }] : files;
  return found.map(({ arg, path }) => ({ arg, path, access: "write", strict: false }));
}

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return [];
  return Object.values(value).flatMap((item: unknown) => textsIn(item, depth + 1));
}
