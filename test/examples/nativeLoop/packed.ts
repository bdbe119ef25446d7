/** The examples as a user has them: a copy of the folder with the packed library installed from npm's tarball. */
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const npm = async (folder: string, ...args: string[]): Promise<string> =>
  (await run("npm", args, { cwd: folder, shell: process.platform === "win32" })).stdout;

/** Builds the library as it is now, packs it in `folder` and gives the tarball's path. */
export async function packLibrary(folder: string): Promise<string> {
  const staged = join(folder, "library");
  await mkdir(staged, { recursive: true });
  await run(process.execPath, [resolve("esbuild.mjs"), join(staged, "dist")]);
  for (const name of ["package.json", ".npmignore", "README.md", "LICENSE"])
    await cp(resolve(name), join(staged, name));
  await npm(staged, "pack", "--silent", "--ignore-scripts", "--pack-destination", folder);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack left no tarball");
  return join(folder, tarball);
}

/** Copies the example into `folder`, over an older copy, and installs the tarball there with whatever else it names. */
export async function installExample(
  example: string,
  { folder, tarball, flags = [] }: { folder: string; tarball: string; flags?: readonly string[] },
): Promise<void> {
  await cp(resolve("examples", example), folder, { recursive: true });
  // npm would keep an earlier tarball of the same version.
  await rm(join(folder, "node_modules/countersign"), { recursive: true, force: true });
  await rm(join(folder, "package-lock.json"), { force: true });
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  await npm(folder, "install", ...quiet, ...flags, tarball);
  await cp(resolve("test/examples/nativeLoop/drive.mjs"), join(folder, "drive.mjs"));
}

/** `npm start`, without a key or an address of a real model. */
export async function start(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { MODEL_URL: _url, ANTHROPIC_API_KEY: _key, ...env } = { ...process.env, ...more };
  const { stdout } = await run("npm", ["start", "--silent"], {
    cwd: folder,
    env,
    shell: process.platform === "win32",
  });
  return stdout.trimEnd().split("\n");
}

/** What `npm start` prints in both examples. */
export const PRINTED: readonly string[] = [
  'db_query_sql {"sql":"SELECT name FROM employees"} → ok',
  'db_query_sql {"sql":"DELETE FROM employees WHERE left_on IS NOT NULL"} → asks_user',
  'db_query_sql {"sql":"DELETE FROM employees WHERE left_on IS NOT NULL","confirm_destructive":true} → ok',
  'db_query_sql {"sql":"DROP DATABASE staff"} → denied',
  'kb_search {"query":"table"} → ok',
  'read_file {"filePath":"notes.txt"} → ok',
  'read_file {"filePath":"/etc/shadow"} → asks_user',
  "Done.",
  "audit log: 7 records, verified",
];
