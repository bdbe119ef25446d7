/**
 * `npm run bench`: runs every file of test/bench and prints ratios. A file exports `name` and `bench()`, which gives
 * `{ measures: { "<what>": number }, ratios: { "<what>": { value, goal } } }`; numbers are in the unit that the name says.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as setup from "./setup.mjs";

setup.ensurePackages();
await setup.underNewNode(fileURLToPath(import.meta.url));
setup.ensureBuild();

const folder = join(setup.root, "test/bench");
const only = process.argv.slice(2);
const files = readdirSync(folder)
  .filter(
    (file) => file.endsWith(".mjs") && (only.length === 0 || only.some((name) => file.startsWith(name))),
  )
  .sort();
const results = {};
let missed = 0;
for (const file of files) {
  const { name, bench } = await import(pathToFileURL(join(folder, file)).href);
  const { measures = {}, ratios = {} } = await bench({ root: setup.root });
  results[name] = { measures, ratios };
  console.log(`\n${name}`);
  for (const [what, value] of Object.entries(measures))
    console.log(`  ${what}: ${Number(value.toPrecision(4))}`);
  for (const [what, { value, goal }] of Object.entries(ratios)) {
    const met = goal === undefined || value <= goal;
    if (!met) missed += 1;
    const wanted = goal === undefined ? "" : ` (goal ≤ ${goal}${met ? "" : ", missed"})`;
    console.log(`  ${what}: ${value.toFixed(2)} ×${wanted}`);
  }
}
mkdirSync(join(setup.root, "out"), { recursive: true });
const machine = {
  node: process.version,
  platform: platform(),
  arch: arch(),
  cpus: cpus().length,
  load: loadavg()[0],
};
writeFileSync(join(setup.root, "out/bench.json"), `${JSON.stringify({ machine, results }, null, 2)}\n`);
if (missed > 0) console.log(`\n${missed} goals missed`);
