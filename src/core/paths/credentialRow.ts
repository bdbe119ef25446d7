/** What a row of the tables of secrets looks like. Knows no place. */
import type { Place } from "./placeTable";

export interface CredentialPlace extends Place {
  /** "read": only reading tells secrets (a project's own `.env` is written every day). Absent = any access. */
  readonly access?: "read";
}

/** `places`: one a line. */
export function rows(what: string, places: string, access?: "read"): readonly CredentialPlace[] {
  return places
    .trim()
    .split(/\s*\n\s*/)
    .map((at) => ({ at, what, ...(access === undefined ? {} : { access }) }));
}
