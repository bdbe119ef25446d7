/** What a shell text comes down to: simple commands. Knows nothing of what any command does. */
import type { Shell } from "../call";

export interface ShellRedirect {
  /** `>`, `>>`, `<`, `<>`, `>&`, `<&`, `>|`, `&>`, `&>>`, `<<`, `<<-`, `<<<`. */
  readonly op: string;
  /** File, descriptor number, or for `<<` and `<<<` the text itself; null = not statically known. */
  readonly target: string | null;
  /** Descriptor in front of the operator; absent = the operator's own default. */
  readonly fd?: number;
}

export interface SimpleCommand {
  /** Words as the program gets them, quoting resolved; null = not statically known. Unquoted `*` and `~` stay as written. */
  readonly argv: readonly (string | null)[];
  /** The words as written, one for each of `argv` (a brace expansion repeats its word). */
  readonly words: readonly string[];
  /** `NAME=value` in front of the command. */
  readonly assignments: readonly { readonly name: string; readonly value: string | null }[];
  /** The source text of this command. */
  readonly raw: string;
  readonly redirects: readonly ShellRedirect[];
  /** Text of a heredoc or here-string on standard input; expansions stay as written (then `redirects` has null). */
  readonly heredoc?: string;
  /** What feeds standard input; a command with `argv` `[null]` stands for something that cannot be read. */
  readonly pipedFrom?: SimpleCommand;
}

/** A command of which nothing is known. */
export const UNKNOWN_COMMAND: SimpleCommand = {
  argv: [null],
  words: [""],
  assignments: [],
  raw: "",
  redirects: [],
};

/** True for a redirection that gives standard input. */
export function isStdin(redirect: ShellRedirect): boolean {
  return redirect.op.startsWith("<") && (redirect.fd === undefined || redirect.fd === 0);
}

/** `/usr/bin/PSQL.exe` → `psql`; null stays null. */
export function programName(arg: string | null | undefined): string | null {
  if (arg === null || arg === undefined) return null;
  const base = arg.slice(Math.max(arg.lastIndexOf("/"), arg.lastIndexOf("\\")) + 1).toLowerCase();
  return base.at(-4) === "." ? base.replace(/\.(exe|cmd|bat|com)$/, "") : base;
}

export function isWindowsShell(shell: Shell): boolean {
  return shell === "cmd" || shell === "pwsh" || shell === "powershell";
}
