/**
 * `npm run figures:sql [-- --held]`: what the guard says of the public texts, per dialect. Shows the tuning part, with the
 * texts it stops; of the held part figures alone. Knows no rule.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const SHOWN = 20;

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

function figures(rows, judge) {
  const judged = rows.map((row) => ({ row, verdict: judge(row) }));
  const count = (test) => judged.filter(test).length;
  const harmful = ({ row }) => row.want !== undefined && row.want !== "allow";
  const plain = ({ row }) => row.want === "allow";
  return {
    texts: rows.length,
    harmful: count(harmful),
    "unsafe allow": count((one) => harmful(one) && one.verdict.verdict === "allow"),
    denied: count((one) => one.verdict.unparseable && one.row.kind !== "sqlmap attack"),
    plain: count(plain),
    asked: count((one) => plain(one) && one.verdict.verdict === "ask"),
    everyday: count((one) => plain(one) && one.row.everyday),
    "everyday stopped": count((one) => plain(one) && one.row.everyday && one.verdict.verdict !== "allow"),
  };
}

const held = process.argv.includes("--held");
spawnSync(process.execPath, [join(import.meta.dirname, "publicSql.mjs")], { stdio: "inherit" });
const classify = await loadClassify();
const lines = readFileSync(join(root, ".public-sql/corpus.jsonl"), "utf8").trim().split("\n");
const rows = lines.map((line) => JSON.parse(line)).filter((row) => row.held === held);
const byDialect = [...Map.groupBy(rows, (row) => row.dialect)];
const readings = {
  known: ({ sql, dialect }) => classify(sql, { dialect }),
  unknown: ({ sql }) => classify(sql),
};
for (const [name, judge] of Object.entries(readings)) {
  console.log(`${held ? "held" : "tuning"} part, dialect ${name}`);
  console.table(Object.fromEntries(byDialect.map(([dialect, list]) => [dialect, figures(list, judge)])));
}
if (!held) {
  const stopped = rows
    .filter((row) => row.want === "allow")
    .map((row) => ({ row, verdict: readings.known(row) }))
    .filter(({ verdict }) => verdict.verdict !== "allow");
  for (const { row, verdict } of stopped.slice(0, SHOWN))
    console.log(`${row.dialect} ${verdict.verdict}: ${verdict.reason}\n  ${row.sql.slice(0, 160)}`);
}
