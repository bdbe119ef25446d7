/** The files a terminal text touches, with the folder changes before them counted in. Judges nothing. */
import type { Shell } from "../call";
import { programName } from "../shell/command";
import { inFolder, isAnchored } from "./changeFolder";
import { type NamedPath, namedPaths } from "./commandPaths";
import { type LocatedCommand, locateCommands } from "./commandTree";
import { CREDENTIAL_PLACES } from "./credentialPlaces";
import { filesInPatch } from "./filesInPatch";
import { ownArguments } from "./ownProgram";
import { UNREAD_COMMAND } from "./parsePath";
import { placeGuesses } from "./placeGuess";
import type { Place } from "./placeTable";
import { isWindowsShell, UNKNOWN } from "./shellWords";
import { mountPaths } from "./specialCommands";

export interface CommandPath {
  /** Relative to where the text starts, absolute, or below `~`. */
  readonly path: string;
  readonly action: NamedPath["action"];
  /** Name of the program; "" for a redirection of a whole block. */
  readonly program: string;
  /**
   * folder: a wildcard searches in it. guess: a wildcard may reach it, if it exists.
   * inside: it is written only if the folder above it exists.
   */
  readonly unsure?: "folder" | "guess" | "inside";
}

/** More are not listed; the last entry then says so. */
const MAX_PATHS = 400;
const CUT: CommandPath = { path: UNREAD_COMMAND, action: "write", program: "" };

/** Words that nobody can tell are left out; so are relative ones after a change of folder that nobody can tell. */
export function pathsInCommand(text: string, shell: Shell): readonly CommandPath[] {
  const seen = new Map<string, CommandPath>();
  const located = locateCommands(text, shell);
  const taken = takenFromLists(located.commands, shell);
  for (const command of located.commands) {
    for (const named of pathsOf(command, shell, CREDENTIAL_PLACES)) {
      const found =
        taken !== undefined && LISTERS.has(named.program) && named.action === "list"
          ? { ...named, action: taken }
          : named;
      if (seen.size >= MAX_PATHS) return [...seen.values(), CUT];
      seen.set(`${found.action} ${found.program} ${found.path}`, found);
    }
  }
  return located.cut ? [...seen.values(), CUT] : [...seen.values()];
}

/** Programs whose output is file names. */
const LISTERS: ReadonlySet<string> = new Set(["find", "fd", "fdfind", "ls", "tree"]);

/** `find … | xargs cat`, `cat $(ls …)`: what a file command does to words nobody can tell, it does to what was listed. */
function takenFromLists(
  commands: readonly LocatedCommand[],
  shell: Shell,
): CommandPath["action"] | undefined {
  if (isWindowsShell(shell)) return undefined;
  for (const { argv } of commands) {
    if (!argv.slice(1).includes(UNKNOWN)) continue;
    const action = namedPaths(argv, "posix").find(({ text }) => text === UNKNOWN)?.action;
    if (action !== undefined && action !== "mention" && action !== "list") return action;
  }
  return undefined;
}

interface Word {
  readonly text: string;
  readonly action: NamedPath["action"];
  readonly glob: boolean;
  readonly unsure?: NamedPath["unsure"] | undefined;
}

/** The files of one command; wildcards are tried against `places`. */
export function pathsOf(
  located: LocatedCommand,
  shell: Shell,
  places: readonly Place[],
): readonly CommandPath[] {
  const family = isWindowsShell(shell) ? "windows" : "posix";
  const program = runProgram(located.argv);
  // Files of a container or another machine are none of ours; what it is given of this one is.
  const words = located.elsewhere
    ? [
        ...mountPaths(located.elsewhere).map((named) => ({ ...named, glob: false })),
        ...redirectsOf(located, family),
      ]
    : wordsOf(located, family, program);
  return words.flatMap(({ text, action, glob, unsure: known }) =>
    spelled(text, glob, places).flatMap(({ path, unsure = known }) =>
      located.folders.flatMap((folder) => {
        if (folder === null && !isAnchored(path)) return [];
        const full = inFolder(path, folder ?? undefined);
        return [{ path: full, action, program, ...(unsure === undefined ? {} : { unsure }) }];
      }),
    ),
  );
}

function wordsOf(located: LocatedCommand, family: "posix" | "windows", program: string): readonly Word[] {
  const globs = [...located.globs];
  const isGlob = (text: string) => globs.some((word) => word.includes(text) && /[*?[({]/.test(text));
  const words: Word[] = namedPaths(located.argv, family)
    .filter(({ text }) => text !== "" && text !== "-")
    .map(({ text, action, unsure }) => ({ text, action, unsure, glob: isGlob(text) }));
  if (program === "apply_patch" || program === "applypatch") {
    const patch = [located.command.heredoc ?? "", ...located.argv.slice(1)].join("\n");
    for (const text of filesInPatch(patch)) words.push({ text, action: "write", glob: false });
  }
  return [...words, ...redirectsOf(located, family)];
}

function redirectsOf(located: LocatedCommand, family: "posix" | "windows"): readonly Word[] {
  return located.redirects.flatMap(({ op, word }) =>
    isSink(op, word.text, family)
      ? []
      : [{ text: word.text, action: op === "<" ? ("read" as const) : ("write" as const), glob: word.glob }],
  );
}

/** Runners of packages are looked through: the program is what they run. */
function runProgram(argv: readonly string[]): string {
  if (ownArguments(argv) !== undefined) return "countersign";
  const name = programName(argv[0]) ?? "";
  if (!/^(npx|bunx|pnpx|uvx|pipx)$/.test(name)) return name;
  const inner = argv.slice(1).find((word) => !word.startsWith("-") && word !== "run");
  return programName(inner?.replace(/(?<=.)@[\w.-]+$/, "")) ?? name;
}

function isSink(op: string, target: string, family: "posix" | "windows"): boolean {
  if (op.startsWith("<<")) return true;
  if (op.endsWith("&") && /^(\d+-?|-)$/.test(target)) return true;
  if (target === "" || /^&\d?/.test(target)) return true;
  return family === "windows" && /^(nul|\$null|\u0001)$/i.test(target);
}

/** What a word may stand for: itself, or with a wildcard the folder it searches and the places it may reach. */
function spelled(
  text: string,
  glob: boolean,
  places: readonly Place[],
): readonly { path: string; unsure?: "folder" | "guess" }[] {
  if (!glob && !text.includes(UNKNOWN)) return [{ path: text }];
  const pattern = text.replaceAll(UNKNOWN, "*");
  const guesses = placeGuesses(pattern, places).map((path) => ({ path, unsure: "guess" as const }));
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
