/**
 * sqlglot beside the SQL guard: what a rule over its parse tree would make of the same everyday texts and attacks, and how
 * long it takes. Needs a python3 that has sqlglot (Debian: python3-sqlglot); where there is none the row says so.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

export const name = "SQL guard beside sqlglot";

/** Those that both name. */
const DIALECTS = [
  "postgres",
  "mysql",
  "mariadb",
  "sqlite",
  "tsql",
  "oracle",
  "bigquery",
  "snowflake",
  "redshift",
  "databricks",
  "duckdb",
];
const PYTHONS = ["python3", "/usr/bin/python3"];
const ROUNDS = 5;

/** The rule that most would write: every statement of the tree must be one that reads, inserts or creates. */
const PROGRAM = `
import json, sys, time, logging
import sqlglot
from sqlglot import exp
logging.disable(logging.CRITICAL)
ACTING = tuple(getattr(exp, n) for n in ("Update", "Delete", "Drop", "Merge", "Command", "AlterTable", "Alter", "TruncateTable") if hasattr(exp, n))
def judge(sql, dialect):
    try:
        trees = sqlglot.parse(sql, read=dialect)
    except Exception:
        return "deny"
    return "ask" if any(t is not None and t.find(*ACTING) is not None for t in trees) else "allow"
out = []
for row in json.load(sys.stdin):
    best = None
    for _ in range(${ROUNDS}):
        began = time.perf_counter()
        verdict = judge(row["sql"], row["dialect"])
        took = time.perf_counter() - began
        best = took if best is None or took < best else best
    out.append({"verdict": verdict, "us": best * 1e6})
json.dump({"version": sqlglot.__version__, "rows": out}, sys.stdout)
`;

export async function bench({ root }) {
  const python = PYTHONS.find((one) => spawnSync(one, ["-c", "import sqlglot"]).status === 0);
  if (python === undefined) return { measures: { "no python3 with sqlglot here (python3-sqlglot)": 0 } };
  const { ATTACKS, EVERYDAY, classifySql } = await ours(root);
  const everyday = EVERYDAY.filter(({ dialect }) => DIALECTS.includes(dialect));
  const attacks = ATTACKS.filter(({ dialect }) => dialect === undefined || DIALECTS.includes(dialect));
  const theirs = ask(python, [...everyday, ...attacks]);
  const own = [...everyday, ...attacks].map(({ sql, dialect }) => timed(() => classifySql(sql, { dialect })));
  const split = (rows) => [rows.slice(0, everyday.length), rows.slice(everyday.length)];
  const measures = {};
  for (const [who, rows] of [
    ["ours", own],
    [`sqlglot ${theirs.version}`, theirs.rows],
  ]) {
    const [good, bad] = split(rows);
    measures[`${who}: everyday asked, of ${good.length}`] = count(good, "ask");
    measures[`${who}: everyday denied, of ${good.length}`] = count(good, "deny");
    measures[`${who}: attacks allowed, of ${bad.length}`] = count(bad, "allow");
    const times = rows.map(({ us }) => us).sort((a, b) => a - b);
    measures[`${who}: p50 (µs)`] = times[Math.floor(times.length / 2)];
    measures[`${who}: p99 (µs)`] = times[Math.floor(times.length * 0.99)];
  }
  return { measures };
}

/** The guard and its rows are TypeScript: bundled in memory and loaded from there. */
async function ours(root) {
  const contents = [
    `export { classifySql } from "./src/core/sql/classify";`,
    `export { EVERYDAY } from "./test/core/sql/everyday";`,
    `export { ATTACKS } from "./test/core/sql/attacks";`,
  ].join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, sourcefile: join(root, "rows.ts") },
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

function ask(python, rows) {
  // What sqlglot has no name for it reads in its own dialect. MariaDB is MySQL to it.
  const known = { mariadb: "mysql" };
  const input = JSON.stringify(
    rows.map(({ sql, dialect }) => ({ sql, dialect: known[dialect] ?? dialect ?? null })),
  );
  const done = spawnSync(python, ["-c", PROGRAM], { input, encoding: "utf8", maxBuffer: 1 << 26 });
  if (done.status !== 0) throw new Error(`sqlglot: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

function timed(run) {
  let us = Number.POSITIVE_INFINITY;
  let verdict = "";
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    verdict = run().verdict;
    us = Math.min(us, (performance.now() - began) * 1000);
  }
  return { verdict, us };
}

const count = (rows, verdict) => rows.filter((row) => row.verdict === verdict).length;
