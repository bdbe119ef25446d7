/** Whether a text names a credential place, told from the words alone. Knows no file system. */
import { canonicalPath, type Os } from "./canonicalPath";
import { credentialPlaces } from "./credentialPlaces";
import type { CredentialPlace } from "./credentialRow";
import { parsePath } from "./parsePath";

const HOMES: Readonly<Record<Os, string>> = {
  linux: "/home/user",
  darwin: "/Users/user",
  win32: "C:\\Users\\user",
};

/** True when the text names a credential place on the system it is written for; a project's own secret settings are none here. */
export function looksLikeCredential(text: string): boolean {
  return rowsFor(text).some(({ access }) => access !== "read");
}

/** True when reading the file tells secrets, a project's own settings included. */
export function holdsSecrets(text: string): boolean {
  return rowsFor(text).length > 0;
}

function rowsFor(text: string): readonly CredentialPlace[] {
  const kinds: readonly Os[] = /\\|^[a-z]:/i.test(text) ? ["win32", "linux"] : ["linux", "darwin"];
  return kinds.flatMap((os) => {
    const home = HOMES[os];
    const parsed = parsePath(text, { os, home, cwd: os === "win32" ? "C:\\work" : "/work" });
    if (!parsed.ok) return [];
    const segments: string[] = [];
    for (const name of parsed.segments) {
      if (name === "..") segments.pop();
      else segments.push(name);
    }
    const path = canonicalPath({ os, volume: parsed.volume, segments, caseInsensitive: os !== "linux" });
    const row = credentialPlaces.at(path, { own: undefined });
    return row === undefined ? [] : [row];
  });
}
