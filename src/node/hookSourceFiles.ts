/** Finds and reads the files that agents read their hooks from. Watches nothing, decides nothing. */
import { createHash } from "node:crypto";
import { lstat, open, readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import * as toml from "smol-toml";
import { parseJsonc } from "../agents/install/jsonc";
import { HOOK_SOURCES, type HookSource } from "../core/governance/hookSources";
import { readHookSource } from "../core/governance/readHookSource";

export interface FoundSource {
  readonly path: string;
  readonly agents: readonly string[];
  /** SHA-256 of the part that speaks of hooks. */
  readonly fact: string;
  readonly off: readonly string[];
  readonly foreign: readonly string[];
}

export interface Where {
  readonly home: string;
  readonly roots: readonly string[];
  /** Root of the file system. */
  readonly system: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Variables by which a person leads an agent to another folder than the one in the home folder. */
const MOVED: readonly (readonly [folder: string, variable: string])[] = [
  [".claude/", "CLAUDE_CONFIG_DIR"],
  [".codex/", "CODEX_HOME"],
  [".copilot/", "COPILOT_HOME"],
  [".config/", "XDG_CONFIG_HOME"],
];

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 200;

/** Every file of the table that is there. Never rejects. */
export async function findHookSources(where: Where): Promise<readonly FoundSource[]> {
  const found = await Promise.all(
    HOOK_SOURCES.flatMap((source) => pathsOf(source, where).map((path) => filesOf(source, path))),
  );
  const byPath = new Map<string, FoundSource>();
  for (const one of found.flat()) {
    const known = byPath.get(one.path);
    byPath.set(one.path, known === undefined ? one : joined(known, one));
  }
  return [...byPath.values()];
}

/** Folders in which such a file stands or could come to stand. */
export function hookSourceFolders(where: Where): readonly string[] {
  const all = HOOK_SOURCES.flatMap((source) => pathsOf(source, where).map(dirname));
  return [...new Set(all)];
}

function joined(a: FoundSource, b: FoundSource): FoundSource {
  const both = (x: readonly string[], y: readonly string[]) => [...new Set([...x, ...y])];
  return {
    path: a.path,
    agents: both(a.agents, b.agents),
    fact: a.fact === b.fact ? a.fact : sha(a.fact + b.fact),
    off: both(a.off, b.off),
    foreign: both(a.foreign, b.foreign),
  };
}

/** Where the file may stand. */
function pathsOf({ place, path }: HookSource, { home, roots, system, env }: Where): readonly string[] {
  const bases = place === "home" ? [home] : place === "system" ? [system] : roots;
  const usual = bases.map((base) => join(base, ...path.split("/")));
  if (place !== "home") return usual;
  const moved = MOVED.flatMap(([folder, variable]) => {
    const to = env[variable];
    return to !== undefined && isAbsolute(to) && path.startsWith(folder)
      ? [join(to, path.slice(folder.length))]
      : [];
  });
  return [...usual, ...moved];
}

async function filesOf(source: HookSource, full: string): Promise<readonly FoundSource[]> {
  const name = basename(full);
  if (!name.includes("*")) return readOne(source, full);
  const pattern = new RegExp(
    `^${name
      .split("*")
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`,
  );
  const names = await readdir(dirname(full)).catch(() => []);
  const wanted = names.filter((one) => pattern.test(one)).slice(0, MAX_FILES);
  return (await Promise.all(wanted.map((one) => readOne(source, join(dirname(full), one))))).flat();
}

async function readOne(source: HookSource, path: string): Promise<readonly FoundSource[]> {
  const content = await contentOf(path);
  if (content === undefined) return [];
  const { agents } = source;
  if (content.text === null) return [{ path, agents, fact: sha(content.mark), off: [], foreign: [] }];
  const { fact, off, foreign } = readHookSource(source, content.text, parsed(path, content.text));
  return [{ path, agents, fact: sha(fact), off, foreign }];
}

/** Undefined = there is nothing; text null = something that cannot be read, whose mark changes with it. */
async function contentOf(
  path: string,
): Promise<{ readonly text: string | null; readonly mark: string } | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const { size, mtimeMs, ino } = await file.stat();
      const mark = `${size} ${mtimeMs} ${ino}`;
      return size > MAX_BYTES ? { text: null, mark } : { text: await file.readFile("utf8"), mark };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "?";
    if (code === "ENOENT" || code === "ENOTDIR") {
      // A link that leads nowhere may lead somewhere later.
      const there = await lstat(path).catch(() => undefined);
      return there === undefined ? undefined : { text: null, mark: "dangling" };
    }
    return code === "EISDIR" ? undefined : { text: null, mark: code };
  }
}

function parsed(path: string, text: string): unknown {
  if (path.endsWith(".toml")) {
    try {
      return toml.parse(text);
    } catch {
      return undefined;
    }
  }
  if (!/\.(jsonc?|code-workspace)$/.test(path)) return undefined;
  const read = parseJsonc(text);
  return read.ok ? read.value : undefined;
}

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
