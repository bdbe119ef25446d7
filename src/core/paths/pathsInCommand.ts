/** The files a terminal text touches, with the folder changes before them counted in. Judges nothing. */
import type { Shell } from "../call";
import { copiedFiles } from "../shell/clientStatements";
import { isWindowsShell, programName } from "../shell/command";
import { inFolder, isAnchored } from "./changeFolder";
import { codeLiterals } from "./codeLiterals";
import type { CommandPath } from "./commandPath";
import { type NamedPath, namedPaths } from "./commandPaths";
import { locateCommands } from "./commandTree";
import { CREDENTIAL_PLACES } from "./credentialPlaces";
import { filesInPatch } from "./filesInPatch";
import type { LocatedCommand } from "./locatedCommand";
import { ownArguments } from "./ownProgram";
import { UNREAD_COMMAND } from "./parsePath";
import type { Place } from "./placeTable";
import { soughtPlaces, spelled } from "./reachedPlaces";
import { UNKNOWN } from "./shellWords";
import { mountPaths } from "./specialCommands";
import { saidPaths, takenUnseen } from "./takenUnseen";

/** More are not listed; the last entry then says so. */
const MAX_PATHS = 5000;
const MAX_GUESSES = 200;
/** Commands that are looked at of a text that was not read through: it is asked about all the same. */
const MAX_OF_CUT = 200;
/** A longer wildcard counts as several, in UTF-16 units. */
const GUESS_LENGTH = 64;
const CUT: CommandPath = { path: UNREAD_COMMAND, action: "write", program: "" };

/** Words that nobody can tell are left out; so are relative ones after a change of folder that nobody can tell. */
export function pathsInCommand(text: string, shell: Shell): readonly CommandPath[] {
  const located = locateCommands(text, shell);
  const read = located.cut ? located.commands.slice(0, MAX_OF_CUT) : located.commands;
  const { paths, cut } = touchedPaths(read, shell, CREDENTIAL_PLACES);
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
        const wild = glob && unsure === "guess" && isLastName(text);
        return [
          {
            path: full,
            action,
            program,
            ...(unsure === undefined ? {} : { unsure }),
            ...(wild ? { wild } : {}),
          },
        ];
      }),
    );
  });
}

const isLastName = (text: string): boolean => !text.includes(UNKNOWN) && !/[*?[({].*[/\\]/s.test(text);

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
  const code = INTERPRETERS.test(program) ? codeLiterals(located.command.heredoc ?? "") : [];
  return [
    ...words,
    ...code.map((named) => ({ ...named, glob: false })),
    ...copiedBy(located),
    ...redirectsOf(located, family),
  ];
}

const INTERPRETERS = /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|ruby|perl|php|tsx|ts-node)$/;

/** What a client of a database is told to write, in an argument, by heredoc, or printed into it. */
function copiedBy({ argv, command, redirects }: LocatedCommand): readonly Word[] {
  const told = [...argv.slice(1), command.heredoc ?? "", ...redirects.map(({ word }) => word.text)];
  return told.flatMap(copiedFiles).map((text) => ({ text, action: "write", glob: false }));
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
