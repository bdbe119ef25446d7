/** Runs one text after the other on a real engine and tells whether a row or table was lost. Knows nothing of the product. */
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { startMariaDb, startPostgres } from "./startEngines.mjs";

const load = createRequire(import.meta.url);

export const ENGINES = ["sqlite", "duckdb", "postgres", "mariadb"];

/** @typedef {{ dialect: string, session: (i: number) => string, attempt: (text: string, i: number) => Promise<{ ran: boolean, lost: boolean }>, close: () => Promise<void> }} FuzzEngine */

/** @param {string} name @returns {Promise<FuzzEngine>} */
export function openEngine(name) {
  const open = { sqlite: openSqlite, duckdb: openDuck, postgres: openPostgres, mariadb: openMaria }[name];
  if (open === undefined) throw new Error(`unknown engine ${name}; there are ${ENGINES.join(", ")}`);
  return open();
}

const TABLES = [
  "CREATE TABLE t (a int PRIMARY KEY, b int)",
  "CREATE TABLE u (a int, b int)",
  "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)",
  "INSERT INTO u VALUES (1, 1)",
];
const LOOK = "SELECT 't' AS n, a, b FROM t UNION ALL SELECT 'u', a, b FROM u";
/** Tables and other things there were before are counted, so that only what changed is built anew. */
const counted = (from) => `${LOOK} UNION ALL SELECT 'objects', count(*), 0 FROM ${from}`;
const ROWS = ["t,1,10", "t,2,20", "t,3,30", "u,1,1"];

/** Rows that came in addition are an INSERT's, which is allowed. @param {Record<string, unknown>[]} rows */
function judgeRows(rows) {
  const now = rows.map((row) => Object.values(row).join(","));
  const same = now.length === ROWS.length + 1 && now.includes("objects,2,0");
  return { lost: ROWS.some((row) => !now.includes(row)), same };
}

/** Such a text may leave more behind in its session than rows. */
const STICKS = /\b(?:set|temp|temporary|prepare|declare|use|lock|attach|pragma)\b/i;

async function openSqlite() {
  const open = () => {
    const database = new DatabaseSync(":memory:");
    for (const one of TABLES) database.exec(one);
    return database;
  };
  // A temporary table of the same name hides the one that counts.
  const look = counted("sqlite_schema WHERE type <> 'index'").replaceAll("FROM ", "FROM main.");
  let database = open();
  return {
    dialect: "sqlite",
    session: () => "sqlite",
    async attempt(text) {
      const ran = runs(() => database.exec(text));
      runs(() => database.exec("COMMIT"));
      let state = { lost: true, same: false };
      runs(() => {
        state = judgeRows(database.prepare(look).all());
      });
      if (!state.same || state.lost || STICKS.test(text)) {
        database.close();
        database = open();
      }
      return { ran, lost: state.lost };
    },
    async close() {
      database.close();
    },
  };
}

/** @param {() => unknown} act */
function runs(act) {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** @param {() => Promise<unknown>} act */
async function settles(act) {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}

/** Opens sessions that last until they are touched, watches through another one, and rebuilds what changed. */
function shared({ dialect, modes, connect, query, end, watch, rebuild, look, stop }) {
  const sessions = new Map();
  const close = async (mode) => {
    const old = sessions.get(mode);
    sessions.delete(mode);
    if (old !== undefined) await settles(() => end(old));
  };
  return {
    dialect,
    session: (i) => `${dialect} ${modes[i % modes.length]}`.trim(),
    async attempt(text, i) {
      const mode = modes[i % modes.length];
      if (!sessions.has(mode)) sessions.set(mode, await connect(mode));
      const session = sessions.get(mode);
      const ran = await settles(() => query(session, text));
      // What stands in an open transaction would be committed by the next statement.
      if (!(await settles(() => query(session, "COMMIT"))) || STICKS.test(text)) await close(mode);
      let state = { lost: true, same: false };
      await settles(async () => {
        state = judgeRows(await look(watch));
      });
      if (state.lost || !state.same) await rebuild(watch);
      return { ran, lost: state.lost };
    },
    async close() {
      for (const mode of [...sessions.keys()]) await close(mode);
      await stop();
    },
  };
}

async function openDuck() {
  const { DuckDBInstance } = load("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const watch = await instance.connect();
  const rebuild = async () => {
    const shown =
      "SELECT table_name AS n, table_type AS k FROM information_schema.tables WHERE table_schema = 'main'";
    const found = (await watch.runAndReadAll(shown)).getRowObjectsJson();
    for (const { n, k } of found)
      await settles(() =>
        watch.run(`DROP ${k === "VIEW" ? "VIEW" : "TABLE"} "${String(n).replaceAll('"', '""')}"`),
      );
    for (const one of TABLES) await watch.run(one);
  };
  await rebuild();
  const look = counted("duckdb_tables() WHERE schema_name = 'main' AND NOT temporary");
  return shared({
    dialect: "duckdb",
    modes: [""],
    connect: () => instance.connect(),
    query: (session, text) => session.run(text),
    end: async (session) => session.closeSync(),
    watch,
    rebuild,
    look: async () => (await watch.runAndReadAll(look)).getRowObjectsJson(),
    stop: async () => {
      watch.closeSync();
      instance.closeSync();
    },
  });
}

async function openPostgres() {
  const { Client } = load("pg");
  const engine = await startPostgres();
  const connect = async (mode) => {
    const client = new Client(engine.url);
    // A server that ends a session must not end the run.
    client.on("error", () => {});
    await client.connect();
    await client.query(`SET statement_timeout = 3000; SET lock_timeout = 2000; ${mode}`);
    return client;
  };
  const watch = await connect("");
  const rebuild = async () => {
    await watch.query("DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public");
    for (const one of TABLES) await watch.query(one);
    await watch.query(
      "CREATE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'WITH x AS (DELETE FROM t RETURNING 1) SELECT 1'",
    );
  };
  await rebuild();
  const look = counted("pg_class WHERE relnamespace = 'public'::regnamespace AND relkind <> 'i'")
    .replace("FROM t", "FROM public.t")
    .replace("FROM u", "FROM public.u");
  return shared({
    dialect: "postgres",
    modes: ["", "", "SET standard_conforming_strings = off"],
    connect,
    query: (session, text) => session.query(text),
    end: (session) => session.end(),
    watch,
    rebuild,
    look: async () => (await watch.query(look)).rows,
    stop: async () => {
      await watch.end();
      await engine.stop();
    },
  });
}

async function openMaria() {
  const { createConnection } = load("mysql2/promise");
  const engine = await startMariaDb();
  const connect = async (mode) => {
    const client = await createConnection({ uri: engine.url, multipleStatements: true });
    client.on("error", () => {});
    await client.query("SET max_statement_time = 3, lock_wait_timeout = 2");
    if (mode !== "") await client.query(`SET sql_mode = '${mode}'`);
    return client;
  };
  const watch = await connect("");
  // Keeps no files that would have to be made anew, and a lost row is lost at once.
  await watch.query("SET default_storage_engine = MEMORY");
  const rebuild = async () => {
    await watch.query("DROP DATABASE IF EXISTS app; CREATE DATABASE app; USE app");
    for (const one of TABLES) await watch.query(one);
    await watch.query("CREATE FUNCTION wipe() RETURNS int BEGIN DELETE FROM app.t; RETURN 1; END");
  };
  await rebuild();
  const look = counted("information_schema.tables WHERE table_schema = 'app'");
  return shared({
    dialect: "mariadb",
    modes: ["", "", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES"],
    connect,
    query: (session, text) => session.query(text),
    end: async (session) => session.destroy(),
    watch,
    rebuild,
    look: async () => (await watch.query(look))[0],
    stop: async () => {
      watch.destroy();
      await engine.stop();
    },
  });
}
