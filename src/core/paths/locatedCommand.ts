/** What reading a terminal text with its folders gives, and what the reading shares on its way. Knows no grammar. */
import type { Shell } from "../call";
import type { SimpleCommand } from "../shell/command";
import type { ReadLimit } from "../shell/readLimit";
import type { WordText } from "./shellWords";

export interface LocatedCommand {
  /** Wrappers such as sudo and env taken off. A `\u0001` stands for a piece nobody can tell; a quoted `~` begins with `./`. */
  readonly argv: readonly string[];
  /** Set when it runs in a container or on another machine: the words in front of it. */
  readonly elsewhere?: readonly string[];
  /** Words of `argv` that hold an unquoted wildcard. */
  readonly globs: ReadonlySet<string>;
  /** Folders it may run in: "" = where the text starts, null = nobody can tell. */
  readonly folders: readonly (string | null)[];
  readonly redirects: readonly { readonly op: string; readonly word: WordText }[];
  readonly command: SimpleCommand;
  /** The command that is given the text in which this one stands (`sh -c`, `find -exec`, `eval`). */
  readonly outer?: Outer;
  /** The text in which it stands, where that is not the whole. */
  readonly source?: string;
}

export interface Outer {
  readonly command: SimpleCommand;
  readonly outer?: Outer;
}

export interface Located {
  readonly commands: readonly LocatedCommand[];
  /** The text was too long or too deep to be read through. */
  readonly cut: boolean;
  /** Bodies of the functions that the text defines, by name. */
  readonly functions: ReadonlyMap<string, string>;
}

/** One reading: the texts inside the text write to the same list and share its limit. */
export interface Run {
  readonly out: LocatedCommand[];
  readonly limit: ReadLimit;
  readonly shell: Shell;
  readonly depth: number;
  readonly functions?: Map<string, string>;
  /** What the positions in the tree count from. */
  readonly source?: string;
  readonly outer?: Outer;
  /** What the commands of a group read where they say nothing of it themselves. */
  readonly stdin?: Pick<SimpleCommand, "pipedFrom" | "redirects" | "heredoc">;
}
