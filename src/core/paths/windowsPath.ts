/** Win32 path text to volume and names: drives, UNC, `\\?\`, devices, streams, trailing dots. Knows no file system. */
import type { ParsedPath, Refusal } from "./parsePath";

type Parsed = ParsedPath | Refusal;

// CONIN$ and the superscript digits are devices too.
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)\s*(\.|$)/i;

export function parseWindowsPath(text: string, cwd: string | undefined): Parsed {
  const path = text.replaceAll("/", "\\").replace(/^\\([a-z]:)(?=\\|$)/i, "$1");
  if (/^\\(\?\?|\\[.?])(\\|$)/.test(path)) return parseNamespace(path);
  const unc = /^\\\\([^\\]+)\\([^\\]+)(.*)$/.exec(path);
  if (unc !== null) return withNames(`\\\\${unc[1]}\\${unc[2]}`, unc[3] ?? "");
  if (/^\\\\/.test(path)) return refuse("the network path names no server and share");
  const drive = /^([a-z]:)(.*)$/i.exec(path);
  if (drive !== null) {
    const rest = drive[2] ?? "";
    if (!rest.startsWith("\\")) return refuse(`"${text}" depends on the working folder of a drive`);
    return withNames((drive[1] ?? "").toUpperCase(), rest);
  }
  return underCwd(path, cwd);
}

function underCwd(path: string, cwd: string | undefined): Parsed {
  const base = cwd === undefined || /^[/\\]?[^/\\]*$/.test(cwd) ? null : parseAbsoluteCwd(cwd);
  if (base === null) return unknowable("the path is relative and the working folder is not known");
  if (!base.ok) return base;
  const names = withNames(base.volume, path);
  if (!names.ok || path.startsWith("\\")) return names;
  return { ...names, segments: [...base.segments, ...names.segments] };
}

function parseAbsoluteCwd(cwd: string): Parsed | null {
  return /^(\\\\|\/\/|[/\\]?[a-z]:[/\\])/i.test(cwd) ? parseWindowsPath(cwd, undefined) : null;
}

/** `\\?\C:\x` and `\\?\UNC\server\share` switch off Win32's tidying, so anything that would be tidied is refused. */
function parseNamespace(path: string): Parsed {
  const match = /^\\\\\?\\(?:([a-z]:)|UNC\\([^\\]+)\\([^\\]+))(\\.*)?$/i.exec(path);
  if (match === null) return refuse("the path names a device or a kernel object");
  const [, drive, server, share, rest = ""] = match;
  const names = rest.split("\\").filter((name) => name !== "");
  if (names.some((name) => /^\.+$|[. ]$/.test(name)))
    return refuse("the path uses \\\\?\\ to reach a name that Windows would otherwise change");
  return withNames(drive?.toUpperCase() ?? `\\\\${server}\\${share}`, rest);
}

function withNames(volume: string, rest: string): Parsed {
  const segments: string[] = [];
  for (const raw of rest.split("\\")) {
    if (raw === "" || raw === ".") continue;
    const name = raw === ".." ? raw : raw.replace(/[. ]+$/, "");
    const problem = raw === ".." ? null : problemOf(name);
    if (problem !== null) return refuse(`${problem}: "${raw}"`);
    segments.push(name);
  }
  return { ok: true, volume, segments };
}

function problemOf(name: string): string | null {
  if (name === "") return "a name of dots and spaces alone";
  if (name.includes(":")) return "the path names an alternate stream of a file";
  if (DEVICE.test(name)) return "the path names a device";
  if (/[\u0000-\u001f<>"|?*]/.test(name)) return "a character that no Windows file name can hold";
  if (name.length > 255) return "a name in the path is too long";
  return null;
}

/** A name in the old 8.3 form may be an alias of any other name. */
export function looksShortened(name: string): boolean {
  return /^[^.]{1,7}~\d{1,6}(\.[^.]{0,3})?$/.test(name);
}

function refuse(reason: string): Refusal {
  return { ok: false, kind: "malformed", reason };
}

function unknowable(reason: string): Refusal {
  return { ok: false, kind: "unjudgeable", reason };
}
