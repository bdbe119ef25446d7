/**
 * `node scripts/publicSql.mjs`: brings public SQL texts into `.public-sql` and labels them, once. `--draw` also draws the
 * committed list. No text enters the repo: the list names each by its hash.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCorpus } from "./publicSql/corpus.mjs";
import { fetchPackages } from "./publicSql/debian.mjs";
import { drawRows, isHeld } from "./publicSql/draw.mjs";
import { PACKAGES } from "./publicSql/packages.mjs";
import { takeTurn } from "./takeTurn.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".public-sql");
const file = join(folder, "corpus.jsonl");
const stamp = join(folder, "corpus.made-by");

/** Changes when a reader, a label or a package's version does. */
function recipe() {
  const code = join(import.meta.dirname, "publicSql");
  const hash = createHash("sha256");
  for (const name of readdirSync(code).sort()) hash.update(readFileSync(join(code, name)));
  for (const { name } of PACKAGES) {
    const version = join(folder, "packages", name, "VERSION");
    hash.update(existsSync(version) ? readFileSync(version) : "none");
  }
  return hash.digest("hex");
}

async function makeCorpus() {
  for (const { name, problem } of await fetchPackages(folder, PACKAGES))
    if (problem !== undefined) console.error(`public SQL: ${name} cannot be had: ${problem}`);
  const made = recipe();
  if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, "utf8") === made) return;
  const rows = await buildCorpus(folder);
  const lines = rows.map((one) => `${JSON.stringify({ ...one, held: isHeld(one.sha256) })}\n`);
  writeFileSync(`${file}.new`, lines.join(""));
  renameSync(`${file}.new`, file);
  writeFileSync(stamp, made);
  console.log(
    `public SQL: ${rows.length} statements, ${rows.filter((one) => one.want).length} of them labelled`,
  );
}

function draw() {
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const drawn = drawRows(rows);
  const list = `[\n${drawn.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]\n`;
  writeFileSync(join(root, "test/sql/publicRows.json"), list);
  const count = (key) =>
    [...Map.groupBy(drawn, key)].map(([name, list]) => `${name} ${list.length}`).join(", ");
  console.log(`${drawn.length} rows drawn: ${count((one) => one.want)}; ${count((one) => one.part)}`);
}

const leave = await takeTurn(folder);
try {
  await makeCorpus();
  if (process.argv.includes("--draw")) draw();
} finally {
  leave();
}
