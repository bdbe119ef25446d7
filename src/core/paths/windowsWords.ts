/** Words of PowerShell and cmd with the well-known folder variables put in as text below `~`. Knows no command. */
import { UNKNOWN } from "./shellWords";

const FOLDERS: Readonly<Record<string, string>> = {
  userprofile: "~",
  home: "~",
  "homedrive%%homepath": "~",
  appdata: "~\\AppData\\Roaming",
  localappdata: "~\\AppData\\Local",
  temp: "~\\AppData\\Local\\Temp",
  tmp: "~\\AppData\\Local\\Temp",
  pwd: ".",
  cd: ".",
};

export function windowsWord(value: string | null, written: string): string {
  if (value !== null) return value;
  const bare = written.replace(/["']/g, "");
  const text = bare
    .replace(/\$\{?env:(\w+)\}?|%(homedrive%%homepath|\w+)%|\$(home|pwd)\b/gi, (all, a, b, c) => {
      const name = String(a ?? b ?? c).toLowerCase();
      return Object.hasOwn(FOLDERS, name) ? (FOLDERS[name] ?? all) : all;
    })
    .trim();
  return text.replace(/\$\{?[\w:]+\}?|%[^%]*%|\$\(.*/g, UNKNOWN);
}
