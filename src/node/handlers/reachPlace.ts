/** Where the text of a command is read: in which folders its words may mean files, and what could not be told there. Knows no program. */
import { readFile, stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { type Found, MAX_SCRIPT, type ReachOptions, shown } from "./foundFiles";

/** null = a word that only the shell knows. */
export type Argv = readonly (string | null)[];

/** Where a text is read: what relative paths in it are about. */
export interface Place {
  readonly options: ReachOptions;
  readonly found: Found;
  /** Folders that it may be in, the first one first. */
  readonly folders: string[];
  /** It went to a folder that its text does not name. */
  strayed: boolean;
  /** Folder of the script that was started. */
  readonly main: string;
  /** The file that the text stands in. */
  readonly file?: string;
  readonly text?: string;
}

/** `check.sh:3: . ./$f` */
export function note(place: Place, raw: string | undefined, why: string): void {
  const { file, text, options, found } = place;
  const at = raw === undefined || text === undefined ? -1 : text.indexOf(raw);
  const line = at < 0 ? "" : `:${(text ?? "").slice(0, at).split("\n").length}`;
  const where = file === undefined ? "" : `${relative(options.folder, file)}${line}: `;
  found.unlisted.add(`${where}${why}`);
}

/** Into another folder; one that the text does not name may be any. */
export function go(rest: Argv, place: Place): void {
  const [to] = rest.filter((word) => word === null || !/^-[PLe@-]/.test(word));
  if (typeof to !== "string" || to === "-") place.strayed = true;
  else
    for (const folder of [...place.folders]) {
      const next = resolve(folder, to);
      if (!place.folders.includes(next) && place.folders.length < 8) place.folders.push(next);
    }
}

/** The files that a word may mean: those that are there, else the first. The others must not appear. */
export async function filesOf(word: string, place: Place): Promise<readonly string[]> {
  const { folders, options, found } = place;
  const named = word.replace(/^~(?=[\\/])/, options.env.HOME ?? "~");
  const all = [...new Set(folders.map((folder) => resolve(folder, named)))];
  if (place.strayed && all[0] !== named)
    found.unlisted.add(`${shown(word)} in a folder that the text does not name`);
  const there: string[] = [];
  for (const file of all) if (await stat(file).catch(() => undefined)) there.push(file);
  if (there.length === 0) return all.slice(0, 1);
  for (const file of all) if (!there.includes(file)) found.empty.add(file);
  return there;
}

/** Undefined = it is no text that can be read, which is noted. */
export async function textOf(file: string, place: Place): Promise<string | undefined> {
  const name = relative(place.options.folder, file);
  if ((await stat(file)).size > MAX_SCRIPT)
    return void note(place, undefined, `${name} is too large to be read`);
  const text = await readFile(file, "utf8").catch(() => "\0");
  return text.includes("\0") ? void note(place, undefined, `${name} is no text`) : text;
}
