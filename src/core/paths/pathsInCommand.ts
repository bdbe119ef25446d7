/** The files a terminal text touches, with the folder changes before them counted in. Judges nothing. */
import type { Shell } from "../call";
import { isAnchored } from "./changeFolder";
import { type NamedPath, namedPaths } from "./commandPaths";
import { type LocatedCommand, locateCommands } from "./commandTree";
import { credentialGuesses } from "./credentialGuess";
import { UNKNOWN } from "./shellWords";

export interface CommandPath {
  /** Relative to where the text starts, absolute, or below `~`. */
  readonly path: string;
  readonly action: NamedPath["action"];
  /** Name of the program; "" for a redirection of a whole block. */
  readonly program: string;
}

const MAX_PATHS = 400;

/** Words that nobody can tell are left out; so are relative ones after a change of folder that nobody can tell. */
export function pathsInCommand(text: string, shell: Shell): readonly CommandPath[] {
  const seen = new Map<string, CommandPath>();
  for (const command of locateCommands(text, shell)) {
    for (const found of pathsOf(command, shell)) {
      if (seen.size >= MAX_PATHS) return [...seen.values()];
      seen.set(`${found.action} ${found.program} ${found.path}`, found);
    }
  }
  return [...seen.values()];
}

export function pathsOf(located: LocatedCommand, shell: Shell): readonly CommandPath[] {
  const family = shell === "cmd" || shell === "pwsh" || shell === "powershell" ? "windows" : "posix";
  const program = (located.argv[0] ?? "").split(/[/\\]/).at(-1)?.toLowerCase() ?? "";
  const named: { text: string; action: NamedPath["action"]; glob: boolean }[] = [];
  for (const { text, action } of namedPaths(located.argv, family))
    named.push({
      text,
      action,
      glob: [...located.globs].some((word) => word.includes(text)) || /[*?]/.test(text),
    });
  for (const { op, word } of located.redirects) {
    if (isSink(op, word.text, family)) continue;
    named.push({ text: word.text, action: op === "<" ? "read" : "write", glob: false });
  }
  return named.flatMap(({ text, action, glob }) =>
    spelled(text, glob).flatMap((path) =>
      located.folders.flatMap((folder) => {
        const full = inFolder(path, folder);
        return full === null ? [] : [{ path: full, action, program }];
      }),
    ),
  );
}

function isSink(op: string, target: string, family: "posix" | "windows"): boolean {
  if (op.startsWith("<<")) return true;
  if (/&$/.test(op) && /^(\d+|-)$/.test(target)) return true;
  if (target === "" || /^&?\d$/.test(target) || target.startsWith("&")) return true;
  return family === "windows" && /^(nul|\$null|\u0001)$/i.test(target);
}

/** What a word may stand for: itself, or with a wildcard the folder it searches and the credentials it may reach. */
function spelled(text: string, glob: boolean): readonly string[] {
  const unknown = text.includes(UNKNOWN);
  if (!glob && !unknown) return [text];
  const pattern = text.replaceAll(UNKNOWN, "*");
  const guesses = credentialGuesses(pattern);
  // Nothing is known of where it begins; only what it ends in can tell.
  if (text.startsWith(UNKNOWN)) return guesses;
  const names = pattern.split("/");
  const first = names.findIndex((name) => /[*?[({]/.test(name));
  const prefix = names.slice(0, first).join("/");
  const base = first === 0 ? "." : prefix === "" ? "/" : prefix;
  const climbs = names.slice(first).includes("..");
  return [climbs ? pattern : base, ...guesses];
}

function inFolder(path: string, folder: string | null): string | null {
  if (isAnchored(path)) return path;
  if (folder === null) return null;
  return folder === "" ? path : folder === "/" ? `/${path}` : `${folder}/${path}`;
}
