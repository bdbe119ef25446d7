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
}

export interface Located {
  readonly commands: readonly LocatedCommand[];
  /** The text was too long or too deep to be read through. */
  readonly cut: boolean;
}

/** One reading: the texts inside the text write to the same list and share its limit. */
export interface Run {
  readonly out: LocatedCommand[];
  readonly limit: ReadLimit;
  readonly shell: Shell;
  readonly depth: number;
}
