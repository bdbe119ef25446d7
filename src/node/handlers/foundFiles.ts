/** What is collected while a command is read: the files it runs, and what could not be followed. Judges nothing. */
import { stat } from "node:fs/promises";
import { sep } from "node:path";
import { SYSTEM } from "./programKinds";
import type { FoundPython } from "./python";

export interface ReachOptions {
  /** Real path of the configuration's folder. */
  readonly folder: string;
  readonly cwd: string;
  /** Already filtered. */
  readonly env: Readonly<Record<string, string>>;
  python(): Promise<FoundPython>;
}

export interface Found {
  /** Absolute paths; a file that is named and not there is among them. */
  readonly files: Set<string>;
  /** Those of `files` that lead to a program of the system. */
  readonly links: Set<string>;
  readonly empty: Set<string>;
  readonly watched: Map<string, Set<string>>;
  /** In words, each with its place where it has one: `check.sh:3: . ./$f`. */
  readonly unlisted: Set<string>;
  /** Functions that a shell text defines. */
  readonly functions: Set<string>;
}

export const nothingFound = (): Found => ({
  files: new Set(),
  links: new Set(),
  empty: new Set(),
  watched: new Map(),
  unlisted: new Set(),
  functions: new Set(),
});

export const MAX_FILES = 500;
export const MAX_SCRIPT = 1_048_576;

export function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export const isSystem = (real: string, folder: string): boolean =>
  !isBelow(real, folder) && SYSTEM.test(real);

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

/** Short enough for a message of one line. */
export const shown = (text: string): string => {
  const line = text.trim().replace(/\s+/gu, " ");
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
};
