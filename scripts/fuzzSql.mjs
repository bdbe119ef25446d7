/**
 * `npm run fuzz:sql -- --n N [--seed S] [--engine NAME]`: seeded mixes of quotes, comments, escapes, separators and
 * payloads. What the guard allows is run on real SQLite, DuckDB, PostgreSQL and MariaDB, and the tables are compared. Exits
 * 1 when one changed. Knows no rule.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ENGINES, openEngine } from "../test/engines/fuzzEngines.mjs";
import { randomFrom, sqlText } from "../test/engines/fuzzTexts.mjs";

const root = join(import.meta.dirname, "..");
/** Of what is asked about, one in so many is run too: it shows that these texts can change a table at all. */
const SAMPLE = 8;

/**
 * @param {{ engine: string, n: number, seed: number, classify: (text: string, options?: { dialect?: string }) => { verdict: string } }} options
 * @returns {Promise<{ engine: string, strings: number, allowed: number, ran: number, refused: number, sampled: number, sampleChanged: number, changed: string[] }>}
 */
export async function fuzz({ engine: name, n, seed, classify }) {
  const engine = await openEngine(name);
  const counts = { engine: name, strings: n, allowed: 0, ran: 0, refused: 0, sampled: 0, sampleChanged: 0 };
  const changed = [];
  const random = randomFrom(seed + ENGINES.indexOf(name));
  try {
    for (let i = 0; i < n; i += 1) {
      const text = sqlText(random);
      const verdict = classify(text, { dialect: engine.dialect }).verdict;
      const allowed = verdict === "allow" || classify(text).verdict === "allow";
      if (!allowed && (verdict === "deny" || i % SAMPLE !== 0)) continue;
      const { ran, lost } = await engine.attempt(text, i);
      if (!allowed) {
        counts.sampled += 1;
        if (lost) counts.sampleChanged += 1;
        continue;
      }
      counts.allowed += 1;
      if (ran) counts.ran += 1;
      else counts.refused += 1;
      if (lost) changed.push(`${engine.session(i)} · ${JSON.stringify(text)}`);
    }
  } finally {
    await engine.close();
  }
  return { ...counts, changed };
}

/** The guard is TypeScript: bundled in memory and loaded from there. */
async function loadClassify() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/core/sql/classify.ts")],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const encoded = Buffer.from(outputFiles[0].contents).toString("base64");
  return (await import(`data:text/javascript;base64,${encoded}`)).classifySql;
}

async function main() {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      engine: { type: "string", multiple: true, default: [...ENGINES] },
    },
  });
  const classify = await loadClassify();
  for (const engine of values.engine) {
    const began = performance.now();
    const { changed, ...counts } = await fuzz({
      engine,
      n: Number(values.n),
      seed: Number(values.seed),
      classify,
    });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(JSON.stringify({ ...counts, changed: changed.length, seconds: Number(seconds) }));
    for (const text of changed.slice(0, 20)) console.log(`  CHANGED ${text}`);
    if (changed.length > 0) process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
