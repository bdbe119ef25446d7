/** Follows a path to where it really lies, link by link, on a file system that is handed in. Judges nothing. */
import type { FileSystem } from "../../ports";
import { type CanonicalPath, canonicalPath, formatPath, samePath } from "./canonicalPath";
import { malformed, type ParsedPath, parsePath, type Refusal, unjudgeable } from "./parsePath";
import { looksShortened } from "./windowsPath";

const MAX_LINKS = 40;

export type Resolved =
  | {
      readonly ok: true;
      /** Real path of the deepest existing ancestor plus the rest. */
      readonly real: CanonicalPath;
      /** Something stands at exactly this place. */
      readonly existed: boolean;
      /**
       * Where another honest reading of the same text ends: `..` taken as text instead of through the link before it,
       * percent sequences decoded. Usually empty; whoever judges must judge these too.
       */
      readonly others: readonly CanonicalPath[];
    }
  | Refusal;

export interface ResolveRequest {
  readonly path: string;
  /** Absolute; absent = relative paths are refused. */
  readonly cwd?: string | undefined;
  readonly fs: FileSystem;
}

export async function resolvePath({ path, cwd, fs }: ResolveRequest): Promise<Resolved> {
  const context = { os: fs.os, home: fs.home, cwd };
  const readings: ParsedPath[] = [];
  for (const text of spellings(path)) {
    const parsed = parsePath(text, context);
    if (!parsed.ok) return parsed;
    // Win32 and most editors take `..` as text; POSIX kernels go through the link before it.
    if (fs.os === "win32" && parsed.segments.includes("..")) readings.push(lexical(parsed), parsed);
    else readings.push(parsed, ...(parsed.segments.includes("..") ? [lexical(parsed)] : []));
  }
  let first: { real: CanonicalPath; existed: boolean } | undefined;
  const others: CanonicalPath[] = [];
  for (const reading of readings) {
    const end = (await atOnce(reading, fs)) ?? (await walk(reading, fs));
    if (!end.ok) return end;
    if (first === undefined) first = end;
    else if (![first.real, ...others].some((known) => samePath(known, end.real))) others.push(end.real);
  }
  if (first === undefined) return malformed("the path is empty");
  return { ok: true, real: first.real, existed: first.existed, others };
}

/** A name may hold percent sequences or spaces at its ends; a program that decodes or trims them would go elsewhere. */
function spellings(path: string): readonly string[] {
  const trimmed = path.trim();
  const out = trimmed === path || trimmed === "" ? [path] : [path, trimmed];
  if (/^\s*file:/i.test(path) || !/%(2e|2f|5c|00)/i.test(path)) return out;
  const decoded = path.replace(/%(2e|2f|5c|00)/gi, (hex) =>
    String.fromCharCode(Number.parseInt(hex.slice(1), 16)),
  );
  return [...out, decoded];
}

function lexical(parsed: ParsedPath): ParsedPath {
  const segments: string[] = [];
  for (const segment of parsed.segments) {
    if (segment === "..") segments.pop();
    else segments.push(segment);
  }
  return { ...parsed, segments };
}

/** One question instead of one for each name, where no link lies on the way; undefined = go name by name. */
async function atOnce(
  { volume, segments }: ParsedPath,
  fs: FileSystem,
): Promise<{ ok: true; real: CanonicalPath; existed: boolean } | undefined> {
  if (fs.real === undefined || fs.os === "win32" || segments.includes("..")) return undefined;
  const here = formatPath(fs.os, volume, segments);
  const shape = { os: fs.os, volume, caseInsensitive: fs.caseInsensitive };
  const end = await fs.real(here);
  // A link may lead through /proc, where each process sees itself: only going name by name notices.
  if (end === here) return { ok: true, real: canonicalPath({ ...shape, segments }), existed: true };
  const last = segments.at(-1);
  if (end !== undefined || last === undefined || segments[0] === "proc") return undefined;
  const above = { ok: true, volume, segments: segments.slice(0, -1) } as const;
  const [seen, parent] = await Promise.all([fs.look(here), atOnce(above, fs)]);
  if (seen.kind !== "missing" || parent === undefined) return undefined;
  const real = canonicalPath({ ...shape, segments: [...parent.real.segments, last] });
  return { ok: true, real, existed: false };
}

interface Walk {
  volume: string;
  readonly done: string[];
  /** Names still to go, the next one last. */
  readonly left: string[];
  /** Length of `done` from which on nothing exists; absent = all of it does. */
  missingFrom?: number | undefined;
  links: number;
}

async function walk(
  parsed: ParsedPath,
  fs: FileSystem,
): Promise<{ ok: true; real: CanonicalPath; existed: boolean } | Refusal> {
  const state: Walk = { volume: parsed.volume, done: [], left: [...parsed.segments].reverse(), links: 0 };
  for (let name = state.left.pop(); name !== undefined; name = state.left.pop()) {
    const refused = name === ".." ? stepUp(state) : await stepInto(name, state, fs);
    if (refused !== null) return refused;
  }
  const { volume, done: segments, missingFrom } = state;
  const real = canonicalPath({ os: fs.os, volume, segments, caseInsensitive: fs.caseInsensitive });
  return { ok: true, real, existed: missingFrom === undefined };
}

function stepUp(state: Walk): null {
  state.done.pop();
  if (state.missingFrom !== undefined && state.done.length <= state.missingFrom)
    state.missingFrom = undefined;
  return null;
}

async function stepInto(name: string, state: Walk, fs: FileSystem): Promise<Refusal | null> {
  const process = processFolder(state.done, name, fs);
  if (process !== null) return process;
  const short = fs.os === "win32" && looksShortened(name);
  if (state.missingFrom !== undefined) {
    if (short) return shortName(name);
    state.done.push(name);
    return null;
  }
  const here = formatPath(fs.os, state.volume, [...state.done, name]);
  const seen = await fs.look(here);
  switch (seen.kind) {
    case "missing":
      if (short) return shortName(name);
      state.missingFrom = state.done.length;
      state.done.push(name);
      return null;
    case "there":
      if (short && seen.canonical === undefined) return shortName(name);
      state.done.push(seen.canonical === undefined ? name : lastName(seen.canonical));
      return null;
    case "unreadable":
      return unjudgeable(`${here} cannot be looked at (${seen.message})`);
    case "link":
      return followLink(seen.target, here, { state, fs });
    default:
      return seen satisfies never;
  }
}

function followLink(target: string, here: string, on: { state: Walk; fs: FileSystem }): Refusal | null {
  const { state, fs } = on;
  if (++state.links > MAX_LINKS)
    return malformed(`more than ${MAX_LINKS} links follow each other at ${here}`);
  if (target === "" || target.includes("\0")) return unjudgeable(`the link ${here} has no readable target`);
  const cwd = formatPath(fs.os, state.volume, state.done);
  // A link's target is no text of a person: `~`, `file:` and the like are plain names in it.
  const plain =
    fs.os === "win32" ? target.replace(/^\\\?\?\\/, "\\\\?\\").replace(/(?<=[^:\\])\\$/, "") : target;
  const parsed = parsePath(/^(~|[a-z][\w+.-]*:)/i.test(plain) && fs.os !== "win32" ? `./${plain}` : plain, {
    os: fs.os,
    home: fs.home,
    cwd,
  });
  if (!parsed.ok)
    return { ...parsed, reason: `the link ${here} points to ${JSON.stringify(target)}: ${parsed.reason}` };
  state.volume = parsed.volume;
  state.done.length = 0;
  state.left.push(...[...parsed.segments].reverse());
  return null;
}

/** `/proc/self/cwd` and its kind mean another place for each process that opens them. */
function processFolder(done: readonly string[], name: string, fs: FileSystem): Refusal | null {
  if (fs.os !== "linux" || done[0] !== "proc" || done.length < 2) return null;
  const owner = /^(self|thread-self|\d+)$/.test(done[1] ?? "");
  if (!owner || !/^(cwd|root|fd|task|map_files|exe)$/.test(name)) return null;
  return unjudgeable("a folder of a process in /proc leads elsewhere for each process");
}

function shortName(name: string): Refusal {
  return unjudgeable(`"${name}" may be the short form of another name`);
}

/** `canonical` may be a whole path or the name alone. */
function lastName(text: string): string {
  const names = text.split(/[\\/]/).filter((part) => part !== "");
  return names.at(-1) ?? text;
}
