/** The files a terminal text touches, with the folder changes before them counted in. Judges nothing. */
import type { Shell } from "../call";
import { programName } from "../shell/command";
import { inFolder, isAnchored } from "./changeFolder";
import { type NamedPath, namedPaths } from "./commandPaths";
import { type LocatedCommand, locateCommands } from "./commandTree";
import { CREDENTIAL_PLACES } from "./credentialPlaces";
import { fileCommand } from "./fileCommands";
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
const MAX_GUESSES = 200;
/** A longer wildcard counts as several, in UTF-16 units. */
const GUESS_LENGTH = 64;
const CUT: CommandPath = { path: UNREAD_COMMAND, action: "write", program: "" };

/** Words that nobody can tell are left out; so are relative ones after a change of folder that nobody can tell. */
export function pathsInCommand(text: string, shell: Shell): readonly CommandPath[] {
  const located = locateCommands(text, shell);
  const { paths, cut } = touchedPaths(located.commands, shell, CREDENTIAL_PLACES);
  return cut || located.cut ? [...paths, CUT] : paths;
}

export interface Touched {
  readonly paths: readonly CommandPath[];
  /** There are more than are listed. */
  readonly cut: boolean;
}

/** The files of all commands of a text, each once; what one lists or says and another takes unseen counts as taken. */
export function touchedPaths(
  commands: readonly LocatedCommand[],
  shell: Shell,
  places: readonly Place[],
): Touched {
  const taken = takenUnseen(commands, shell);
  const seen = new Map<string, CommandPath>();
  const guesses = { left: MAX_GUESSES };
  for (const command of commands) {
    for (const found of touchedBy(command, { shell, places, taken, guesses })) {
      const key = `${found.action} ${found.program} ${found.unsure ?? ""} ${found.path}`;
      if (!seen.has(key) && seen.size >= MAX_PATHS) return { paths: [...seen.values()], cut: true };
      seen.set(key, found);
    }
    if (guesses.left < 0) return { paths: [...seen.values()], cut: true };
  }
  return { paths: [...seen.values()], cut: false };
}

interface Touching {
  readonly shell: Shell;
  readonly places: readonly Place[];
  readonly taken: CommandPath["action"] | undefined;
  /** Wildcards that are still tried against the places; below zero = one was left out. */
  readonly guesses: { left: number };
}

function touchedBy(command: LocatedCommand, on: Touching): readonly CommandPath[] {
  const { taken } = on;
  const found = pathsOf(command, on);
  if (taken === undefined) return found;
  const lists = listsNames(command.argv);
  return [
    ...found.map((named) =>
      lists && ["list", "read"].includes(named.action) ? { ...named, action: taken } : named,
    ),
    ...saidPaths(command, taken),
  ];
}

/** Programs whose output is file names. */
function listsNames(argv: readonly string[]): boolean {
  const name = programName(argv[0]) ?? "";
  if (/^(find|fd|fdfind|ls|tree|dir|gci|get-childitem)$/.test(name)) return true;
  return (
    /^([ef]?grep|rg|ag|ack)$/.test(name) && argv.some((word) => /^(-[a-zA-Z]*[lL]|--files(-.*)?)$/.test(word))
  );
}

/** `find … | xargs cat`, `cat "$1"`: what a file command does to words nobody can tell. */
function takenUnseen(commands: readonly LocatedCommand[], shell: Shell): CommandPath["action"] | undefined {
  if (isWindowsShell(shell)) return takenFromPipe(commands);
  for (const { argv } of commands) {
    if (!argv.slice(1).some((word) => word.startsWith(UNKNOWN))) continue;
    const action = namedPaths(argv, "posix").find(({ text }) => text.startsWith(UNKNOWN))?.action;
    if (action !== undefined && action !== "mention" && action !== "list") return action;
  }
  return undefined;
}

/** `Get-ChildItem … | Remove-Item`: PowerShell hands files over by the pipe. */
function takenFromPipe(commands: readonly LocatedCommand[]): CommandPath["action"] | undefined {
  for (const { argv, command } of commands) {
    if (command.pipedFrom === undefined || namedPaths(argv, "windows").length > 0) continue;
    const action = fileCommand(programName(argv[0]) ?? "", "windows")?.operands;
    if (action !== undefined && action !== "list") return action;
  }
  return undefined;
}

/** `read a <<< ../x`, `f ../x`, `alias c='cat ../x'`: words that lead away and that a variable may carry to the taker. */
function saidPaths(
  { argv, command, folders }: LocatedCommand,
  action: CommandPath["action"],
): readonly CommandPath[] {
  const program = programName(argv[0]) ?? "";
  const texts = [...argv.slice(1), ...command.redirects.map(({ target }) => target ?? "")];
  const words = texts
    .flatMap((text) => text.split(/[\s'"=]+/))
    .filter((text) => /^(\.\.|~|\/[^/:]+)(\/[^:]*)$/.test(text));
  if (
    !/^(read|mapfile|alias|printf|echo|function|\w+)$/.test(program) ||
    namedPaths(argv, "posix").some(({ action: known }) => known !== "mention")
  )
    return [];
  return words.flatMap((text) =>
    folders.flatMap((folder) =>
      folder === null && !isAnchored(text)
        ? []
        : [{ path: inFolder(text, folder ?? undefined), action, program }],
    ),
  );
}

interface Word {
  readonly text: string;
  readonly action: NamedPath["action"];
  readonly glob: boolean;
  readonly unsure?: NamedPath["unsure"] | undefined;
}

/** The files of one command; wildcards are tried against the places. */
function pathsOf(located: LocatedCommand, { shell, places, guesses }: Touching): readonly CommandPath[] {
  const family = isWindowsShell(shell) ? "windows" : "posix";
  const program = runProgram(located.argv);
  // Files of a container or another machine are none of ours; what it is given of this one is.
  const words = located.elsewhere
    ? [
        ...mountPaths(located.elsewhere).map((named) => ({ ...named, glob: false })),
        ...redirectsOf(located, family),
      ]
    : wordsOf(located, family, program);
  return once(words).flatMap(({ text, action, glob, unsure: known }) => {
    const plain = known !== "sought" && !glob && !text.includes(UNKNOWN);
    if (!plain) guesses.left -= 1 + Math.floor(text.length / GUESS_LENGTH);
    if (guesses.left < 0) return [];
    const reached = known === "sought" ? soughtPlaces(text, places) : spelled(text, glob, { places, action });
    return reached.flatMap(({ path, unsure = known === "sought" ? undefined : known }) =>
      located.folders.flatMap((folder) => {
        if (folder === null && !isAnchored(path)) return [];
        const full = inFolder(path, folder ?? undefined);
        return [{ path: full, action, program, ...(unsure === undefined ? {} : { unsure }) }];
      }),
    );
  });
}

/** A word that stands a thousand times is looked at once. */
function once(words: readonly Word[]): readonly Word[] {
  const seen = new Map<string, Word>();
  for (const word of words) seen.set(`${word.action} ${word.glob} ${word.unsure ?? ""} ${word.text}`, word);
  return [...seen.values()];
}

function wordsOf(located: LocatedCommand, family: "posix" | "windows", program: string): readonly Word[] {
  // All in one text, so that each word is looked for once and not once in each.
  const globs = [...located.globs].join("\n");
  // git and tar read wildcards themselves, quoted or not.
  const reads = /^(git|tar|bsdtar|gtar|unzip)$/.test(program);
  const isGlob = (text: string) =>
    (reads && /[*?[]/.test(text)) || (/[*?[({]/.test(text) && globs.includes(text));
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
function soughtPlaces(text: string, places: readonly Place[]): readonly { path: string; unsure: "guess" }[] {
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
