/** A file that a command touches, as its words name it. */
import type { NamedPath } from "./commandPaths";

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
  /** A wildcard in the last name alone was spelt out to it: it is reached only where it is. */
  readonly wild?: true;
}
