/** Whether a file, folder or socket belongs to this user alone. Knows nothing of what it holds. */
import { lstatSync } from "node:fs";

/**
 * Undefined when `path` is itself (no link) of this kind, ours and closed to everyone else; otherwise what is wrong with it.
 * A "parent" is a folder that others may look into but not write to.
 * On Windows the profile folder's own rights protect it: only the kind is checked there.
 */
export function notOursAlone(
  path: string,
  kind: "folder" | "parent" | "file" | "socket",
): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return `${path} is missing`;
  const fits = kind === "file" ? stat.isFile() : kind === "socket" ? stat.isSocket() : stat.isDirectory();
  if (!fits) return `${path} is no ${kind === "parent" ? "folder" : kind}`;
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (stat.uid !== uid) return `${path} belongs to another user`;
  // A socket's own mode is not honoured everywhere; its folder's is.
  const forbidden = kind === "socket" ? 0 : kind === "parent" ? 0o022 : 0o077;
  if ((stat.mode & forbidden) !== 0) return `${path} is open to other users`;
  return undefined;
}
