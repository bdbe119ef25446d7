/** Reads a module and every file of its folder that it imports: the very bytes that are hashed are those that run. Runs nothing. */
import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { messageOf } from "../../core/errors";
import { isBuiltinAllowed, isRelative, ONLY_THESE, OURS } from "./allowedModules";
import { toCommonJs } from "./stripTypes";

export interface GraphModule {
  /** Real path. */
  readonly path: string;
  /** SHA-256 of the file's bytes. */
  readonly digest: string;
  /** CommonJS. */
  readonly code: string;
  /** Specifier as written → real path, for those that name a file of the folder. */
  readonly imports: Readonly<Record<string, string>>;
}

export type ModuleGraph =
  | {
      readonly ok: true;
      readonly entry: string;
      readonly modules: readonly GraphModule[];
      /** Paths through links that lead to modules. */
      readonly links: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

const MAX_MODULES = 500;
const MAX_BYTES = 4 * 1024 * 1024;
const ENDINGS = ["", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js"];
const CODE = /\.(?:[cm]?[jt]s|json)$/;

class Unreadable extends Error {}

/** What a module may import that is no file of its folder. */
export interface Importable {
  readonly allows: (specifier: string) => boolean;
  /** Behind `imports "x", `: why another one is a mistake. */
  readonly else: string;
  /** Behind `lies outside `. */
  readonly folder: string;
}

const CALLABLES: Importable = {
  allows: (specifier) => isBuiltinAllowed(specifier) || specifier === OURS,
  else: ONLY_THESE,
  folder: "the configuration's folder",
};

/** `entry` is absolute or taken from `folder`. Never rejects. */
export async function readModuleGraph(
  folder: string,
  entry: string,
  importable = CALLABLES,
): Promise<ModuleGraph> {
  try {
    const root = await realpath(folder);
    const links = new Set<string>();
    const places: Places = { root, links, importable };
    const first = await placeOf(places, join(root, relative(folder, join(folder, entry))));
    if (first === undefined) return { ok: false, message: `there is no file ${entry}` };
    const modules = new Map<string, GraphModule>();
    const waiting = [first];
    let bytes = 0;
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (modules.has(path)) continue;
      bytes += (await stat(path)).size;
      if (modules.size >= MAX_MODULES || bytes > MAX_BYTES) {
        return { ok: false, message: `it imports more than ${MAX_MODULES} files or 4 MiB` };
      }
      const module = await readModule(places, path);
      modules.set(path, module);
      waiting.push(...Object.values(module.imports));
    }
    return { ok: true, entry: first, modules: [...modules.values()], links: [...links] };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

interface Places {
  readonly root: string;
  readonly links: Set<string>;
  readonly importable: Importable;
}

/** Undefined = there is none. Throws where a link leads out of the folder. */
async function placeOf(places: Places, wanted: string): Promise<string | undefined> {
  const { root, links, importable } = places;
  const plain = wanted.replace(/\.([cm]?)js$/, ".$1ts");
  for (const name of [...ENDINGS.map((ending) => wanted + ending), plain]) {
    const real = await realpath(name).catch(() => undefined);
    if (real === undefined || !(await stat(real)).isFile()) continue;
    const inside = relative(root, real);
    if (inside.startsWith(`..${sep}`) || inside === "" || isAbsolute(inside)) {
      throw new Unreadable(`${wanted} lies outside ${importable.folder}`);
    }
    if (!CODE.test(real)) throw new Unreadable(`${inside} is no file of JavaScript, TypeScript or JSON`);
    if (real !== name) links.add(name);
    return real;
  }
  return undefined;
}

async function readModule(places: Places, path: string): Promise<GraphModule> {
  const { root, importable } = places;
  const bytes = await readFile(path);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const source = bytes.toString("utf8");
  const code = await codeOf(path, source, relative(root, path));
  const imports: Record<string, string> = {};
  if (path.endsWith(".json")) return { path, digest, code, imports };
  const name = relative(root, path);
  for (const specifier of specifiersIn(code)) {
    if (!isRelative(specifier)) {
      if (importable.allows(specifier) || !isAlwaysRequired(code, specifier)) continue;
      throw new Unreadable(`${name} imports ${JSON.stringify(specifier)}, ${importable.else}`);
    }
    const found = await placeOf(places, join(dirname(path), specifier));
    if (found !== undefined) imports[specifier] = found;
    // One within a condition may never be reached.
    else if (isAlwaysRequired(code, specifier))
      throw new Unreadable(`${name} imports ${JSON.stringify(specifier)}, which is not there`);
  }
  return { path, digest, code, imports };
}

async function codeOf(path: string, source: string, name: string): Promise<string> {
  try {
    if (path.endsWith(".json")) return `module.exports = ${JSON.stringify(JSON.parse(source))};`;
    return await toCommonJs(source, path);
  } catch (error) {
    const why = messageOf(error).replace(`${path}: `, "").replace("Error transforming ", "");
    const place = / \((\d+):(\d+)\)$/u.exec(why);
    throw new Unreadable(
      place === null
        ? `${name} cannot be read: ${why}`
        : `${name}:${place[1]}:${place[2]}: ${why.slice(0, place.index)}`,
    );
  }
}

/** An import statement becomes `var _name = require(…)`; a call within a condition may never be reached. */
const isAlwaysRequired = (code: string, specifier: string): boolean =>
  [...code.matchAll(IMPORTED)].some(([, single, double]) => (single ?? double) === specifier);

/** Names that a module of this CommonJS exports; undefined where that cannot be told without running it. */
export function exportsOf(code: string): readonly string[] | undefined {
  const own = code.replace(PREAMBLE, "").replace(/defineProperty\(exports, "__esModule"/u, "");
  if (/\bmodule\b|StarExport|\bexports\s*[,[)]|\bexports\.\s*default\b/u.test(own)) return undefined;
  const named = [...code.matchAll(/\bexports\.\s*([\w$]+)|NamedExportFrom\([^,]+,\s*['"]([\w$]+)/gu)];
  return [...new Set(named.flatMap(([, direct, again]) => direct ?? again ?? []))].filter(
    (name) => name !== "hasOwnProperty",
  );
}

/** What the transform itself writes. */
const PREAMBLE = /function _createNamedExportFrom\([^}]*\}[^}]*\}/u;

const IMPORTED = /(?:^|[;}][ ]*)var _\w+ = require\((?:'([^'\\\n]*)'|"([^"\\\n]*)")\)/gm;
const REQUIRED = /\brequire\(\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)")\s*\)/g;

function specifiersIn(code: string): string[] {
  return [...code.matchAll(REQUIRED)].map(([, single, double]) => single ?? double ?? "");
}
