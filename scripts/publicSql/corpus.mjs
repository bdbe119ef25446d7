/** Puts texts and labels together into one corpus. The only place that knows which label belongs to which source. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { labelByWords, parserLabeller } from "./labelParsers.mjs";
import { postgresLabeller } from "./labelPostgres.mjs";
import { labelSqliteFile } from "./labelSqlite.mjs";
import { readFreeradius, readOracle, readQuartz, readTsql } from "./readPrograms.mjs";
import { readMariadb, readPostgres, readSqlite } from "./readScripts.mjs";
import { readSqlmap } from "./readSqlmap.mjs";

/**
 * @typedef {object} Row
 * @property {string} source Package and version.
 * @property {string} file
 * @property {string} sha256 Of the text.
 * @property {string} dialect
 * @property {string} sql
 * @property {"allow" | "not-allow" | "deny"} [want] Absent: valid, but not labelled.
 * @property {string} kind
 * @property {string} labelledBy
 * @property {boolean} everyday What programs send all day, as against an engine's own tests.
 */

/** Statements kept of each large source and dialect. */
const CAP = { postgres: 6000, sqlite: 5000, mysql: 5000, mariadb: 2000, other: 2000 };

export const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const MAX_TEXT = 20_000;

/** By hash: the same texts on every machine, and no order of the source shows through. */
function some(texts, cap) {
  const seen = new Map(
    texts.filter(({ sql }) => sql.length <= MAX_TEXT).map((one) => [sha256(one.sql), one]),
  );
  return [...seen]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, cap)
    .map(([, one]) => one);
}

/** Test the planner's patience: preparing one statement takes seconds. */
const SLOW = /\/(view3|with1|randexpr1)\.test$/;
const SQLITE_FILES = 300;

/** Calls that hold a lock or wait, which the tree does not tell. */
const WAITING =
  /^(get_lock|release_lock|release_all_locks|sleep|benchmark|master_\w+|load_file|nextval|setval|lastval)$/i;

const row = (text, label, labelledBy) => ({
  source: text.source,
  file: text.file,
  sha256: sha256(text.sql),
  dialect: text.dialect,
  sql: text.sql,
  ...(label.want === undefined ? {} : { want: label.want }),
  kind: label.kind,
  labelledBy,
  everyday: text.everyday ?? false,
});

const label = (texts, judge, labelledBy) =>
  texts.flatMap((text) => {
    const found = judge(text.sql);
    return found === null ? [] : [row(text, found, labelledBy)];
  });

function sqliteRows(texts) {
  const byFile = Map.groupBy(texts, (text) => text.file);
  const files = [...byFile]
    .filter(([file]) => !SLOW.test(file))
    .sort(([a], [b]) => (sha256(a) < sha256(b) ? -1 : 1));
  const rows = files
    .slice(0, SQLITE_FILES)
    .flatMap(([, list]) =>
      labelSqliteFile(list.map(({ sql }) => sql)).flatMap((found, index) =>
        found === null ? [] : [row(list[index], found, "SQLite's authorizer")],
      ),
    );
  return some(rows, CAP.sqlite);
}

/** A name that some script makes a function of is no function of the engine. */
function mysqlRows(texts, dialect, cap) {
  const made = new Set(
    texts.flatMap(({ sql }) =>
      [
        ...sql.matchAll(/create\s[^(]*?\bfunction\s+(?:if\s+not\s+exists\s+)?[`]?(?:\w+[`]?\.[`]?)?(\w+)/gi),
      ].map((found) => found[1].toLowerCase()),
    ),
  );
  const judge = parserLabeller(dialect);
  return label(
    some(texts, cap).map((text) => ({ ...text, dialect })),
    (sql) => {
      const found = judge(sql);
      if (found === null || found.want !== "allow") return found;
      const own = found.functions.some(
        (name) => name.includes(".") || made.has(name.toLowerCase()) || WAITING.test(name),
      );
      return own ? { kind: found.kind } : found;
    },
    `node-sql-parser's ${dialect} tree`,
  );
}

/** Statements whose PostgreSQL tree is known and which another engine's grammar reads as well. */
async function sharedRows(labelled) {
  const plain = labelled.filter(({ sql, want }) => want !== undefined && !/[$\\]|::|\bpg_|@/.test(sql));
  const rows = [];
  for (const [at, dialect] of ["bigquery", "snowflake", "databricks", "tsql"].entries()) {
    const judge = parserLabeller(dialect);
    for (const text of plain.filter((_, index) => index % 4 === at).slice(0, CAP.other)) {
      const found = judge(text.sql);
      if (found?.want === text.want)
        rows.push({
          ...text,
          dialect,
          labelledBy: `PostgreSQL's tree and node-sql-parser's ${dialect} tree`,
        });
    }
  }
  return rows;
}

async function duckdbRows(labelled) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = [];
  for (const text of labelled.filter(({ want }) => want !== undefined).slice(0, CAP.other)) {
    try {
      await connection.extractStatements(text.sql);
      rows.push({ ...text, dialect: "duckdb", labelledBy: "PostgreSQL's tree, read by DuckDB too" });
    } catch {
      /* no SQL to DuckDB */
    }
  }
  return rows;
}

function wordsOr(judge, name) {
  return (texts) =>
    texts.flatMap((text) => {
      const found = judge?.(text.sql) ?? null;
      const words = labelByWords(text.sql);
      if (words === null) return [];
      // A change that the first word shows is one, whatever the tree says.
      const plain = found?.want === undefined || words.want === "deny" || words.want === "not-allow";
      return [plain ? row(text, words, "its first words") : row(text, found, name)];
    });
}

const SQLMAP_TELLS = { attack: "not-allow", reads: "allow" };

/** @param {string} folder The cache. @returns {Promise<readonly Row[]>} */
export async function buildCorpus(folder) {
  const read = (name, reader, extra = {}) => {
    const place = join(folder, "packages", name);
    if (!existsSync(join(place, "VERSION"))) return [];
    const source = `${name} ${readFileSync(join(place, "VERSION"), "utf8")}`;
    return reader(place).map((text) => ({ ...text, ...extra, source }));
  };
  const postgresOf = await postgresLabeller(join(folder, "packages/postgresql-15"));
  const tsqlOf = parserLabeller("tsql");
  const postgres = label(
    some(read("postgresql-15", readPostgres), CAP.postgres),
    postgresOf,
    "PostgreSQL's tree",
  );
  const mysql = read("mariadb-test-data", readMariadb).map((text) => ({
    ...text,
    everyday: text.told === "everyday",
  }));
  const programs = [
    ...read("freeradius", readFreeradius, { everyday: true }),
    ...read("libquartz2-java", readQuartz, { everyday: true }),
    ...read("python-oracledb", readOracle, { everyday: true }),
    ...read("golang-github-denisenkom-go-mssqldb", readTsql, { everyday: true }),
  ];
  const of = (dialect) => programs.filter((text) => text.dialect === dialect);
  const sqlmap = read("sqlmap", readSqlmap, { everyday: true }).map((text) =>
    row(text, { want: SQLMAP_TELLS[text.told], kind: `sqlmap ${text.told}` }, "what sqlmap sends it for"),
  );
  const rows = [
    ...postgres,
    ...postgres.slice(0, CAP.other).map((one) => ({ ...one, dialect: "redshift" })),
    ...(await duckdbRows(postgres)),
    ...(await sharedRows(postgres)),
    ...sqliteRows(read("sqlite3", readSqlite)),
    ...mysqlRows(mysql, "mysql", CAP.mysql),
    ...mysqlRows(mysql, "mariadb", CAP.mariadb),
    ...label(of("postgres"), postgresOf, "PostgreSQL's tree"),
    ...label(of("mysql"), parserLabeller("mysql"), "node-sql-parser's mysql tree"),
    ...wordsOr(tsqlOf, "node-sql-parser's tsql tree")(of("tsql")),
    ...wordsOr(null, "")(of("oracle")),
    ...sqlmap,
  ];
  return [...new Map(rows.map((one) => [`${one.dialect} ${one.sha256}`, one])).values()];
}
