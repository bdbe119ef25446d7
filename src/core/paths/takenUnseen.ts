/** Files that one command lists or says and another takes without naming them. Judges nothing. */
import type { Shell } from "../call";
import { isWindowsShell, programName } from "../shell/command";
import { inFolder, isAnchored } from "./changeFolder";
import type { CommandPath } from "./commandPath";
import { namedPaths } from "./commandPaths";
import { fileCommand } from "./fileCommands";
import type { LocatedCommand } from "./locatedCommand";
import { UNKNOWN } from "./shellWords";

/** `find … | xargs cat`, `cat "$1"`: what a file command does to words nobody can tell. */
export function takenUnseen(
  commands: readonly LocatedCommand[],
  shell: Shell,
): CommandPath["action"] | undefined {
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
export function saidPaths(
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
