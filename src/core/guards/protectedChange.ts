/** Tells whether doing something to a path changes a protected place, by real path and by what lies below. */
import type { FileSystem } from "../../ports";
import { type CanonicalPath, isWithin } from "../paths/canonicalPath";
import type { CommandPath } from "../paths/commandPath";
import { type ProtectedPlace, protectedPlaces } from "../paths/protectedPlaces";
import { resolvePath } from "../paths/resolvePath";

export interface Change {
  readonly place: ProtectedPlace;
  readonly real: string;
  /** under: the place lies below what is moved or removed. */
  readonly via: "at" | "under";
}

export interface PlaceGuard {
  /** Undefined = no protected place is touched. */
  judge(touch: Omit<CommandPath, "program"> & { readonly program?: string }): Promise<Change | undefined>;
  /** Where the judged paths really lie. */
  binding(): Readonly<Record<string, string>>;
}

export interface PlaceGuardOptions {
  readonly fs: FileSystem;
  readonly cwd: string | undefined;
  readonly extra: readonly string[];
}

/** Programs that, given a file, are known to leave it as it is. */
const READERS: ReadonlySet<string> = new Set(
  "git ls ll stat file test [ [[ code code-insiders open xdg-open tsc eslint biome prettier pre-commit shellcheck jsonlint check-jsonschema countersign diff basename dirname realpath readlink sqlite3 psql mysql docker make cmake gh pytest vitest jest mocha cargo go exec nohup time env watch entr fd fzf xargs ag".split(
    " ",
  ),
);
/** Removing or moving one of these whole is an everyday act, although a protected place may lie somewhere below. */
const TAKING: ReadonlySet<CommandPath["action"]> = new Set(["remove", "move", "link"]);

export async function placeGuard({ fs, cwd, extra }: PlaceGuardOptions): Promise<PlaceGuard> {
  const [own, base, ...configured] = await Promise.all([
    follow({ path: fs.home, cwd, fs }),
    cwd === undefined ? [] : follow({ path: cwd, cwd, fs }),
    ...extra.map((path) => follow({ path, cwd, fs })),
  ]);
  const homes = { own: own[0] };
  const more = configured.flat();
  const seen: Record<string, string> = {};
  return {
    binding: () => seen,
    async judge({ path, action, program = "", unsure }) {
      if (action === "read" || action === "list" || action === "folder") return undefined;
      if (action === "mention" && READERS.has(program)) return undefined;
      const resolved = await resolvePath({ path, cwd, fs });
      if (!resolved.ok || (unsure === "guess" && !resolved.existed)) return undefined;
      if (unsure === "inside" && !(await parentExists({ path, cwd, fs }))) return undefined;
      const ends = [resolved.real, ...resolved.others];
      for (const real of [...ends, ...(await followParent({ path, cwd, fs }))]) {
        const place = protectedPlaces.at(real, homes) ?? given(more.some((folder) => isWithin(real, folder)));
        if (place !== undefined) return { place, real: real.text, via: "at" };
        if (
          !TAKING.has(action) &&
          (unsure === "folder" ? !isHidden(real) : action !== "fill" || isCommon(real, [...base, ...own]))
        )
          continue;
        const here = unsure !== "folder" && base.some((folder) => isWithin(folder, real));
        if (here && action !== "link") return { place: WORKSPACE, real: real.text, via: "under" };
        const below =
          protectedPlaces.under(real, homes) ?? given(more.some((folder) => isWithin(folder, real)));
        if (below !== undefined) return { place: below, real: real.text, via: "under" };
      }
      const [first] = ends;
      if (first !== undefined && action !== "mention") seen[`protect:${path}`] = first.text;
      return undefined;
    },
  };
}

const WORKSPACE: ProtectedPlace = {
  at: "**/workspace",
  what: "the whole workspace with its rules and hooks",
  kind: "off",
};

/** Into the workspace, a home folder and what lies above them everybody copies something: what is named in there is looked at by itself. */
function isCommon(real: CanonicalPath, common: readonly CanonicalPath[]): boolean {
  return real.segments.length === 0 || common.some((folder) => isWithin(folder, real));
}

/** `.vscode`, `.git` and their kind: a copy into one of these overwrites what lies there. */
function isHidden(real: CanonicalPath): boolean {
  return real.segments.at(-1)?.startsWith(".") === true;
}

function given(matches: boolean): ProtectedPlace | undefined {
  return matches
    ? { at: "**/configured", what: "a file that governance depends on", kind: "own" }
    : undefined;
}

type Where = { readonly path: string; readonly cwd: string | undefined; readonly fs: FileSystem };

async function parentExists({ path, cwd, fs }: Where): Promise<boolean> {
  const resolved = await resolvePath({ path: path.replace(/[/\\]+[^/\\]*$/, ""), cwd, fs });
  return resolved.ok && resolved.existed;
}

/** What cannot be followed names no protected place here; path_allowlist refuses or asks for it. */
async function follow(where: Where): Promise<readonly CanonicalPath[]> {
  const resolved = await resolvePath(where);
  return resolved.ok ? [resolved.real, ...resolved.others] : [];
}

/** A protected place that is itself a link: replacing the link changes what is there. */
async function followParent({ path, cwd, fs }: Where): Promise<readonly CanonicalPath[]> {
  const match = /^(.*?)[/\\]*([^/\\]+)[/\\]*$/s.exec(path);
  const [, folder = "", name = ""] = match ?? [];
  if (name === "" || name === "." || name === ".." || name === "~") return [];
  const start = folder !== "" ? folder : /^[/\\]/.test(path) ? path.slice(0, 1) : ".";
  const parents = await follow({ path: start, cwd, fs });
  return parents.map((parent) => withName(parent, name));
}

function withName(parent: CanonicalPath, name: string): CanonicalPath {
  const text = `${parent.text.replace(/[/\\]$/, "")}${parent.os === "win32" ? "\\" : "/"}${name}`;
  return { ...parent, segments: [...parent.segments, name], text };
}
