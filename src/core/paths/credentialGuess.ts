/** Whether a text or a wildcard could name a credential place, told from the words alone. Knows no file system. */
import { canonicalPath, type Os } from "./canonicalPath";
import { CREDENTIAL_PLACES, type CredentialPlace, credentialPlaces } from "./credentialPlaces";
import { parsePath } from "./parsePath";

const HOMES: Readonly<Record<Os, string>> = {
  linux: "/home/user",
  darwin: "/Users/user",
  win32: "C:\\Users\\user",
};

/** True when the text names a credential place on the system it is written for. */
export function looksLikeCredential(text: string): boolean {
  const kinds: readonly Os[] = /\\|^[a-z]:/i.test(text) ? ["win32", "linux"] : ["linux", "darwin"];
  return kinds.some((os) => {
    const home = HOMES[os];
    const parsed = parsePath(text, { os, home, cwd: os === "win32" ? "C:\\work" : "/work" });
    if (!parsed.ok) return false;
    const segments: string[] = [];
    for (const name of parsed.segments) {
      if (name === "..") segments.pop();
      else segments.push(name);
    }
    const path = canonicalPath({ os, volume: parsed.volume, segments, caseInsensitive: os !== "linux" });
    const row = credentialPlaces.at(path, { own: undefined });
    return row !== undefined && row.what !== "a file of secret settings";
  });
}

/** The credential places a wildcard may reach, spelt out. A bare `*` reaches no name that begins with a dot. */
export function credentialGuesses(pattern: string): readonly string[] {
  const names = pattern.split(/[/\\]/);
  const out = new Set<string>();
  for (const place of CREDENTIAL_PLACES) for (const guess of guessesFor(place, names)) out.add(guess);
  return [...out];
}

function guessesFor(place: CredentialPlace, names: readonly string[]): readonly string[] {
  const match = /^(~|%|\*\*)?\/(.+)$/.exec(place.at);
  if (match === null) return [];
  const wanted = (match[2] ?? "").split("/").filter((name) => name !== "**");
  const rooted = match[1] === undefined || match[1] === "%";
  const from = rooted ? (names[0] === "" ? [1] : []) : names.map((_, i) => i);
  return from.flatMap((start) => {
    const part = names.slice(start, start + wanted.length);
    if (part.length < wanted.length) return [];
    const hit = wanted.every((want, i) => couldMatch(part[i] ?? "", want.replaceAll("*", "")));
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

function couldMatch(pattern: string, name: string): boolean {
  if (!isPattern(pattern)) return pattern === name;
  if (name.startsWith(".") && !/^[.[{(@]/.test(pattern)) return false;
  // One letter of one's own is the least that tells a search for secrets from `cat *`.
  if (pattern.replace(/[*?]/g, "").length < 1) return false;
  if ((pattern.match(/\*/g)?.length ?? 0) > 6) return true;
  const source = pattern
    .replace(/[@?*+!]\([^)]*\)|\{[^}]*\}/g, "*")
    .replace(/[.+^$(){}|\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  try {
    return new RegExp(`^${source}$`, "i").test(name);
  } catch {
    return true;
  }
}
