/** The files that a script of Node loads, as Node itself would look for them, and what it loads otherwise. Runs nothing. */
import { readFile, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../core/errors";
import { type Found, isFile, MAX_FILES, MAX_SCRIPT, type ReachOptions } from "./foundFiles";
import { toCommonJs } from "./stripTypes";

const ENDINGS = ["", ".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx"];
const INDEXES = ["/package.json", "/index.js", "/index.json", "/index.node", "/index.ts", "/index.mjs"];
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)$|(?:^|[\\/])[^.\\/]+$/;

/** Modules of Node that run other files. */
const RUNNERS =
  /^(?:node:)?(?:child_process|worker_threads|cluster|module|vm|repl|inspector|sea|test)(?:\/|$)/;
const REQUIRED = /\brequire\(\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$\n]*)`)\s*(?:,[^()]*)?\)/g;
/** Loading that is not by a plain name. */
const DYNAMIC =
  /\brequire\s*\(|\brequire\s*\.\s*(?:extensions|main)\b|[=:,(]\s*require\s*[;,)\n]|\bimport\s*\(|\b(?:createRequire|getBuiltinModule|dlopen|mainModule)\b|(?<![.\w$])(?:eval|Function)\s*\(/;

/** Code by path. Never rejects. */
export async function addNodeFile(file: string, options: ReachOptions, found: Found): Promise<void> {
  const waiting = [file];
  const seen = new Set<string>();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (found.files.size >= MAX_FILES)
      return void found.unlisted.add(`it loads more than ${MAX_FILES} files`);
    found.files.add(path);
    if (!CODE.test(path)) continue;
    const name = relative(options.folder, path);
    try {
      if ((await stat(path)).size > MAX_SCRIPT) found.unlisted.add(`${name} is too large to be read`);
      else waiting.push(...(await loadedBy(await readFile(path, "utf8"), { path, name }, found)));
    } catch (error) {
      found.unlisted.add(`${name} cannot be read: ${messageOf(error)}`);
    }
  }
}

/** Code given in the command itself, run in `cwd`. Never rejects. */
export async function addNodeText(code: string, options: ReachOptions, found: Found): Promise<void> {
  const files = await loadedBy(code, { path: resolve(options.cwd, "[eval].mjs"), name: "its code" }, found);
  for (const file of files) await addNodeFile(file, options, found);
}

/** The files that one may be, of which one is there: those that are not must stay away. */
export async function nodeCandidates(base: string, found: Found): Promise<readonly string[]> {
  const names = [...ENDINGS, ...INDEXES].map((ending) => base + ending);
  const there: string[] = [];
  for (const name of [...names, base.replace(/\.([cm]?)js$/, ".$1ts")]) {
    if (await isFile(name)) there.push(name);
    else found.empty.add(name);
  }
  if (there.includes(`${base}/package.json`))
    found.unlisted.add(`${base}/package.json chooses what is loaded`);
  return there;
}

async function loadedBy(
  source: string,
  { path, name }: { readonly path: string; readonly name: string },
  found: Found,
): Promise<readonly string[]> {
  let code: string;
  try {
    code = await toCommonJs(source.replace(/^#!.*/, ""), /\.[cm]?[jt]sx?$/.test(path) ? path : `${path}.js`);
  } catch (error) {
    found.unlisted.add(`${name} cannot be read: ${messageOf(error).replace(`${path}: `, "")}`);
    return [];
  }
  const files: string[] = [];
  for (const [, single, double, plain] of code.matchAll(REQUIRED)) {
    const specifier = single ?? double ?? plain ?? "";
    if (/^(?:\.{0,2}[\\/]|\.{1,2}$|file:)/.test(specifier)) {
      const wanted = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
      files.push(...(await nodeCandidates(resolve(dirname(path), wanted), found)));
    } else if (!isBuiltin(specifier) && !RUNNERS.test(specifier)) {
      found.unlisted.add(`${name} loads the package ${specifier}`);
    } else if (RUNNERS.test(specifier))
      found.unlisted.add(`${name} uses ${specifier}, which runs other files`);
  }
  const rest = code.replace(REQUIRED, "0").split("\n");
  const at = rest.findIndex((line) => DYNAMIC.test(line) && !/^\s*(?:\/\/|\*)/.test(line));
  if (at >= 0) {
    const line = source.split("\n")[at] ?? "";
    found.unlisted.add(`${name}:${at + 1} loads what its text does not name: ${line.trim().slice(0, 80)}`);
  }
  return files;
}
