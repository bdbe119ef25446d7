/** The local files that a command runs: programs by path, interpreters' scripts, what these import or call in turn. Runs nothing. */
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { parseShell } from "../../core/shell/parse";
import { effectiveArgv } from "../../core/shell/wrappers";
import type { Watched } from "./fileDigest";
import { readModuleGraph } from "./moduleGraph";
import { type FoundPython, scanPython } from "./python";

export interface ReachOptions {
  /** Absolute path of the configuration's folder. */
  readonly folder: string;
  readonly cwd: string;
  /** Already filtered. */
  readonly env: Readonly<Record<string, string>>;
  python(): Promise<FoundPython>;
}

export interface CommandReach {
  /** Absolute paths; a file that is named and not there is among them. */
  readonly files: readonly string[];
  readonly watched: Watched;
}

interface Found {
  readonly files: Set<string>;
  readonly watched: Map<string, Set<string>>;
}

type Argv = readonly (string | null)[];

const SHELLS = /^(?:ba|z|da|k|fi)?sh$/;
const PYTHONS = /^python[\d.]*$/;
const NODES = /^(?:node|deno|bun|tsx|ts-node)$/;
const OTHERS = /^(?:ruby|perl|php|pwsh|powershell|lua|Rscript|awk|gawk|sed)[\d.]*$/;
const CODE = /\.(?:sh|bash|zsh|py|pl|rb|php|lua|ps1|[cm]?[jt]s)$/i;
/** What these read is theirs to name: they have no word for it. */
const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  just: ["justfile"],
};
/** What only an administrator changes belongs to the system, as does the interpreter. */
const SYSTEM =
  /^(?:\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap|System|Library)\/|[A-Za-z]:\\(?:Windows|Program Files))/i;
const MAX_FILES = 500;
const MAX_SCRIPT = 1_048_576;

/** Never rejects. */
export async function reachOfCommand(
  command: string | readonly string[],
  options: ReachOptions,
): Promise<CommandReach> {
  const found: Found = { files: new Set(), watched: new Map() };
  if (typeof command === "string") await reachOfText(command, options, found);
  else await reachOfArgv(effectiveArgv({ argv: command }), options, found);
  return { files: [...found.files].sort(), watched: found.watched };
}

/** What runs a command that is a text. */
const HANDLER_SHELL = process.platform === "win32" ? "cmd" : "sh";

async function reachOfText(text: string, options: ReachOptions, found: Found): Promise<void> {
  for (const command of parseShell(text, HANDLER_SHELL).commands) {
    await reachOfArgv(effectiveArgv(command), options, found);
  }
}

async function reachOfArgv(argv: Argv, options: ReachOptions, found: Found): Promise<void> {
  const [program, ...rest] = argv;
  if (typeof program !== "string") return;
  const words = rest.filter((word) => word !== null);
  if (/[\\/]/.test(program)) {
    if (!(await isInstalled(resolve(options.cwd, program), options)))
      await addScript(program, options, found);
  } else await addOwnProgram(program, options, found);
  const name = basename(program).replace(/\.exe$/i, "");
  for (const recipe of RECIPES[name] ?? []) {
    if (await isFile(resolve(options.cwd, recipe))) found.files.add(resolve(options.cwd, recipe));
  }
  for (const script of scriptsOf(name, words)) await addScript(script, options, found);
  const module = PYTHONS.test(name) ? valueAfter(words, "-m") : undefined;
  if (module !== undefined)
    await addPython({ kind: "main", name: module, root: options.cwd }, options, found);
  for (const word of words) {
    if (CODE.test(word) && (await isFile(resolve(options.cwd, word)))) await addScript(word, options, found);
  }
}

/** An interpreter outside the configuration's folder, wherever the person keeps it, is theirs like what PATH finds. */
async function isInstalled(file: string, { folder }: ReachOptions): Promise<boolean> {
  const name = basename(file).replace(/\.exe$/i, "");
  const real = await realpath(file).catch(() => file);
  return isInterpreter(name) && !isBelow(real, folder);
}

const isInterpreter = (name: string) => [SHELLS, PYTHONS, NODES, OTHERS].some((kind) => kind.test(name));

/** A bare name that PATH finds in the configuration's own folder. */
async function addOwnProgram(name: string, options: ReachOptions, found: Found): Promise<void> {
  for (const place of (options.env.PATH ?? "").split(":")) {
    const file = join(place, name);
    if (place !== "" && isBelow(file, options.folder) && (await isFile(file)))
      return addScript(file, options, found);
  }
}

function scriptsOf(name: string, words: readonly string[]): readonly string[] {
  if (name === "source" || name === ".") return words.slice(0, 1);
  if (!isInterpreter(name)) return [];
  const inline =
    PYTHONS.test(name) || SHELLS.test(name) ? /^-[a-zA-Z]*[cm]$/ : /^(?:-e|-p|-pe|--eval|--print|-c)$/;
  const loaded = NODES.test(name)
    ? ["-r", "--require", "--import", "--loader"].flatMap((option) => valueAfter(words, option) ?? [])
    : [];
  const relativeOnly = loaded.filter((word) => /^\.{0,2}[\\/]/.test(word));
  for (const [index, word] of words.entries()) {
    if (inline.test(word)) return relativeOnly;
    const isValue = loaded.includes(word) || word === "run" || /^-[XWO]$/.test(words[index - 1] ?? "");
    if (!word.startsWith("-") && !isValue) return [...relativeOnly, word];
  }
  return relativeOnly;
}

const valueAfter = (words: readonly string[], option: string): string | undefined => {
  const at = words.indexOf(option);
  return at < 0 ? undefined : words[at + 1];
};

async function addScript(word: string, options: ReachOptions, found: Found): Promise<void> {
  const file = resolve(options.cwd, word.replace(/^~(?=[\\/])/, options.env.HOME ?? "~"));
  const real = await realpath(file).catch(() => file);
  if (SYSTEM.test(real) || found.files.has(file) || found.files.size >= MAX_FILES) return;
  found.files.add(file);
  if (!(await isFile(file)) || (await stat(file)).size > MAX_SCRIPT) return;
  const text = await readFile(file, "utf8").catch(() => "");
  const first = /^#!.*/.exec(text)?.[0] ?? "";
  if (/\.py$/i.test(file) || /python/.test(first)) {
    await addPython({ kind: "file", name: file, root: dirname(file) }, options, found);
  } else if (/\.[cm]?[jt]s$/i.test(file) || /node|deno|bun/.test(first)) {
    await addModules(file, options, found);
  } else if (/\.(?:ba|z)?sh$/i.test(file) || /sh\b/.test(first)) {
    await reachOfText(text, options, found);
  }
}

async function addModules(file: string, { folder }: ReachOptions, found: Found): Promise<void> {
  const root = isBelow(file, folder) ? folder : dirname(file);
  const graph = await readModuleGraph(root, relative(root, file));
  if (graph.ok) for (const { path } of graph.modules) found.files.add(path);
}

async function addPython(
  { kind, name, root }: { readonly kind: "main" | "file"; readonly name: string; readonly root: string },
  { env, python }: ReachOptions,
  found: Found,
): Promise<void> {
  const interpreter = await python();
  if (!interpreter.ok) return;
  const scan = await scanPython({ program: interpreter.program, kind, name, folder: root, env });
  if (!scan.ok) return;
  for (const path of scan.files) found.files.add(path);
  found.watched.set(root, new Set([...(found.watched.get(root) ?? []), ...scan.elsewhere]));
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
