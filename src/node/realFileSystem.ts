/** The machine's own file system behind the `FileSystem` port: looks at one name at a time and follows nothing. */
import { lstat, readlink, realpath, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { FileSystem } from "../ports";

const lstatAsync = promisify(lstat);
const readlinkAsync = promisify(readlink);
const realpathNative = promisify(realpath.native);

/** No system opens a longer path; handing one over takes milliseconds per megabyte. UTF-16 units. */
const LONGEST_PATH = 32_767;

export function realFileSystem(): FileSystem {
  const os = process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux";
  const home = homedir();
  const caseInsensitive = os !== "linux" && foldsCase(home);
  return {
    os,
    home,
    caseInsensitive,
    async real(path) {
      if (path.length > LONGEST_PATH) return undefined;
      try {
        return await realpathNative(path);
      } catch {
        return undefined;
      }
    },
    async look(path) {
      if (path.length > LONGEST_PATH) return { kind: "unreadable", message: "ENAMETOOLONG" };
      let stats: Stats;
      try {
        stats = await lstatAsync(path);
      } catch (error) {
        return failure(error);
      }
      if (stats.isSymbolicLink()) {
        try {
          return { kind: "link", target: await readlinkAsync(path) };
        } catch (error) {
          return failure(error);
        }
      }
      return os === "linux" ? { kind: "there" } : withStoredName(path);
    },
  };
}

/** The volume's own spelling: case, normal form and the long form of 8.3 names. */
async function withStoredName(path: string): Promise<{ kind: "there"; canonical?: string }> {
  try {
    const name = basename(await realpathNative(path));
    return name === "" ? { kind: "there" } : { kind: "there", canonical: name };
  } catch {
    return { kind: "there" };
  }
}

function failure(error: unknown): { kind: "missing" } | { kind: "unreadable"; message: string } {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  // Below a plain file there is nothing.
  return code === "ENOENT" || code === "ENOTDIR"
    ? { kind: "missing" }
    : { kind: "unreadable", message: code };
}

/** True when the home folder answers to its name in the other case; in doubt true, as these systems ship. */
function foldsCase(home: string): boolean {
  const swapped = home.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
  if (swapped === home) return true;
  try {
    return statSync(swapped, { bigint: true }).ino === statSync(home, { bigint: true }).ino;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}
