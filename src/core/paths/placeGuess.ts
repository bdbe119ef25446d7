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
  const out = new Set<string>();
  for (const place of places) for (const guess of guessesFor(place, names, options)) out.add(guess);
  return [...out];
}

function guessesFor(place: Place, names: readonly string[], options: GuessOptions): readonly string[] {
  const match = /^(~|%|\*\*)?\/(.+)$/.exec(place.at);
  if (match === null) return [];
  const wanted = (match[2] ?? "").split("/").filter((name) => name !== "**");
  const rooted = match[1] === undefined || match[1] === "%";
  const from = rooted ? (names[0] === "" ? [1] : []) : names.map((_, i) => i);
  return from.flatMap((start) => {
    const part = names.slice(start, start + wanted.length);
    if (part.length < wanted.length) return [];
    const hit = wanted.every((want, i) => couldMatch(part[i] ?? "", want.replaceAll("*", ""), options));
    if (hit && options.hidden && !part.some(isPattern)) return [names.join("/")];
    if (!hit || !part.some(isPattern))
      return rooted || !isPattern(names.join("/")) ? [] : plainHit(part, wanted, names);
    return [
      [
        ...names.slice(0, start),
        ...wanted.map((want) => want.replaceAll("*", "")),
        ...names.slice(start + wanted.length),
      ].join("/"),
    ];
  });
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

function couldMatch(pattern: string, name: string, { takes, hidden }: GuessOptions): boolean {
  if (!isPattern(pattern)) return pattern === name;
  if (hidden !== true && name.startsWith(".") && !/^[.[{(@]/.test(pattern)) return false;
  // One letter of one's own is the least that tells a search for secrets from `cat *`.
  if (!takes && pattern.replace(/[*?]/g, "").length < 1) return false;
  if ((pattern.match(/\*/g)?.length ?? 0) > 6) return true;
  const source = pattern
    .replace(/[@?*+!]\([^)]*\)|\{[^}]*\}/g, "*")
    .replace(/[.+^$(){}|\\]/g, "\\$&")
    // A bracket that is never closed is a plain one.
    .replace(/\[(?![^\]]+\])/g, "\\[")
    .replace(/\[!/g, "[^")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  try {
    return new RegExp(`^${source}$`, "i").test(name);
  } catch {
    return true;
  }
}
