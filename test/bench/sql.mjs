/**
 * The SQL guard alone: microseconds per statement, hostile texts, growth with length, and 400 lines through the command.
 * Hostile texts are measured in processor time of this thread, which is too coarse for a single statement. There a tail is
 * of the quicker of two calls in a row: of one alone the clock would say what else the machine does.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

export const name = "SQL guard";

const ROUNDS = 40;
const KB = 1024;
const LINES = 400;
/** For 64 KB. */
const TOO_SLOW_MS = 350;
const load = createRequire(import.meta.url);
/** node-sql-parser has one build per dialect, none for Oracle, DuckDB and Databricks. */
const PARSERS = {
  postgres: "postgresql",
  mysql: "mysql",
  sqlite: "sqlite",
  tsql: "transactsql",
  bigquery: "bigquery",
  snowflake: "snowflake",
  redshift: "redshift",
};

/** A head, then one part over and over up to the length. */
const HOSTILE = {
  "open brackets": ["SELECT ", "("],
  calls: ["SELECT ", "f("],
  "open comments": ["SELECT 1 ", "/*"],
  "closed comments": ["SELECT 1 ", "/**/"],
  quotes: ["SELECT ", "' "],
  "doubled quotes": ["SELECT '", "''"],
  backslashes: ["SELECT '", "\\'"],
  "double quotes": ["SELECT ", '" '],
  backticks: ["SELECT ", "` "],
  "square brackets": ["SELECT ", "[ "],
  dollars: ["SELECT ", "$$ "],
  "dollar tags": ["SELECT ", (i) => `$a${i}$ `],
  "parameters with brackets": ["SELECT ", "@x( "],
  "oracle quotes": ["SELECT ", "q'[ "],
  statements: ["", "SELECT 1;"],
  "long list": ["SELECT 1 WHERE a IN (1", ",1"],
  "long row list": ["INSERT INTO t VALUES (1)", ",(1,'a')"],
  "prefix lengths": ["CREATE TABLE t (a int", ",f(1)"],
  "prefix lengths of an index": ["CREATE INDEX i ON t (a", ",f(1)"],
  names: ["SELECT a", ".a"],
  "called names": ["SELECT a", ".a()"],
  "named queries": ["WITH a(b) AS (SELECT 1)", ",a(b) AS (SELECT 1)"],
  upserts: ["INSERT INTO t VALUES (1) ", "(DO UPDATE "],
  "flat upserts": ["SELECT 1 ", "DO UPDATE "],
  "into without insert": ["INSERT ", "a INTO "],
  "locked rows": ["SELECT 1 ", "FOR UPDATE "],
  "line ends": ["SELECT 1", "\n--\r"],
  "E strings": ["SELECT ", "E'\\' "],
  "go lines": ["SELECT 1", "\nGO"],
  braces: ["SELECT 1", "{ "],
  "lone surrogates": ["SELECT ", "\ud800"],
};

export async function bench({ root }) {
  const { classifySql, EVERYDAY, DIALECTS, bytes } = await guard(root);
  const measures = {};
  const ratios = {};
  const medians = { known: [], unknown: [] };
  const tails = { known: [], unknown: [] };
  const note = (kind, name, { each, quicker }) => {
    const [median, tail] = [quantile(each, 0.5), quantile(quicker, 0.99)];
    medians[kind].push(median);
    tails[kind].push(tail);
    measures[`${name} p50 (µs)`] = median;
    measures[`${name} p99 (µs)`] = tail;
  };
  for (const { name: dialect } of DIALECTS) {
    const rows = EVERYDAY.filter((row) => row.dialect === dialect).map((row) => row.sql);
    const texts =
      rows.length > 0 ? rows : EVERYDAY.filter((row) => row.dialect === "mysql").map((row) => row.sql);
    const own = timed(texts, (sql) => classifySql(sql, { dialect }));
    note("known", dialect, own);
    const parser = besides(dialect, texts);
    if (parser === undefined) continue;
    measures[`${dialect} node-sql-parser p50 (µs)`] = quantile(parser.each, 0.5);
    measures[`${dialect} node-sql-parser p99 (µs)`] = quantile(parser.quicker, 0.99);
    measures[`${dialect} node-sql-parser refuses, of ${texts.length} everyday texts`] = parser.refused;
  }
  const everyday = EVERYDAY.map((row) => row.sql);
  const none = timed(everyday, (sql) => classifySql(sql));
  note("unknown", "no dialect", none);
  ratios["known p50, worst dialect, to 20 µs"] = { value: Math.max(...medians.known) / 20, goal: 1 };
  ratios["known p99, worst dialect, to 200 µs"] = { value: Math.max(...tails.known) / 200, goal: 1 };
  ratios["no dialect p50 to 150 µs"] = { value: Math.max(...medians.unknown) / 150, goal: 1 };
  ratios["no dialect p99 to 1.5 ms"] = { value: Math.max(...tails.unknown) / 1500, goal: 1 };
  hostile({ classifySql, DIALECTS, measures, ratios });
  judged({ root, everyday, measures, ratios });
  measures["bundle, minified (KB)"] = bytes.length / KB;
  measures["bundle, compressed (KB)"] = gzipSync(bytes).length / KB;
  ratios["bundle to 90 KB"] = { value: bytes.length / KB / 90, goal: 1 };
  return { measures, ratios };
}

/** The guard is TypeScript: bundled in memory and loaded from there, its rows beside it. */
async function guard(root) {
  const bundle = async (contents) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      format: "esm",
      minify: true,
      write: false,
      logLevel: "error",
    });
    return outputFiles[0].contents;
  };
  const module = (bytes) => import(`data:text/javascript;base64,${Buffer.from(bytes).toString("base64")}`);
  const bytes = await bundle('export { classifySql } from "./src/core/sql/classify";');
  const rows = await bundle(
    'export { EVERYDAY } from "./test/core/sql/everyday"; export { DIALECTS } from "./src/core/sql/dialects";',
  );
  return { ...(await module(bytes)), ...(await module(rows)), bytes };
}

/** Microseconds of each call, and of the quicker of each two in a row, sorted; the first rounds warm up. */
function timed(texts, run) {
  const each = [];
  const quicker = [];
  for (let round = -10; round < ROUNDS; round += 1) {
    for (const text of texts) {
      const [first, second] = [1, 2].map(() => once(() => run(text)) * 1000);
      if (round < 0) continue;
      each.push(first, second);
      quicker.push(Math.min(first, second));
    }
  }
  const rising = (a, b) => a - b;
  return { each: each.sort(rising), quicker: quicker.sort(rising) };
}

/** Milliseconds. */
function threadTime(run) {
  const began = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

function besides(dialect, texts) {
  if (PARSERS[dialect] === undefined) return undefined;
  const { Parser } = load(`node-sql-parser/build/${PARSERS[dialect]}.js`);
  const parser = new Parser();
  const refused = new Set();
  const times = timed(texts, (sql) => {
    try {
      parser.astify(sql);
    } catch {
      refused.add(sql);
    }
  });
  return { ...times, refused: refused.size };
}

function hostile({ classifySql, DIALECTS, measures, ratios }) {
  const worst = { known: 0, unknown: 0, growth: 0, growthOf: "", knownOf: "", unknownOf: "" };
  for (const [what, [head, part]] of Object.entries(HOSTILE)) {
    const [quarter, half, full] = [64, 128, 256].map((kb) => sized(head, part, kb * KB));
    const early = threadTime(() => classifySql(quarter));
    // What is already over the limit would keep the whole run waiting.
    const rows = early > TOO_SLOW_MS ? [] : DIALECTS;
    for (const { name: dialect } of rows) {
      const took = threadTime(() => classifySql(full, { dialect }));
      if (took > worst.known) Object.assign(worst, { known: took, knownOf: `${what}, ${dialect}` });
    }
    const [shorter, longer] =
      rows.length === 0 ? [16, 32].map((kb) => sized(head, part, kb * KB)) : [half, full];
    const before = Math.min(...[1, 2].map(() => threadTime(() => classifySql(shorter))));
    const after = Math.min(...[1, 2].map(() => threadTime(() => classifySql(longer))));
    // Of a text that was cut, at least as much as a linear reader would take.
    const whole = after * (256 * KB > longer.length * 2 ? 8 : 1);
    if (whole > worst.unknown) Object.assign(worst, { unknown: whole, unknownOf: what });
    // Below that the clock and the collector decide.
    if (before > 10 && after / before > worst.growth)
      Object.assign(worst, { growth: after / before, growthOf: what });
  }
  measures[`256 KB, worst known (ms): ${worst.knownOf}`] = worst.known;
  measures[`256 KB, worst with no dialect (ms): ${worst.unknownOf}`] = worst.unknown;
  measures[`growth from 128 to 256 KB, worst: ${worst.growthOf}`] = worst.growth;
  ratios["256 KB known to 300 ms"] = { value: worst.known / 300, goal: 1 };
  ratios["256 KB with no dialect to 1.5 s"] = { value: worst.unknown / 1500, goal: 1 };
  ratios["growth from 128 to 256 KB"] = { value: worst.growth, goal: 2.5 };
}

function sized(head, part, length) {
  if (typeof part === "string") return head + part.repeat(Math.floor((length - head.length) / part.length));
  let text = head;
  for (let i = 0; text.length < length - 16; i += 1) text += part(i);
  return text;
}

function once(run) {
  const began = performance.now();
  run();
  return performance.now() - began;
}

/** 400 lines, one process, start included; best of three. */
function judged({ root, everyday, measures, ratios }) {
  const cli = join(root, "dist/cli.js");
  if (!existsSync(cli)) throw new Error("dist/cli.js is missing. Run: npm run build");
  const line = (id) =>
    JSON.stringify({ id, tool: "db_query_sql", args: { sql: everyday[id % everyday.length] } });
  const input = `${Array.from({ length: LINES }, (_, id) => line(id)).join("\n")}\n`;
  const times = [1, 2, 3].map(() =>
    once(() => {
      const done = spawnSync(process.execPath, [cli, "judge"], {
        input,
        encoding: "utf8",
        maxBuffer: 1 << 26,
      });
      const answers = done.stdout.trim().split("\n").length;
      if (done.status !== 0 || answers !== LINES) throw new Error(`${answers} answers: ${done.stderr}`);
    }),
  );
  measures[`judge, ${LINES} lines with start (ms)`] = Math.min(...times);
  ratios[`judge, ${LINES} lines with start, to 2 s`] = { value: Math.min(...times) / 2000, goal: 1 };
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
