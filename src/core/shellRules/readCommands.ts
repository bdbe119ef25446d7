/** The commands of a terminal text as the shell rules want them: variables split, texts inside texts read, also in containers. Judges nothing. */
import type { Shell } from "../call";
import { locateCommands } from "../paths/commandTree";
import type { LocatedCommand, Outer } from "../paths/locatedCommand";
import { MAX_SHELL_TEXT } from "../shell/bashLoad";
import { isWindowsShell, type SimpleCommand } from "../shell/command";
import { shellLoad } from "../shell/parse";
import { innerTexts } from "./innerTexts";
import { wordVariants } from "./wordVariants";

export interface ReadCommand {
  /** Wrappers taken off; a piece nobody can tell is `\u0001`. */
  readonly argv: readonly string[];
  /** As each of `argv` stands in the text. */
  readonly written: readonly string[];
  readonly located: LocatedCommand;
  /** Runs in a container or on another machine. */
  readonly elsewhere: boolean;
  readonly family: "posix" | "windows";
  /** What runs this text, from the inside out. */
  readonly outers: readonly SimpleCommand[];
  /** `xargs` stands in front: it adds words. */
  readonly fed: boolean;
  /** Absolute; where the text starts. */
  readonly cwd?: string | undefined;
  /** The whole text in which it stands. */
  readonly text: string;
}

interface ReadText {
  readonly commands: readonly ReadCommand[];
  /** Bodies of the functions that it defines, by name. */
  readonly functions: ReadonlyMap<string, string>;
  /** Something was left unread. */
  readonly cut: boolean;
}

const MAX_DEPTH = 5;

/** What one judgement may still read, all texts in it together. */
export interface Budget {
  /** UTF-16 units. */
  text: number;
  commands: number;
  texts: number;
  /** Something was left unread: whatever it is must be asked for. */
  cut: boolean;
}

export function newBudget(): Budget {
  return { text: 98_304, commands: 20_000, texts: 250, cut: false };
}

interface Reading {
  readonly out: ReadCommand[];
  readonly functions: Map<string, string>;
  readonly elsewhere: boolean;
  readonly outers: readonly SimpleCommand[];
  readonly depth: number;
  readonly cwd: string | undefined;
  readonly budget: Budget;
}

interface ReadOptions {
  readonly cwd?: string | undefined;
  readonly budget?: Budget;
}

export function readCommands(
  text: string,
  shell: Shell,
  { cwd, budget = newBudget() }: ReadOptions = {},
): ReadText {
  const out: ReadCommand[] = [];
  const functions = new Map<string, string>();
  const cut = readInto(text, shell, { out, functions, elsewhere: false, outers: [], depth: 0, cwd, budget });
  return { commands: out, functions, cut };
}

function readInto(text: string, shell: Shell, on: Reading): boolean {
  on.budget.text -= shellLength(text, shell);
  on.budget.texts -= 1;
  if (on.depth > MAX_DEPTH || on.budget.text < 0 || on.budget.commands < 0 || on.budget.texts < 0) {
    on.budget.cut = true;
    return true;
  }
  const { commands, cut, functions } = locateCommands(text, shell);
  for (const [name, body] of functions) on.functions.set(name, body);
  let unread = cut;
  on.budget.commands -= commands.length;
  for (const located of commands) {
    const outers = [...chain(located.outer), ...on.outers];
    const elsewhere = on.elsewhere || located.elsewhere !== undefined;
    const base = {
      located,
      elsewhere,
      family: isWindowsShell(shell) ? ("windows" as const) : ("posix" as const),
      outers,
      cwd: on.cwd,
      text: located.source ?? text,
      fed: located.command.argv.some((word) => /(^|\/)xargs$/.test(word ?? "")) && !isName(located),
    };
    const variants = wordVariants(located, base.text);
    for (const variant of variants) on.out.push({ ...base, ...variant });
    for (const inner of innerTexts(located, shell, { variants, text: base.text })) {
      const next = { ...on, elsewhere, outers: [located.command, ...outers], depth: on.depth + 1 };
      unread = readInto(inner.text, inner.shell, next) || unread;
    }
  }
  return unread;
}

/** Bodies of heredocs that are data cost nothing, as where they are parsed. */
function shellLength(text: string, shell: Shell): number {
  if (text.length <= MAX_SHELL_TEXT) return text.length;
  const load = shellLoad(text, shell);
  return "length" in load ? load.length : text.length;
}

/** A program named xargs that is only spoken of. */
function isName({ argv }: LocatedCommand): boolean {
  return argv.length > 0 && /(^|\/)xargs$/.test(argv.at(-1) ?? "");
}

function chain(outer: Outer | undefined): readonly SimpleCommand[] {
  return outer === undefined ? [] : [outer.command, ...chain(outer.outer)];
}
