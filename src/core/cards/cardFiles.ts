/** Which files a card may hold: paths that mean the same on every system, few enough and small enough. Knows no disk. */
import { visibleLine } from "../visible";

export interface CardFile {
  /** Below the card's folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const MAX_FILES = 1000;
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
export const MAX_CARD_BYTES = 32 * 1024 * 1024;
/** Of the packed card. */
export const MAX_PACKED_BYTES = 16 * 1024 * 1024;
const MAX_PATH = 200;
const MAX_DEPTH = 12;

const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Also what Windows forbids in names, and `:` for its alternate streams. */
const FORBIDDEN = /[\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** Undefined = the path stays below its folder and names one file on every system; else what is wrong with it. */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.startsWith("/")) return "it is absolute";
  if (new TextEncoder().encode(path).length > MAX_PATH) return `it is longer than ${MAX_PATH} bytes`;
  if (FORBIDDEN.test(path)) return "it has characters that some systems read otherwise";
  if (path !== path.normalize("NFC")) return "its letters are not in their composed form";
  const parts = path.split("/");
  if (parts.length > MAX_DEPTH) return `it lies more than ${MAX_DEPTH} folders deep`;
  for (const part of parts) {
    if (part === "" || part === "." || part === "..") return "it has an empty part, `.` or `..`";
    if (/[. ]$/.test(part) || part.startsWith(" "))
      return "a part begins or ends with a blank, or ends with a dot";
    if (DEVICE.test(part)) return "some systems take a part of it for a device";
  }
  return undefined;
}

const folded = (path: string): string => path.normalize("NFKC").toUpperCase().toLowerCase();

/** What is wrong with these files together: one path twice, paths that some systems take for one, a file where a folder is. */
export function collisionIn(paths: readonly string[]): string | undefined {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const path of paths) {
    const known = files.get(folded(path));
    if (known === path) return `${shown(path)} is there twice`;
    if (known !== undefined) return `${shown(known)} and ${shown(path)} are one file on some systems`;
    files.set(folded(path), path);
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length += 1) {
      const folder = parts.slice(0, length).join("/");
      const other = folders.get(folded(folder));
      if (other !== undefined && other !== folder)
        return `${shown(other)} and ${shown(folder)} are one folder on some systems`;
      folders.set(folded(folder), folder);
    }
  }
  for (const [key, path] of files) if (folders.has(key)) return `${shown(path)} is both a file and a folder`;
  return undefined;
}

export const shown = (path: string): string => {
  const line = visibleLine(path);
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};

/** Undefined = they may be a card's files; else what is wrong with them. */
export function filesProblem(files: readonly CardFile[]): string | undefined {
  if (files.length > MAX_FILES) return `it has more than ${MAX_FILES} files`;
  let total = 0;
  for (const { path, bytes } of files) {
    const wrong = pathProblem(path);
    if (wrong !== undefined) return `the path ${JSON.stringify(shown(path))} is refused: ${wrong}`;
    if (bytes.length > MAX_FILE_BYTES) return `${shown(path)} is larger than 4 MiB`;
    total += bytes.length;
  }
  if (total > MAX_CARD_BYTES) return "its files are larger than 32 MiB together";
  return collisionIn(files.map(({ path }) => path));
}
