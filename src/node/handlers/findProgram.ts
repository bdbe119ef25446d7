/** Where a program lies, as a path that stays what it is. Runs nothing. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Undefined = none. `path` is a list of absolute folders; on Windows the usual endings are tried. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (folder === "") continue;
    for (const ending of endings(name)) {
      const file = join(folder, name + ending);
      if (await isProgram(file)) return file;
    }
  }
  return undefined;
}

function endings(name: string): readonly string[] {
  // Node starts no batch file without a shell.
  return process.platform !== "win32" || /\.(?:exe|com)$/i.test(name) ? [""] : [".exe", ".com"];
}

/** A regular file that this user may run. */
export async function isProgram(file: string): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
