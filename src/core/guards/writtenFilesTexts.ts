/** The texts that a command runs out of files agents wrote, by following scripts, packages, recipes, tests and git's hooks. Judges nothing. */
import type { FileSystem } from "../../ports";
import type { CommandFacet, Shell } from "../call";
import { type ExecutedFile, type Language, languageOf } from "../execution/executedFile";
import { type Executed, executedFiles } from "../execution/executedFiles";
import { localImports } from "../execution/localImports";
import { makeRecipes, packageScripts } from "../execution/recipes";
import { shellLines } from "../execution/shellLines";
import { inFolder } from "../paths/changeFolder";
import { resolvePath } from "../paths/resolvePath";
import type { WrittenFiles } from "./writtenFilesMemory";

export type ReadText = (path: string) => Promise<
  | { readonly kind: "text"; readonly text: string; readonly hash: string }
  /** Too large, no text, or not to be read. */
  | { readonly kind: "unreadable"; readonly hash: string }
  | { readonly kind: "missing" }
>;

export interface RunText {
  /** As the command names it. */
  readonly path: string;
  readonly hash: string;
  /** Null = nobody can read it through. */
  readonly text: string | null;
  readonly language: Language;
}

export interface FollowDeps {
  readonly fs: FileSystem;
  readonly cwd: string | undefined;
  readonly files: WrittenFiles;
  readonly readText: ReadText;
  /** Texts that this very call puts into files before it runs them, by real path. */
  readonly inCall: ReadonlyMap<string, string>;
  /** Names that files get in this very call: real path to where the text stands. */
  readonly moved: ReadonlyMap<string, string>;
}

const MAX_DEPTH = 3;
const MAX_TEXTS = 40;
const TEST_FILE =
  /(?:^|[/\\])(?:test_[^/\\]*\.py|[^/\\]*_test\.(?:py|go)|conftest\.py|[^/\\]*[._-](?:test|spec)\.[cm]?[jt]sx?|[^/\\]*_spec\.rb|[^/\\]*Test\.php|(?:vitest|jest|playwright)\.config\.[cm]?[jt]s)$/;
const HOOK_FILE = /[/\\](?:\.git[/\\]hooks|\.githooks|\.husky)[/\\][\w-]+$/;

export async function textsToRun(
  commands: readonly CommandFacet[],
  deps: FollowDeps,
): Promise<readonly RunText[]> {
  const out: RunText[] = [];
  const seen = new Set<string>();
  for (const { text, shell, folder } of commands)
    await follow(executedFiles(text, shell), { deps, out, seen, depth: 0, folder: folder ?? "" });
  return out;
}

interface Walk {
  readonly deps: FollowDeps;
  readonly out: RunText[];
  readonly seen: Set<string>;
  readonly depth: number;
  readonly folder: string;
}

async function follow(found: readonly Executed[], walk: Walk): Promise<void> {
  if (walk.depth > MAX_DEPTH) return;
  for (const one of found) {
    if (walk.out.length >= MAX_TEXTS) return;
    if ("hooks" in one || "tests" in one) await fromMemory(one, walk);
    else await fromFile(one, walk);
  }
}

/** Files that nobody names: those that were written where the runner looks for them. */
async function fromMemory(one: Exclude<Executed, ExecutedFile>, walk: Walk): Promise<void> {
  const { deps } = walk;
  const byText = "tests" in one && one.narrowed === "by text" ? one.tests : [];
  const starts =
    "hooks" in one ? [one.hooks] : one.tests.length > 0 && byText.length === 0 ? one.tests : [one.folder];
  const wanted = "hooks" in one ? HOOK_FILE : TEST_FILE;
  for (const start of starts) {
    const real = await realOf(inFolder(start, walk.folder), deps);
    if (real === undefined) continue;
    const below = deps.files
      .all()
      .filter((path) => path === real || (isBelow(path, real) && wanted.test(path)));
    const inside =
      byText.length === 0
        ? below
        : below.filter((path) => byText.some((text) => path.includes(text.replace(/^\.\//, ""))));
    for (const path of inside) await add({ path, how: { kind: "program" } }, { ...walk, folder: "" });
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(/[/\\]$/.test(folder) ? folder : `${folder}/`) || path.startsWith(`${folder}\\`);
}

async function fromFile(one: ExecutedFile, walk: Walk): Promise<void> {
  const { how } = one;
  if (how.kind === "imports")
    return follow(localImports(how.code, how.interpreter), {
      ...walk,
      depth: walk.depth + 1,
      folder: inFolder(one.path, walk.folder),
    });
  if (how.kind !== "package" && how.kind !== "make") return add(one, walk);
  const { deps, folder } = walk;
  const names =
    how.kind === "make" && /(^|[/\\])Makefile$/.test(one.path)
      ? ["GNUmakefile", "makefile", "Makefile"]
      : [undefined];
  for (const name of names) {
    const path = name === undefined ? one.path : one.path.replace(/Makefile$/, name);
    const real = await realOf(inFolder(path, folder), deps);
    const read = real === undefined ? undefined : await textAt(real, deps);
    if (real === undefined || read === undefined || read.kind === "missing") continue;
    const texts =
      read.kind === "unreadable"
        ? undefined
        : how.kind === "package"
          ? packageScripts(read.text, how.scripts)
          : makeRecipes(read.text, how.targets);
    const text = texts === undefined ? null : texts.join("\n");
    if (deps.files.has(real) || deps.inCall.has(real))
      walk.out.push({ path, hash: read.hash, text, language: { kind: "shell" } });
    // Whoever wrote the package: what its scripts run may be an agent's.
    const base = inFolder(path, folder)
      .replace(/[^/\\]*$/, "")
      .replace(/[/\\]$/, "");
    if (text !== null)
      await follow(executedFiles(text, "bash"), { ...walk, depth: walk.depth + 1, folder: base });
    return;
  }
}

async function add(one: ExecutedFile, walk: Walk): Promise<void> {
  const { deps, out, seen } = walk;
  // Data that a program loads runs nothing.
  if (/\.(?:jsonc?|ya?ml|toml|csv|txt\.gz)$/i.test(one.path) && one.how.kind === "program") return;
  const real = await realOf(inFolder(one.path, walk.folder), deps);
  if (real === undefined || seen.has(real)) return;
  seen.add(real);
  if (!deps.files.has(real) && !deps.inCall.has(real)) return;
  const read = await textAt(real, deps);
  if (read.kind === "missing") return;
  const text = read.kind === "text" ? read.text : null;
  if (one.how.kind === "lines") {
    const shown = text === null || text.startsWith("\u0000") ? text : shellLines(one.how.of, text);
    out.push({ path: one.path, hash: read.hash, text: shown, language: { kind: "shell" } });
    return;
  }
  const language: Language =
    one.how.kind === "shell"
      ? { kind: "shell" }
      : one.how.kind === "code"
        ? { kind: "code", interpreter: one.how.interpreter }
        : languageOf(one.path, text ?? "");
  out.push({ path: one.path, hash: read.hash, text, language });
  if (text === null) return;
  const deeper = { ...walk, depth: walk.depth + 1 };
  if (language.kind === "shell") return follow(executedFiles(text, shellOf(one.path)), deeper);
  // What it loads lies beside it, wherever it is started.
  const folder = inFolder(one.path, walk.folder)
    .replace(/[^/\\]*$/, "")
    .replace(/(?<=.)[/\\]$/, "");
  await follow(localImports(text, language.interpreter), { ...deeper, folder });
}

function shellOf(path: string): Shell {
  return /\.(?:bat|cmd)$/i.test(path) ? "cmd" : "bash";
}

async function textAt(real: string, { inCall, readText }: FollowDeps): ReturnType<ReadText> {
  const own = inCall.get(real);
  return own === undefined ? readText(real) : { kind: "text", text: own, hash: own };
}

async function realOf(
  path: string,
  { fs, cwd, moved }: Pick<FollowDeps, "fs" | "cwd" | "moved">,
): Promise<string | undefined> {
  const resolved = await resolvePath({ path, cwd, fs });
  if (!resolved.ok) return undefined;
  const { text } = resolved.real;
  return moved.get(text) ?? text;
}
