/**
 * Kills writers of the audit log at random points, or crowds them on one log, for as long as wished:
 * `node scripts/auditCrash.mjs --rounds 1000` or `--processes 20 --records 1000`. Ends with 1 when a record was lost.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import * as setup from "./setup.mjs";

setup.ensurePackages();
await setup.underNewNode(fileURLToPath(import.meta.url));

const { values } = parseArgs({
  options: {
    rounds: { type: "string" },
    lanes: { type: "string", default: "4" },
    processes: { type: "string", default: "20" },
    records: { type: "string", default: "1000" },
  },
});

const { build } = await import("esbuild");
// Beside the test: what the bundle finds by its own place has to be there.
const outfile = join(setup.root, `test/node/.auditCrash-${process.pid}.mjs`);
try {
  await build({
    entryPoints: [join(setup.root, "test/node/auditCrash.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["esbuild"],
    outfile,
  });
  const { crash, crowd } = await import(pathToFileURL(outfile).href);
  const began = performance.now();
  const tally = await (values.rounds === undefined
    ? crowd({ processes: Number(values.processes), records: Number(values.records) })
    : crash({ rounds: Number(values.rounds), lanes: Number(values.lanes) }));
  console.log(JSON.stringify(tally, null, 2));
  console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
  const { ok, lost, unaccounted, twice, left, idleKills } = tally;
  const isFaulty = lost.length + unaccounted.length + twice.length + left + idleKills > 0;
  process.exitCode = ok && !isFaulty ? 0 : 1;
} finally {
  rmSync(outfile, { force: true });
}
