/**
 * The tar format of npm's packages, and no more of it than a card needs: regular files below `package/`. Whatever else stands in an
 * archive is refused, not skipped. Works on bytes in memory; knows no disk and no compression.
 */
import { type CardFile, MAX_CARD_BYTES, MAX_FILE_BYTES, MAX_FILES, pathProblem, shown } from "./cardFiles";

export type ReadTar =
  | { readonly ok: true; readonly files: readonly CardFile[] }
  | { readonly ok: false; readonly why: string };

const BLOCK = 512;
const TOP = "package/";
/** The time that npm writes into every package, so that the same files give the same archive. */
const MTIME = 499_162_500;

const OTHER_KINDS: Readonly<Record<string, string>> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a device",
  "4": "a device",
  "6": "a pipe",
  "7": "a contiguous file",
};
/** Extended headers that change nothing about which bytes are written where. */
const HARMLESS =
  /^(?:mtime|atime|ctime|uid|gid|uname|gname|comment|NODETAR\..*|LIBARCHIVE\..*|SCHILY\.(?:dev|ino|nlink))$/;

class Refused extends Error {}
const utf8 = new TextDecoder("utf-8", { fatal: true });

interface Header {
  readonly path: string;
  readonly size: number;
  readonly kind: string;
}

/** Paths come without `package/`. Never throws. */
export function readTar(bytes: Uint8Array): ReadTar {
  try {
    return { ok: true, files: readEntries(bytes) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message };
    return { ok: false, why: "the archive cannot be read" };
  }
}

function readEntries(bytes: Uint8Array): readonly CardFile[] {
  const files: CardFile[] = [];
  let total = 0;
  let longPath: string | undefined;
  let at = 0;
  for (;;) {
    if (at + BLOCK > bytes.length) throw new Refused("the archive is cut off");
    const block = bytes.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const header = readHeader(block);
    at += BLOCK;
    if (header.size > MAX_CARD_BYTES || at + header.size > bytes.length)
      throw new Refused("the archive is cut off");
    const body = bytes.subarray(at, at + header.size);
    at += Math.ceil(header.size / BLOCK) * BLOCK;
    if (header.kind === "x" || header.kind === "g") {
      longPath = readExtended(body, header.kind) ?? longPath;
      continue;
    }
    const path = longPath ?? header.path;
    longPath = undefined;
    const inside = placeOf(path, header);
    if (inside === undefined) continue;
    total += body.length;
    if (body.length > MAX_FILE_BYTES) throw new Refused(`${shown(inside)} is larger than 4 MiB`);
    if (total > MAX_CARD_BYTES) throw new Refused("its files are larger than 32 MiB together");
    if (files.push({ path: inside, bytes: body.slice() }) > MAX_FILES)
      throw new Refused(`it has more than ${MAX_FILES} files`);
  }
  if (!bytes.subarray(at).every((byte) => byte === 0))
    throw new Refused("something stands after the archive's end");
  return files;
}

/** Undefined for a folder, which needs no entry. */
function placeOf(path: string, { kind, size }: Header): string | undefined {
  const isFolder = kind === "5";
  const refuse = (why: string): never => {
    throw new Refused(`the path ${JSON.stringify(shown(path))} is refused: ${why}`);
  };
  if (!isFolder && kind !== "0" && kind !== "\0")
    return refuse(`it is ${OTHER_KINDS[kind] ?? "something else than a file"}, and a card holds only files`);
  const plain = isFolder ? path.replace(/\/$/, "") : path;
  if (isFolder && (plain === "package" || size !== 0))
    return size === 0 ? undefined : refuse("a folder has no content");
  const wrong = pathProblem(plain);
  if (wrong !== undefined) return refuse(wrong);
  if (!plain.startsWith(TOP)) return refuse("it does not lie below package/");
  return isFolder ? undefined : plain.slice(TOP.length);
}

function readHeader(block: Uint8Array): Header {
  const sum = octal(block, 148, 8);
  let real = 0;
  for (let index = 0; index < BLOCK; index += 1)
    real += index >= 148 && index < 156 ? 0x20 : (block[index] ?? 0);
  if (sum !== real) throw new Refused("the archive is damaged");
  if (text(block, 257, 5) !== "ustar") throw new Refused("the archive is of a kind that npm does not write");
  const prefix = text(block, 345, 155);
  const name = text(block, 0, 100);
  const kind = String.fromCharCode(block[156] ?? 0);
  return { path: prefix === "" ? name : `${prefix}/${name}`, size: octal(block, 124, 12), kind };
}

function text(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  try {
    return utf8.decode(end < 0 ? field : field.subarray(0, end));
  } catch {
    throw new Refused("a name in the archive is no UTF-8");
  }
}

function octal(block: Uint8Array, at: number, length: number): number {
  const digits = text(block, at, length).trim();
  if (!/^[0-7]{1,11}$/.test(digits)) throw new Refused("the archive is damaged");
  return Number.parseInt(digits, 8);
}

/** `LENGTH key=value\n`, one after the other (POSIX pax). Gives the path that it names for the next entry. */
function readExtended(body: Uint8Array, kind: string): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < body.length; ) {
    const blank = body.indexOf(0x20, at);
    const length = Number(blank < 0 ? Number.NaN : text(body, at, blank - at));
    if (!Number.isSafeInteger(length) || length <= blank - at || at + length > body.length)
      throw new Refused("the archive is damaged");
    const [, key = "", value = ""] =
      /^([^=]+)=([\s\S]*)\n$/.exec(text(body, blank + 1, at + length - blank - 1)) ?? [];
    if (key === "path" && kind === "x") path = value;
    else if (!HARMLESS.test(key))
      throw new Refused(`the archive has a header ${JSON.stringify(shown(key))}, which no card needs`);
    at += length;
  }
  return path;
}

/** The same files always give the same bytes. Undefined where a path is too long for the format. */
export function writeTar(files: readonly CardFile[]): Uint8Array | undefined {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const size = sorted.reduce(
    (all, { bytes }) => all + BLOCK + Math.ceil(bytes.length / BLOCK) * BLOCK,
    2 * BLOCK,
  );
  const out = new Uint8Array(size);
  let at = 0;
  for (const { path, bytes } of sorted) {
    const header = headerOf(TOP + path, bytes.length);
    if (header === undefined) return undefined;
    out.set(header, at);
    out.set(bytes, at + BLOCK);
    at += BLOCK + Math.ceil(bytes.length / BLOCK) * BLOCK;
  }
  return out;
}

function headerOf(path: string, size: number): Uint8Array | undefined {
  const places = splitPath(path);
  if (places === undefined) return undefined;
  const block = new Uint8Array(BLOCK);
  const put = (at: number, value: string): void => block.set(new TextEncoder().encode(value), at);
  const number = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;
  put(0, places.name);
  put(100, number(0o644, 8));
  put(108, number(0, 8));
  put(116, number(0, 8));
  put(124, number(size, 12));
  put(136, number(MTIME, 12));
  put(148, "        ");
  put(156, "0");
  put(257, "ustar\x0000");
  put(345, places.prefix);
  const sum = block.reduce((all, byte) => all + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

const bytesIn = (value: string): number => new TextEncoder().encode(value).length;

function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  if (bytesIn(path) <= 100) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (bytesIn(prefix) <= 155 && bytesIn(name) <= 100) return { prefix, name };
  }
  return undefined;
}
