/** The files that a script, a module or a text of Python loads, and what it loads otherwise. Runs nothing of them. */
import { readdir, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type Found, isBelow, isFile, type ReachOptions } from "./foundFiles";
import { type ScanKind, scanPython } from "./python";

export interface PythonReach {
  readonly kind: Exclude<ScanKind, "module">;
  /** Absolute path, name of a module, or the text. */
  readonly name: string;
  readonly options: ReachOptions;
  readonly found: Found;
  /** Absolute path of the interpreter where the command names one by path. */
  readonly interpreter?: string;
}

/** Never rejects. */
export async function addPython(given: PythonReach): Promise<void> {
  const { kind, name, options, found } = given;
  if (kind === "file") {
    const isFolder = (await readdir(name).catch(() => undefined)) !== undefined;
    if (isFolder) return void found.unlisted.add(`${relative(options.folder, name)} is a folder that is run`);
    found.files.add(name);
    // One that is not there is told by its digest.
    if (!(await isFile(name))) return;
  }
  const root = kind === "file" ? dirname(await realpath(name).catch(() => name)) : options.cwd;
  const python = await options.python();
  if (!python.ok) return void found.unlisted.add(`what Python loads cannot be read: ${python.message}`);
  const scan = await scanPython({ program: python.program, kind, name, folder: root, env: options.env });
  if (!scan.ok) return void found.unlisted.add(`what Python loads cannot be read: ${scan.message}`);
  for (const path of [...scan.files, ...scan.links]) found.files.add(path);
  for (const why of scan.unlisted) found.unlisted.add(why.replace(`${options.folder}/`, ""));
  found.watched.set(root, new Set([...(found.watched.get(root) ?? []), ...scan.elsewhere]));
  if (given.interpreter !== undefined && isBelow(given.interpreter, options.folder))
    await addEnvironment(given.interpreter, scan.packages, given);
}

/** A virtual environment within the folder: what its interpreter reads before any script. */
async function addEnvironment(
  interpreter: string,
  packages: readonly string[],
  { found, options }: PythonReach,
): Promise<void> {
  const base = dirname(dirname(interpreter));
  const name = relative(options.folder, base);
  const config = join(base, "pyvenv.cfg");
  if (await isFile(config)) found.files.add(config);
  else found.empty.add(config);
  for (const version of await readdir(join(base, "lib")).catch(() => [])) {
    const site = join(base, "lib", version, "site-packages");
    for (const entry of await readdir(site).catch(() => [])) {
      if (!entry.endsWith(".pth")) continue;
      found.files.add(join(site, entry));
      found.unlisted.add(`${join(name, "lib", version, "site-packages", entry)} may load anything`);
    }
    for (const custom of ["sitecustomize.py", "usercustomize.py"]) {
      if (await isFile(join(site, custom))) found.unlisted.add(`${join(name, custom)} is run first`);
      else found.empty.add(join(site, custom));
    }
  }
  if (packages.length > 0) found.unlisted.add(`packages of ${name}: ${packages.slice(0, 5).join(", ")}`);
}
