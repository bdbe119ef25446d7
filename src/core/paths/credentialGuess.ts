/** Whether a text names a credential place, told from the words alone. Knows no file system. */
import { canonicalPath, type Os } from "./canonicalPath";
import { credentialPlaces } from "./credentialPlaces";
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
