/** What every grant is bound to beside the arguments: the real cwd, and the bytes of each workspace file a command executes. */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import type { Args, Facets, ReadFacets, ToolCall } from "../core/call";
import { type ExecutedFile, languageOf } from "../core/execution/executedFile";
import { type Executed, executedFiles } from "../core/execution/executedFiles";
import { localImports } from "../core/execution/localImports";
import { makeRecipes, packageScripts } from "../core/execution/recipes";
import { inFolder } from "../core/paths/changeFolder";
import { resolvePath } from "../core/paths/resolvePath";
import type { FileSystem } from "../ports";

const MAX_BYTES = 4 * 1024 * 1024;
/** Files of one call that are bound; behind them nothing is read any more. */
const MAX_FILES = 40;
/** Scripts that scripts start. */
const MAX_DEPTH = 3;
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** A cwd that cannot be followed is bound as it is written. */
export function bindCall(
  facets: ReadFacets,
  looks: (call: ToolCall) => FileSystem,
): (call: ToolCall, args: Args) => Promise<Record<string, string>> {
  return async (call, args) => {
    const { commands, paths } = facets(call, args);
    if (call.cwd === undefined) return {};
    const fs = looks(call);
    const followed = fs.real?.(call.cwd);
    lookAhead(paths, call, fs);
    const cwd = (await followed) ?? call.cwd;
    const binding: Record<string, string> = { cwd };
    const run = { cwd, binding, seen: new Set<string>() };
    for (const { text, shell, folder } of commands)
      await bindExecuted(executedFiles(text, shell), { ...run, folder: folder ?? "", depth: 0 });
    return binding;
  };
}

const MOST_AHEAD = 8;

/** The guards will ask for these: all of it waits for the disk at once, and no failure counts before they do. */
function lookAhead(paths: Facets["paths"], { cwd }: ToolCall, fs: FileSystem): void {
  const wanted = paths.slice(0, MOST_AHEAD).map(({ path }) => path);
  if (wanted.length === 0) return;
  for (const path of [fs.home, ...wanted]) resolvePath({ path, cwd, fs }).catch(() => undefined);
}

interface Walk {
  readonly cwd: string;
  readonly binding: Record<string, string>;
  readonly seen: Set<string>;
  /** Where the command starts; "" = the cwd. */
  readonly folder: string;
  readonly depth: number;
}

/** The scripts themselves, and those that they start; what a program loads is its own affair. */
async function bindExecuted(found: readonly Executed[], walk: Walk): Promise<void> {
  for (const one of found) {
    if ("hooks" in one) continue;
    for (const { path, how } of "tests" in one ? one.tests.map(asProgram) : namesOf(one)) {
      const file = inFolder(path, walk.folder);
      const full = isAbsolute(file) ? file : resolve(walk.cwd, expanded(file));
      if (walk.seen.has(full) || walk.seen.size >= MAX_FILES) continue;
      walk.seen.add(full);
      const read = await readOf(full);
      if (read === undefined) continue;
      walk.binding[`executes ${file}`] = read.hash;
      const text = read.text === undefined ? undefined : shellTextOf(path, how, read.text);
      if (text === undefined || walk.depth >= MAX_DEPTH) continue;
      // A package's scripts and a Makefile's lines start beside them; a script starts where it was called.
      const beside = how.kind === "package" || how.kind === "make";
      const folder = beside ? file.replace(/[^/\\]*$/, "").replace(/(?<=.)[/\\]$/, "") : walk.folder;
      await bindExecuted(executedFiles(text, "bash"), { ...walk, folder, depth: walk.depth + 1 });
    }
  }
}

const asProgram = (path: string): ExecutedFile => ({ path, how: { kind: "program" } });

const expanded = (path: string): string => (path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path);

/** make looks for its file under several names. */
function namesOf(one: ExecutedFile): readonly ExecutedFile[] {
  if (one.how.kind === "imports") return localImports(one.how.code, one.how.interpreter);
  if (one.how.kind !== "make" || !/(^|[/\\])Makefile$/.test(one.path)) return [one];
  return MAKEFILES.map((name) => ({ ...one, path: one.path.replace(/Makefile$/, name) }));
}

/** What of the file a shell reads; undefined = nothing. */
function shellTextOf(path: string, how: ExecutedFile["how"], text: string): string | undefined {
  if (how.kind === "package") return packageScripts(text, how.scripts)?.join("\n");
  if (how.kind === "make") return makeRecipes(text, how.targets).join("\n");
  if (how.kind === "shell") return text;
  return how.kind === "program" && languageOf(path, text).kind === "shell" ? text : undefined;
}

async function readOf(path: string): Promise<{ readonly hash: string; readonly text?: string } | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    if (found.size > MAX_BYTES) return { hash: `size:${found.size}` };
    const bytes = await readFile(path);
    const hash = createHash("sha256").update(bytes).digest("hex");
    return bytes.includes(0) ? { hash } : { hash, text: bytes.toString("utf8") };
  } catch {
    return undefined;
  }
}
