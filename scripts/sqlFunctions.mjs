/**
 * `npm run generate:functions`: asks PostgreSQL, MariaDB, SQLite and DuckDB which of their own functions only compute and
 * writes src/core/sql/functionsData.ts. `--check` writes nothing and exits 1 on drift. Knows nothing of how a call is judged.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { startMariaDb, startPostgres } from "../test/engines/startEngines.mjs";

const root = join(import.meta.dirname, "..");
const TARGET = join(root, "src/core/sql/functionsData.ts");
const load = createRequire(import.meta.url);
const NAME = /^[a-z][a-z0-9_]*$/;

/** @typedef {{ version: string, computing: string[], acting: string[] }} Catalogue Names in lower case. */

/**
 * `internal` arguments cannot be given in SQL. What only reads or prints a type, stands behind an operator or serves an
 * aggregate or an index, by the server's own remark, is no call that people write; those of ranges and of hashing are.
 */
const POSTGRES = `
  SELECT proname AS name, bool_or(provolatile = 'v') AS acts FROM pg_proc p
  WHERE prokind IN ('f', 'a', 'w') AND NOT proargtypes::oid[] && ARRAY['internal'::regtype::oid]
    AND prorettype NOT IN (SELECT oid FROM pg_type WHERE typtype = 'p' AND typname ~ '(trigger|handler|internal)')
    AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout))
    AND (provolatile = 'v' OR proname ~ '^(hash|range|multirange)_' OR coalesce(obj_description(p.oid, 'pg_proc'), '') !~
      '^(implementation of|aggregate |I/O|less-equal-greater|btree|hash|statistics: information|.*selectivity|internal conv)')
  GROUP BY proname`;

/** Help topics also hold clauses and operators; these categories hold functions. */
const MARIADB = `
  SELECT LOWER(function) AS name FROM information_schema.sql_functions
  UNION SELECT LOWER(t.name) FROM mysql.help_topic t JOIN mysql.help_category c USING (help_category_id)
  WHERE c.name IN ('Bit Functions', 'Date and Time Functions', 'Encryption Functions', 'Information Functions',
    'Functions and Modifiers for Use with GROUP BY', 'Geometry relations', 'Geometry constructors', 'Numeric Functions',
    'String Functions', 'WKB', 'WKT')`;

/** MariaDB's catalogue does not tell which functions act: these take locks, wait, or reach a file. */
const MARIADB_ACTS = new Set([
  "benchmark",
  "get_lock",
  "load_file",
  "master_gtid_wait",
  "master_pos_wait",
  "release_all_locks",
  "release_lock",
  "sleep",
  "wsrep_sync_wait_upto_gtid",
]);

const DIRECT_ONLY = 0x80000;
/** Merges a full-text index, and writes to the program's log. */
const SQLITE_ACTS = new Set(["optimize", "sqlite_log"]);

/** Table functions say nothing about side effects: the reading ones are known by name. Pragmas are no calls in a query. */
const DUCKDB = `
  SELECT lower(function_name) AS name, bool_or(coalesce(has_side_effects, false)) AS acts,
    bool_or(function_type IN ('table', 'table_macro')) AS untold
  FROM duckdb_functions() WHERE internal AND function_type <> 'pragma' GROUP BY ALL`;
const DUCKDB_READS =
  /^(?:duckdb_|pragma_|parquet_|read_|list_|array_|has_|icu_|generate_|json_each$|json_tree$|repeat|range$|unnest$|glob$|summary$|sniff_csv$|test_|pg_timezone_names$|regexp_|histogram|which_secret$)/;

/** @returns {Promise<Record<"postgres" | "mysql" | "sqlite" | "duckdb", Catalogue>>} */
export async function readCatalogues() {
  const [postgres, mysql, duckdb] = await Promise.all([
    postgresFunctions(),
    mariaFunctions(),
    duckFunctions(),
  ]);
  return { postgres, mysql, sqlite: sqliteFunctions(), duckdb };
}

async function postgresFunctions() {
  const engine = await startPostgres();
  const client = new (load("pg").Client)(engine.url);
  try {
    await client.connect();
    const { rows } = await client.query(POSTGRES);
    const version = (await client.query("SHOW server_version")).rows[0].server_version.split(" ")[0];
    return catalogue(`PostgreSQL ${version} pg_proc`, rows);
  } finally {
    await client.end();
    await engine.stop();
  }
}

async function mariaFunctions() {
  const engine = await startMariaDb();
  const client = await load("mysql2/promise").createConnection(engine.url);
  try {
    const [rows] = await client.query(MARIADB);
    const [[{ version }]] = await client.query("SELECT VERSION() AS version");
    const source = `MariaDB ${version.split("-")[0]} SQL_FUNCTIONS and help tables`;
    return catalogue(
      source,
      rows.map(({ name }) => ({ name, acts: MARIADB_ACTS.has(name) })),
    );
  } finally {
    await client.end();
    await engine.stop();
  }
}

function sqliteFunctions() {
  const database = new DatabaseSync(":memory:");
  try {
    const rows = database.prepare(
      "SELECT name, max(flags & ?) AS direct FROM pragma_function_list GROUP BY name",
    );
    const { version } = database.prepare("SELECT sqlite_version() AS version").get() ?? {};
    return catalogue(
      `SQLite ${version} pragma_function_list`,
      rows
        .all(DIRECT_ONLY)
        .map(({ name, direct }) => ({ name, acts: direct !== 0 || SQLITE_ACTS.has(String(name)) })),
    );
  } finally {
    database.close();
  }
}

async function duckFunctions() {
  const { DuckDBInstance } = load("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const rows = (await connection.runAndReadAll(DUCKDB)).getRowObjectsJson();
    const [{ version }] = (await connection.runAndReadAll("SELECT version() AS version")).getRowObjectsJson();
    return catalogue(
      `DuckDB ${version} duckdb_functions()`,
      rows.map(({ name, acts, untold }) => ({
        name,
        acts: acts || (untold && !DUCKDB_READS.test(String(name))),
      })),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** @param {string} version @param {{ name: unknown, acts: unknown }[]} rows @returns {Catalogue} */
function catalogue(version, rows) {
  const named = rows.filter(({ name }) => NAME.test(String(name)));
  const pick = (wanted) =>
    named
      .filter(({ acts }) => Boolean(acts) === wanted)
      .map(({ name }) => String(name))
      .sort();
  return { version, computing: pick(false), acting: pick(true) };
}

/** DuckDB's functions cannot write, so what computes there matters only as a name of several words, which others may have. */
const isLeftOut = (name, engines) => engines.join() === "duckdb" && !/[_\d]/.test(name);

/** A name stands once, under the engines that have it. @param {Record<string, Catalogue>} catalogues @param {(name: string) => boolean} denied */
function moduleText(catalogues, denied) {
  const groups = (kind) => {
    const owners = new Map();
    for (const [engine, one] of Object.entries(catalogues)) {
      for (const name of one[kind])
        if (!denied(name)) owners.set(name, [...(owners.get(name) ?? []), engine]);
    }
    const names = [...owners.keys()].filter(
      (name) => kind === "acting" || !isLeftOut(name, owners.get(name)),
    );
    return Object.groupBy(names.sort(), (name) => owners.get(name).join(" "));
  };
  const sources = Object.values(catalogues).map(({ version }) => ` * - ${version}`);
  return [
    "/**",
    " * The engines' own functions by what their catalogues say of them. Knows no judgement. Written by",
    " * `npm run generate:functions` from these running engines; names that are denied anyway are left out:",
    ...sources,
    " */",
    "",
    "/** Per group of engines, the functions that only compute or read there. */",
    `export const COMPUTING: Readonly<Record<string, string>> = {\n${rows(groups("computing"))}\n};`,
    "",
    "/** Per group of engines, the functions that are volatile there, write, or are not known to do neither. */",
    `export const VOLATILE: Readonly<Record<string, string>> = {\n${rows(groups("acting"))}\n};`,
    "",
  ].join("\n");
}

function rows(groups) {
  return Object.keys(groups)
    .sort()
    .map((key) => `  ${key.includes(" ") ? `"${key}"` : key}: \`\n${wrap(groups[key])}\n  \`,`)
    .join("\n");
}

/** `st_area st_buffer` as `st_(area buffer)`, the prefix that saves most before the others. @param {readonly string[]} names */
export function grouped(names) {
  const rest = new Set(names);
  const groups = [];
  for (let best = dearest(rest); best !== undefined; best = dearest(rest)) {
    const prefix = best;
    const own = [...rest].filter((name) => name.startsWith(prefix) && name !== prefix);
    for (const name of own) rest.delete(name);
    groups.push(`${prefix}(${own.map((name) => name.slice(prefix.length)).join(" ")})`);
  }
  return [...groups, ...rest].sort();
}

/** The prefix with the most letters in all. Prefix and brackets are written once; undefined = none saves any. */
function dearest(names) {
  const saved = new Map();
  for (const name of names)
    for (let at = name.indexOf("_"); at > 0 && at < name.length - 1; at = name.indexOf("_", at + 1)) {
      const prefix = name.slice(0, at + 1);
      saved.set(prefix, (saved.get(prefix) ?? -prefix.length - 2) + prefix.length);
    }
  const [best] = [...saved].filter(([, letters]) => letters > 0).sort((a, b) => b[1] - a[1]);
  return best?.[0];
}

export function wrap(names) {
  const lines = [];
  for (const name of grouped(names).join(" ").split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + name.length > 240) lines.push(name);
    else lines[lines.length - 1] = `${last} ${name}`;
  }
  return lines.join("\n");
}

async function main() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/core/sql/functionNames.ts")],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const encoded = Buffer.from(outputFiles[0].contents).toString("base64");
  const { isDenied } = await import(`data:text/javascript;base64,${encoded}`);
  const text = moduleText(await readCatalogues(), isDenied);
  if (process.argv.includes("--check")) {
    if (readFileSync(TARGET, "utf8") === text) return;
    console.error("src/core/sql/functionsData.ts is out of date; run npm run generate:functions");
    process.exitCode = 1;
    return;
  }
  writeFileSync(TARGET, text);
  console.log(`wrote src/core/sql/functionsData.ts, ${(text.length / 1024).toFixed(1)} KB`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
