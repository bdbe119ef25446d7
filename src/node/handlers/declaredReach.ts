/** The files that a handler's `reaches` names: each file, and every file below each folder. Runs nothing. */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, type Problem } from "../../core/errors";
import { digestOf, type Reached } from "./fileDigest";
import { entriesOf } from "./folderNames";
import type { KeyProblem } from "./prepare";

export const MAX_DECLARED = 2000;
const MAX_BYTES = 128 * 1024 * 1024;

export type Declared =
  | {
      readonly ok: true;
      readonly files: readonly string[];
      /** Folder → the names in it, as `namesIn` writes them. */
      readonly folders: ReadonlyMap<string, string>;
    }
  | ({ readonly ok: false; readonly index: number } & Pick<Problem, "message">);

/** Absolute paths; `index` is that of the name that cannot be listed. Never rejects. */
export async function declaredFiles(names: readonly string[], folder: string): Promise<Declared> {
  const files: string[] = [];
  const folders = new Map<string, string>();
  let bytes = 0;
  for (const [index, name] of names.entries()) {
    const wrong = (message: string): Declared => ({ ok: false, index, message });
    const waiting = [resolve(folder, name)];
    try {
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        const found = await stat(path).catch(() => undefined);
        if (found === undefined && waiting.length === 0 && path === resolve(folder, name))
          return wrong(`there is no file or folder ${path}`);
        if (found?.isDirectory() === true) {
          const inside = await entriesOf(path);
          folders.set(path, inside.join("/"));
          for (const entry of inside) waiting.push(join(path, entry));
          if (waiting.length > MAX_DECLARED * 2) return wrong(tooMuch(name));
        } else if (found?.isFile() === true) {
          files.push(path);
          bytes += found.size;
        }
        if (files.length > MAX_DECLARED || bytes > MAX_BYTES) return wrong(tooMuch(name));
      }
    } catch (error) {
      return wrong(messageOf(error));
    }
  }
  return { ok: true, files, folders };
}

/** With what `reaches` names added, each file with its digest. */
export async function withDeclared(
  reached: Reached,
  { reaches = [], folder }: { readonly reaches?: readonly string[] | undefined; readonly folder: string },
): Promise<Reached | KeyProblem> {
  if (reaches.length === 0) return reached;
  const declared = await declaredFiles(reaches, folder);
  if (!declared.ok) return { path: ["reaches", declared.index], message: declared.message };
  const files = new Map(reached.files);
  try {
    for (const file of declared.files) if (!files.has(file)) files.set(file, await digestOf(file));
  } catch (error) {
    return { path: ["reaches"], message: messageOf(error) };
  }
  return { ...reached, files, folders: declared.folders };
}

/** What a person cannot be asked to trust, because nobody can say what it is. */
export function unlistedProblem(key: string, unlisted: readonly string[]): KeyProblem {
  const more = unlisted.length > 3 ? `; and ${unlisted.length - 3} more` : "";
  return {
    path: [key],
    message: `it runs what cannot be listed: ${unlisted.slice(0, 3).join("; ")}${more}`,
    suggestion:
      'name the files and folders that it runs: reaches = ["scripts"]; reaches = [] if there are none beside those found',
  };
}

const tooMuch = (name: string) =>
  `${name} holds more than ${MAX_DECLARED} files or 128 MiB: name the files that are run`;
