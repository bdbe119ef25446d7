/** The places that a wildcard of a shell could reach, told from the words alone. Knows no file system. */
import type { Place } from "./placeTable";

export interface GuessOptions {
  /** A bare `*` counts: what it reaches is taken away. */
  readonly takes: boolean;
  /** Wildcards reach names that begin with a dot, as those of find do. */
  readonly hidden?: boolean;
}

/** The places of a table that a wildcard may reach, spelt out. A shell's `*` reaches no name that begins with a dot. */
export function placeGuesses(
  pattern: string,
  places: readonly Place[],
  options: GuessOptions,
): readonly string[] {
  const names = pattern.split(/[/\\]/);
  const tests = new Map<string, (name: string) => boolean>();
  const fits = (own: string, name: string): boolean => {
    const known = tests.get(own) ?? couldMatch(own, options);
    tests.set(own, known);
    return known(name);
  };
  const anyPattern = isPattern(pattern);
  const out = new Set<string>();
  for (const place of spelledPlaces(places))
    for (const guess of guessesFor(place, names, { ...options, fits, anyPattern })) out.add(guess);
  return [...out];
}

interface Spelled {
  /** Its names, wildcards of the table taken out. */
  readonly wanted: readonly string[];
  /** As the table has them, without `**`. */
  readonly written: readonly string[];
  readonly rooted: boolean;
}

const spelt = new WeakMap<readonly Place[], readonly Spelled[]>();

/** The tables do not change: each is read once. */
function spelledPlaces(places: readonly Place[]): readonly Spelled[] {
  const known = spelt.get(places);
  if (known !== undefined) return known;
  const read = places.flatMap(({ at }): readonly Spelled[] => {
    const match = /^(~|%|\*\*)?\/(.+)$/.exec(at);
    if (match === null) return [];
    const written = (match[2] ?? "").split("/").filter((name) => name !== "**");
    const wanted = written.map((name) => name.replaceAll("*", ""));
    return [{ written, wanted, rooted: match[1] === undefined || match[1] === "%" }];
  });
  spelt.set(places, read);
  return read;
}

interface Guessing extends GuessOptions {
  readonly fits: (own: string, name: string) => boolean;
  readonly anyPattern: boolean;
}

function guessesFor(place: Spelled, names: readonly string[], on: Guessing): readonly string[] {
  const { wanted, written, rooted } = place;
  const out: string[] = [];
  const [first, end] = rooted ? (names[0] === "" ? [1, 2] : [0, 0]) : [0, names.length];
  for (let start = first; start < end && start + wanted.length <= names.length; start++) {
    const hit = wanted.every((want, i) => on.fits(names[start + i] ?? "", want));
    if (!hit && (rooted || !on.anyPattern)) continue;
    const part = names.slice(start, start + wanted.length);
    if (hit && on.hidden && !part.some(isPattern)) out.push(names.join("/"));
    else if (hit && part.some(isPattern))
      out.push([...names.slice(0, start), ...wanted, ...names.slice(start + wanted.length)].join("/"));
    else if (!rooted && on.anyPattern) out.push(...plainHit(part, written, names));
  }
  return out;
}

/** The wildcard stands elsewhere: `*` + `/.ssh/id_rsa` names the place outright. */
function plainHit(
  part: readonly string[],
  wanted: readonly string[],
  names: readonly string[],
): readonly string[] {
  return part.every((name, i) => name === wanted[i])
    ? [names.map((name) => (name === "*" ? "user" : name)).join("/")]
    : [];
}

function isPattern(text: string): boolean {
  return /[*?[({]/.test(text);
}

/** Whether one name of the pattern may stand for a name, as one test for all names. */
function couldMatch(pattern: string, { takes, hidden }: GuessOptions): (name: string) => boolean {
  if (!isPattern(pattern)) return (name) => pattern === name;
  const seesHidden = hidden === true || /^[.[{(@]/.test(pattern);
  // One letter of one's own is the least that tells a search for secrets from `cat *`.
  const enough = takes || pattern.replace(/[*?]/g, "").length > 0;
  if (!enough) return () => false;
  const own = (pattern.match(/\*/g)?.length ?? 0) > 6 ? undefined : asRegExp(pattern);
  return (name) => (seesHidden || !name.startsWith(".")) && (own?.test(name) ?? true);
}

/** Undefined = nobody can tell what it stands for. */
function asRegExp(pattern: string): RegExp | undefined {
  const source = pattern
    .replace(/[@?*+!]\([^)]*\)|\{[^}]*\}/g, "*")
    .replace(/[.+^$(){}|\\]/g, "\\$&")
    // A bracket that is never closed is a plain one.
    .replace(/\[(?![^\]]+\])/g, "\\[")
    .replace(/\[!/g, "[^")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  try {
    return new RegExp(`^${source}$`, "i");
  } catch {
    return undefined;
  }
}
