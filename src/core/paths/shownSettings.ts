/** Settings that a text loads into its environment and then prints: `. ./.env; env`. To load them alone shows nothing. Knows no file system. */
import { programName } from "../shell/command";
import { inFolder } from "./changeFolder";
import { holdsSecrets } from "./credentialGuess";
import type { LocatedCommand } from "./locatedCommand";
import { UNKNOWN } from "./shellWords";

/** Paths below where the text starts. */
export function shownSettings(commands: readonly LocatedCommand[]): readonly string[] {
  const loaded = commands.flatMap(loadedBy);
  return loaded.length > 0 && commands.some(printsEnvironment) ? loaded : [];
}

function loadedBy({ argv, folders }: LocatedCommand): readonly string[] {
  const program = programName(argv[0]) ?? "";
  const files = /^(?:source|\.)$/.test(program) ? argv.slice(1, 2) : [];
  const given = argv.flatMap((word, at) =>
    word === "--env-file"
      ? [argv[at + 1] ?? ""]
      : (/^--env-file(?:-if-exists)?=(.+)$/s.exec(word)?.[1] ?? []),
  );
  return [...files, ...given]
    .filter(holdsSecrets)
    .flatMap((file) => folders.flatMap((folder) => (folder === null ? [] : [inFolder(file, folder)])));
}

/** All variables, or one that nobody can tell. */
function printsEnvironment({ argv, command }: LocatedCommand): boolean {
  const program = programName(argv[0]) ?? "";
  const args = argv.slice(1);
  if (program === "printenv") return true;
  if (program === "env") return args.every((word) => word.startsWith("-"));
  if (program === "set") return args.length === 0;
  if (/^(?:export|declare|typeset)$/.test(program)) return args.every((word) => /^-\w*[px]\w*$/.test(word));
  if (/^(?:echo|printf)$/.test(program))
    return args.some((word) => word.includes(UNKNOWN)) || /\$\{?[A-Za-z_]/.test(command.raw);
  return (
    /process\.env|os\.environ|\bENV\b|getenv/.test(args.join(" ")) &&
    /\bprint|console\.|\bputs\b|\bp\s/.test(args.join(" "))
  );
}
