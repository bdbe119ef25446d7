/** Matches a real path against rows of a table of places. Knows no file system and no particular place. */
import { type CanonicalPath, foldWide, type Os } from "./canonicalPath";

/**
 * Names joined by `/`; `*` within a name stands for any text, a last name `**` for the place and all below it.
 * Starts with `~/` (any user's home folder), `/` (POSIX root), `%/` (Windows system drive) or `**`+`/` (anywhere).
 */
export interface Place {
  readonly at: string;
  /** What a person is told it is: "the SSH keys". */
  readonly what: string;
  /** Absent = on every system. */
  readonly os?: readonly Os[];
}

interface Row<T> {
  readonly place: T;
  readonly anchor: "home" | "root" | "anywhere";
  readonly names: readonly RegExp[];
  /** The first name, folded; absent = it holds a wildcard. */
  readonly first?: string;
  readonly deep: boolean;
}

export interface PlaceTable<T extends Place> {
  /** The first row whose place is `path` (or holds it, for rows that end in `**`). */
  at(path: CanonicalPath, homes: Homes): T | undefined;
  /** The first row whose place could lie below `path`: what a move or removal of the folder takes along. */
  under(path: CanonicalPath, homes: Homes): T | undefined;
}

export interface Homes {
  /** The user's own home folder, followed to where it lies; others are found by where systems keep them. */
  readonly own: CanonicalPath | undefined;
}

type Shape = { readonly os: Os; readonly caseInsensitive: boolean };

export function placeTable<T extends Place>(places: readonly T[]): PlaceTable<T> {
  const cache = new Map<string, Index<T>>();
  const indexFor = (shape: Shape) => {
    const key = `${shape.os} ${shape.caseInsensitive}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const rows = places.filter((p) => p.os?.includes(shape.os) ?? true).map((p) => compile(p, shape));
    const index = indexOf(rows);
    cache.set(key, index);
    return index;
  };
  return {
    at: (path, homes) => {
      const view = viewOf(path, homes);
      return candidates(indexFor(path), view.names).find((row) => isAt(row, view))?.place;
    },
    under: (path, homes) => {
      const view = viewOf(path, homes);
      // A home folder or the root itself holds rows of which no name is there yet.
      const bare = view.names.length === 0 || view.homes.includes(view.names.length);
      const index = indexFor(path);
      return (bare ? index.all : candidates(index, view.names)).find((row) =>
        startsOf(row, view).some((from) => leadsTo(row, view.names, from)),
      )?.place;
    },
  };
}

/** Rows by their first name, so that a path is held against the few that could match. */
interface Index<T> {
  readonly all: readonly Row<T>[];
  readonly byName: ReadonlyMap<string, readonly number[]>;
  /** Rows whose first name holds a wildcard. */
  readonly open: readonly number[];
  readonly openRows: readonly Row<T>[];
}

function indexOf<T>(rows: readonly Row<T>[]): Index<T> {
  const byName = new Map<string, number[]>();
  const open: number[] = [];
  for (const [i, { first }] of rows.entries()) {
    if (first === undefined) open.push(i);
    else byName.set(first, [...(byName.get(first) ?? []), i]);
  }
  return { all: rows, byName, open, openRows: open.flatMap((i) => rows[i] ?? []) };
}

/** In the order of the table. */
function candidates<T>(index: Index<T>, names: readonly string[]): readonly Row<T>[] {
  const named = names.flatMap((name) => index.byName.get(name) ?? []);
  // Most paths hold no name of the table.
  if (named.length === 0) return index.openRows;
  return [...new Set([...index.open, ...named])].sort((a, b) => a - b).flatMap((i) => index.all[i] ?? []);
}

interface View {
  readonly names: readonly string[];
  /** How many leading names make a home folder. */
  readonly homes: readonly number[];
}

function viewOf(path: CanonicalPath, homes: Homes): View {
  const names = path.segments.map((name) => foldWide(name, path));
  const found: number[] = [];
  const own = homes.own;
  if (own !== undefined && own.volume.toLowerCase() === path.volume.toLowerCase()) {
    if (own.segments.every((name, i) => foldWide(name, path) === names[i])) found.push(own.segments.length);
  }
  const first = names[0];
  if (path.os === "linux" && first === "root") found.push(1);
  const parent = path.os === "linux" ? "home" : "users";
  if (first === parent && names.length >= 2) found.push(2);
  if (path.os === "darwin" && first === "var" && names[1] === "root") found.push(2);
  return { names, homes: [...new Set(found)] };
}

/** Where in the names the row's own names may begin. */
function startsOf<T>(row: Row<T>, view: View): readonly number[] {
  if (row.anchor === "home") return view.homes;
  if (row.anchor === "root") return [0];
  return Array.from({ length: view.names.length + 1 }, (_, i) => i);
}

function isAt<T>(row: Row<T>, view: View): boolean {
  if (row.anchor !== "anywhere") return startsOf(row, view).some((from) => holds(row, view.names, from));
  const last = view.names.length - row.names.length;
  for (let from = row.deep ? 0 : last; from <= last; from++)
    if (from >= 0 && holds(row, view.names, from)) return true;
  return false;
}

function holds<T>(row: Row<T>, names: readonly string[], from: number): boolean {
  const left = names.length - from;
  if (row.deep ? left < row.names.length : left !== row.names.length) return false;
  return row.names.every((pattern, i) => pattern.test(names[from + i] ?? ""));
}

/** True when `names` end in a proper beginning of the row's place. Rows that may be anywhere need at least one name. */
function leadsTo<T>(row: Row<T>, names: readonly string[], from: number): boolean {
  const left = names.length - from;
  if (left >= row.names.length || (left === 0 && row.anchor === "anywhere")) return false;
  for (let i = 0; i < left; i++) if (!row.names[i]?.test(names[from + i] ?? "")) return false;
  return true;
}

function compile<T extends Place>(place: T, shape: Shape): Row<T> {
  const match = /^(~|%|\*\*)?\/(.+)$/.exec(place.at);
  if (match === null) throw new Error(`a place must begin with ~/, /, %/ or **/: ${place.at}`);
  const names = (match[2] ?? "").split("/");
  const deep = names.at(-1) === "**";
  const anchor = match[1] === "~" ? "home" : match[1] === "**" ? "anywhere" : "root";
  const used = deep ? names.slice(0, -1) : names;
  const [first = "*"] = used;
  return {
    place,
    anchor,
    deep,
    names: used.map((name) => pattern(name, shape)),
    ...(first.includes("*") ? {} : { first: foldWide(first, shape) }),
  };
}

function pattern(name: string, shape: Shape): RegExp {
  const escaped = foldWide(name, shape)
    .split("*")
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^/]*")}$`, "u");
}
