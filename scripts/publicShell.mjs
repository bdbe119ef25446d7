/**
 * `node scripts/publicShell.mjs`: brings command lines of public documents into `.public-shell`, once. `--draw` prints those
 * that are to be labelled by hand. No text enters the repo: the list names each by its hash.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCorpus } from "./publicShell/corpus.mjs";
import { drawRows, isHeld } from "./publicShell/draw.mjs";
import { PACKAGES } from "./publicShell/packages.mjs";
import { fetchPackages } from "./publicSql/debian.mjs";

const folder = join(import.meta.dirname, "../.public-shell");
const file = join(folder, "corpus.jsonl");
const stamp = join(folder, "corpus.made-by");

/** Changes when a reader or a package's version does. */
function recipe() {
  const code = join(import.meta.dirname, "publicShell");
  const hash = createHash("sha256");
  for (const name of readdirSync(code).sort()) hash.update(readFileSync(join(code, name)));
  for (const { name } of PACKAGES) {
    const version = join(folder, "packages", name, "VERSION");
    hash.update(existsSync(version) ? readFileSync(version) : "none");
  }
  return hash.digest("hex");
}

/** Written whole and put in place at once: two that begin together write the same. */
function put(path, text) {
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text);
  renameSync(part, path);
}

mkdirSync(folder, { recursive: true });
for (const { name, problem } of await fetchPackages(folder, PACKAGES))
  if (problem !== undefined) console.error(`public commands: ${name} cannot be had: ${problem}`);
const made = recipe();
if (!existsSync(file) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== made) {
  const rows = buildCorpus(folder);
  put(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
  put(stamp, made);
  console.log(`public commands: ${rows.length}`);
}
if (process.argv.includes("--draw"))
  for (const row of drawRows(buildCorpus(folder)))
    console.log(JSON.stringify({ part: isHeld(row.sha256) ? "held" : "tuning", ...row }));
