/** Reads a terminal text into the simple commands it would run, shells inside shells included. Judges nothing. */
import type { Shell } from "../call";
import { flattenBash } from "./bash";
import { type BashLoad, bashLoad, MAX_SHELL_TEXT, TOO_LONG } from "./bashLoad";
import { isStdin, isWindowsShell, type SimpleCommand } from "./command";
import { nestedTexts } from "./nested";
import { newLimit, type ReadLimit, take } from "./readLimit";
import { rememberLast } from "./rememberLast";
import { flattenWindows } from "./windowsShell";

const MAX_NESTING = 6;

/** `commands` of a failed reading are those that stand complete before or beside the failure: a shell may run them. */
export type ParsedShell =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | {
      readonly ok: false;
      readonly message: string;
      /** True when something was left unread, and not only misspelt. */
      readonly cut: boolean;
      readonly commands: readonly SimpleCommand[];
    };

interface Pending {
  readonly text: string;
  readonly shell: Shell;
  readonly depth: number;
  /** The command that runs this text: its standard input is read by what stands in it. */
  readonly outer?: SimpleCommand;
}

/** Every simple command in `text`: lists, pipelines, bodies, substitutions, `sh -c` texts and what is piped into a shell. */
export const parseShell = rememberLast(readShell);

function readShell(text: string, shell: Shell): ParsedShell {
  const commands: SimpleCommand[] = [];
  const pending: Pending[] = [{ text, shell, depth: 0 }];
  const limit = newLimit();
  let message: string | undefined;
  for (let turn = 0; turn < pending.length; turn++) {
    const next = pending[turn];
    if (next === undefined) break;
    const load = shellLoad(next.text, next.shell);
    if ("tooMuch" in load) {
      message ??= load.tooMuch;
      limit.cut = true;
      continue;
    }
    if (!take(limit, "text", load.length) || next.depth > MAX_NESTING)
      return { ok: false, message: "too many shells inside shells", cut: true, commands };
    const read = readOne(next, limit);
    message ??= read.problem;
    for (const own of read.commands) {
      const command = next.outer === undefined ? own : withStdinOf(own, next.outer);
      commands.push(command);
      for (const inner of nestedTexts(command, next.shell))
        pending.push({ ...inner, depth: next.depth + 1, outer: command });
    }
  }
  return message === undefined ? { ok: true, commands } : { ok: false, message, cut: limit.cut, commands };
}

/** Nobody writes as many blanks in a row; some patterns of the guards would take a time of their square. */
const MAX_BLANKS = 1000;
const TOO_BLANK = "more than 1,000 blanks in a row";

/** UTF-16 units of shell in the text, or why it is not to be read. */
export const shellLoad = rememberLast(readLoad);

function readLoad(text: string, shell: Shell): BashLoad {
  for (const [blanks] of text.length > MAX_BLANKS ? text.matchAll(/\s{64,}/g) : [])
    if (blanks.length > MAX_BLANKS) return { tooMuch: TOO_BLANK };
  if (!isWindowsShell(shell)) return bashLoad(text);
  return text.length > MAX_SHELL_TEXT ? { tooMuch: TOO_LONG } : { length: text.length };
}

function withStdinOf(command: SimpleCommand, outer: SimpleCommand): SimpleCommand {
  if (command.pipedFrom !== undefined || command.redirects.some(isStdin)) return command;
  return {
    ...command,
    redirects: [...command.redirects, ...outer.redirects.filter(isStdin)],
    ...(outer.heredoc === undefined ? {} : { heredoc: outer.heredoc }),
    ...(outer.pipedFrom === undefined ? {} : { pipedFrom: outer.pipedFrom }),
  };
}

function readOne(
  { text, shell }: Pending,
  limit: ReadLimit,
): { commands: readonly SimpleCommand[]; problem?: string } {
  switch (shell) {
    case "bash":
    case "sh":
    case "zsh":
      return flattenBash(text, limit);
    case "pwsh":
    case "powershell":
      return flattenWindows(text, "powershell", limit);
    case "cmd":
      return flattenWindows(text, "cmd", limit);
    default:
      return shell satisfies never;
  }
}
