/** Installs the npm packages that a lock names into a folder of their own, once. Knows none of them. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeTurn } from "./takeTurn.mjs";

const FILES = ["package.json", "package-lock.json"];

/** `from` holds package.json and its lock; `folder` is where they go. Throws with npm's words. */
export async function installPrograms({ from, folder }) {
  const stamp = join(folder, "installed");
  const wanted = FILES.map((name) => readFileSync(join(from, name), "utf8")).join("\n");
  const isThere = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isThere()) return;
  const leave = await takeTurn(folder);
  try {
    if (isThere()) return;
    for (const name of FILES) copyFileSync(join(from, name), join(folder, name));
    const options = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    const done = spawnSync("npm", options, {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    if (done.status !== 0) throw new Error(`npm ci ended with ${done.status}\n${done.stdout}${done.stderr}`);
    writeFileSync(stamp, wanted);
  } finally {
    leave();
  }
}
