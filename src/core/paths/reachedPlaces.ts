/** Where a word of a command may lead: itself, the folder a wildcard searches, the places it may reach. Knows no file system. */
import type { NamedPath } from "./commandPaths";
import { CREDENTIAL_PLACES } from "./credentialPlaces";
import { placeGuesses } from "./placeGuess";
import type { Place } from "./placeTable";
import { UNKNOWN } from "./shellWords";

/** What a word may stand for: itself, or with a wildcard the folder it searches and the places it may reach. */
export function spelled(
  text: string,
  glob: boolean,
  { places, action }: { readonly places: readonly Place[]; readonly action: NamedPath["action"] },
): readonly { path: string; unsure?: "folder" | "guess" }[] {
  if (!glob && !text.includes(UNKNOWN)) return [{ path: text }];
  const pattern = text.replaceAll(UNKNOWN, "*");
  // Where nobody looks whether it is there, a bare wildcard names nothing.
  const takes =
    places !== CREDENTIAL_PLACES &&
    glob &&
    !text.includes(UNKNOWN) &&
    (action === "remove" || action === "move");
  const guesses = placeGuesses(pattern, places, { takes }).map((path) => ({
    path,
    unsure: "guess" as const,
  }));
  // Nothing is known of where it begins; only what it ends in can tell.
  if (text.startsWith(UNKNOWN)) return guesses;
  const names = pattern.split("/");
  const first = names.findIndex((name) => /[*?[({]/.test(name));
  if (first < 0) return [{ path: pattern }, ...guesses];
  const prefix = names.slice(0, first).join("/");
  const base = first === 0 ? "." : prefix === "" ? "/" : prefix;
  const climbs = names.slice(first).includes("..");
  return [{ path: climbs ? pattern : base, unsure: "folder" as const }, ...guesses];
}

/** The places whose last name fits the name looked for, where they usually lie below the start. */
export function soughtPlaces(
  text: string,
  places: readonly Place[],
): readonly { path: string; unsure: "guess" }[] {
  const [, start = "", name = ""] = /^(.*)\/([^/]*)$/s.exec(text) ?? [];
  return places.flatMap(({ at }) => {
    const inside = /^\*\*\/([^*]+)$/.exec(at)?.[1];
    if (
      inside === undefined ||
      placeGuesses(name, [{ at: `**/${inside.split("/").at(-1)}`, what: "" }], { hidden: true, takes: false })
        .length === 0
    )
      return [];
    return [{ path: `${start}/${inside}`, unsure: "guess" as const }];
  });
}
