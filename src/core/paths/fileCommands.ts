/** Which words of well-known programs are files, and what happens to them: the shape of the rows, and the look-up. */
import { POSIX_COMMANDS } from "./posixCommands";
import { WINDOWS_COMMANDS } from "./windowsCommands";

/** list: only names are shown. folder: a folder is made. fill: files of unknown names are put into it. link: a link to it is made. */
export type FileAction = "read" | "list" | "write" | "fill" | "remove" | "move" | "link" | "folder";

export interface FileCommand {
  /** What happens to the operands; the last one may differ. */
  readonly operands?: FileAction;
  readonly last?: FileAction;
  /** Operands in front that are no files: a pattern, a mode, a script. Not skipped when one of `given` is there. */
  readonly skip?: number;
  /** Options that give what `skip` would skip. */
  readonly given?: readonly string[];
  /** Options whose value is no file. */
  readonly valued?: readonly string[];
  /** Options whose value is a file. */
  readonly files?: Readonly<Record<string, FileAction>>;
  /** Options with a name and then a file. */
  readonly pairs?: Readonly<Record<string, FileAction>>;
  /** With one of these options the operands are written. */
  readonly inPlace?: RegExp;
  /** Options that name the folder to write in, as `-t` of cp does; then all operands are sources. */
  readonly target?: readonly string[];
}

export function fileCommand(name: string, family: "posix" | "windows"): FileCommand | undefined {
  const first = family === "posix" ? POSIX_COMMANDS : WINDOWS_COMMANDS;
  if (Object.hasOwn(first, name)) return first[name];
  const second = family === "posix" ? undefined : POSIX_COMMANDS;
  return second !== undefined && Object.hasOwn(second, name) ? second[name] : undefined;
}
