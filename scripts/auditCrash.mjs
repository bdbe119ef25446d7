/**
 * Kills writers of the audit log at random points, or crowds them on one log, for as long as wished:
 * `node scripts/auditCrash.mjs --rounds 1000` or `--processes 20 --records 1000`. Ends with 1 when a record was lost.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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
const entry = join(setup.root, "test/node/auditCrash.ts");
// All that this leaves lies in one folder, which goes however it ends.
const folder = mkdtempSync(join(tmpdir(), "countersign-crash-"));
process.env.TMPDIR = folder;
process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(2));

const outfile = join(folder, "auditCrash.mjs");
await build({
  entryPoints: [entry],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  // What it finds by its own place stands beside its source.
  define: { "import.meta.url": JSON.stringify(pathToFileURL(entry).href) },
  plugins: [
    {
      name: "esbuild stays where it is installed",
      setup: (at) =>
        at.onResolve({ filter: /^esbuild$/ }, () => ({
          path: import.meta.resolve("esbuild"),
          external: true,
        })),
    },
  ],
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
