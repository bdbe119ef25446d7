/** Asks PostgreSQL what a transaction has really done, before it commits: its own locks and counters name every table, those of triggers and functions too. */
import type { Client } from "pg";
import { type Act, covers, exactParts, type Intent } from "./intent";
import { catalogueActs } from "./postgresCatalogue";
import { actingFunctions } from "./postgresReach";

interface Touched {
  readonly oid: number;
  /** null = no longer there. */
  readonly name: string | null;
  readonly ancestors: readonly string[];
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly opened: boolean;
  readonly exclusive: boolean;
  readonly shape: string | null;
}

// Temporary tables are searched before pg_catalog, so every name is spelled in full.
const SHAPE = `pg_catalog.md5(pg_catalog.concat(c.relname, c.relnamespace, c.relfilenode,
  (SELECT pg_catalog.string_agg(pg_catalog.concat(a.attname, ':', a.atttypid, a.attisdropped), ',' ORDER BY a.attnum)
     FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)))`;
const NAME = `CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN pg_catalog.quote_ident(c.relname)
  ELSE pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) END`;

const TOUCHED = `
WITH RECURSIVE held AS (
  SELECT l.relation AS oid,
         pg_catalog.bool_or(l.mode = 'RowExclusiveLock') AS opened,
         pg_catalog.bool_or(l.mode IN ('AccessExclusiveLock', 'ExclusiveLock')) AS exclusive
    FROM pg_catalog.pg_locks l
   WHERE l.locktype = 'relation' AND l.granted AND l.pid = pg_catalog.pg_backend_pid()
     AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
     AND l.mode NOT IN ('AccessShareLock', 'RowShareLock') AND l.relation >= 16384
   GROUP BY l.relation
), up AS (
  SELECT h.oid AS child, i.inhparent AS parent FROM held h JOIN pg_catalog.pg_inherits i ON i.inhrelid = h.oid
  UNION SELECT up.child, i.inhparent FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.parent
)
SELECT h.oid::pg_catalog.int8::pg_catalog.text AS oid, h.opened, h.exclusive,
       CASE WHEN c.oid IS NULL THEN NULL ELSE ${NAME} END AS name,
       CASE WHEN h.exclusive AND c.oid IS NOT NULL THEN ${SHAPE} END AS shape,
       COALESCE(s.n_tup_ins, 0)::pg_catalog.text AS inserted,
       COALESCE(s.n_tup_upd, 0)::pg_catalog.text AS updated,
       COALESCE(s.n_tup_del, 0)::pg_catalog.text AS deleted,
       ARRAY(SELECT u.parent::pg_catalog.regclass::pg_catalog.text FROM up u WHERE u.child = h.oid) AS ancestors
  FROM held h
  LEFT JOIN pg_catalog.pg_class c ON c.oid = h.oid
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_catalog.pg_stat_xact_all_tables s ON s.relid = h.oid
 WHERE c.oid IS NULL OR (c.relkind IN ('r', 'p', 'f', 'm', 'v') AND n.nspname NOT IN ('pg_toast', 'pg_catalog', 'information_schema'))`;

const BEFORE = `SELECT c.oid::pg_catalog.int8::pg_catalog.text AS oid, ${NAME} AS name, ${SHAPE} AS shape
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.oid = ANY ($1::pg_catalog.oid[]) AND c.relkind IN ('r', 'p', 'f', 'm', 'v')`;

/** Verbs whose approval covers a change of a table's shape or storage. */
const RESHAPE = ["ALTER", "DROP", "TRUNCATE", "CREATE", "REFRESH", "CLUSTER", "VACUUM", "RENAME"];

export interface AccountOptions {
  readonly intent: Intent;
  /** What was run. */
  readonly statements: readonly string[];
  /** A second connection, which still sees the tables as they were. */
  outside<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/** What the open transaction has done beyond the intent. */
export async function actsBeyond(
  client: Client,
  { intent, statements, outside }: AccountOptions,
): Promise<readonly Act[]> {
  const counting = await client.query("SELECT pg_catalog.current_setting('track_counts') AS on");
  const touched = (await client.query(TOUCHED)).rows.map(readTouched);
  const blind = counting.rows[0]?.on !== "on";
  const found: Act[] = touched.flatMap((one) => rowActs(one, intent, { blind }));
  found.push(...(await catalogueActs(client, { intent, statements })));
  const reshaped = touched.filter((one) => one.name === null || one.exclusive);
  if (reshaped.length > 0) {
    const before = await outside((other) => other.query(BEFORE, [reshaped.map((one) => one.oid)]));
    for (const row of before.rows) found.push(...reshapeActs(row, reshaped, intent));
  }
  if (intent.kind === "add") {
    const inserted = touched.filter((one) => one.opened && one.name !== null).map((one) => one.oid);
    found.push(...(await hiddenActs(client, inserted)));
  }
  return found;
}

function readTouched(row: Record<string, unknown>): Touched {
  return {
    oid: Number(row.oid),
    name: row.name === null ? null : String(row.name),
    ancestors: Array.isArray(row.ancestors) ? row.ancestors.map(String) : [],
    inserted: Number(row.inserted),
    updated: Number(row.updated),
    deleted: Number(row.deleted),
    opened: row.opened === true,
    exclusive: row.exclusive === true,
    shape: row.shape === null ? null : String(row.shape),
  };
}

function rowActs(one: Touched, intent: Intent, { blind }: { readonly blind: boolean }): readonly Act[] {
  if (one.name === null) return [];
  const verbs = [
    ...(one.deleted > 0 ? ["DELETE"] : []),
    ...(one.updated > 0 ? ["UPDATE"] : []),
    ...(one.inserted > 0 ? ["INSERT"] : []),
    // Without counters an opened table may have had anything done to it.
    ...(blind && one.opened ? ["UPDATE", "DELETE"] : []),
  ];
  return verbs
    .map((verb): Act => ({ verb, table: one.name }))
    .filter((act) => !coversWithParents(intent, act, one.ancestors));
}

/** Rows of a partition belong to the table that was named; moving one between partitions is an UPDATE of it. */
function coversWithParents(intent: Intent, act: Act, ancestors: readonly string[]): boolean {
  if (covers(intent, act)) return true;
  return ancestors.some(
    (table) => covers(intent, { ...act, table }) || covers(intent, { verb: "UPDATE", table }),
  );
}

function reshapeActs(
  row: Record<string, unknown>,
  reshaped: readonly Touched[],
  intent: Intent,
): readonly Act[] {
  const now = reshaped.find((one) => String(one.oid) === row.oid);
  const table = String(row.name);
  if (now === undefined || now.shape === row.shape) return [];
  const verbs = now.name === null ? ["DROP"] : RESHAPE;
  if (intent.kind === "approved" && verbs.some((verb) => approves(intent.acts, { verb, table }))) return [];
  return [{ verb: now.name === null ? "DROP" : "ALTER", table }];
}

function approves(acts: readonly Act[], wanted: Act): boolean {
  return acts.some(
    (act) =>
      act.verb.split(" ")[0] === wanted.verb &&
      covers({ kind: "approved", acts: [{ ...act, verb: "ALTER" }] }, { ...wanted, verb: "ALTER" }),
  );
}

const HIDDEN = `
WITH RECURSIVE t AS (
  SELECT c.oid FROM pg_catalog.pg_class c WHERE c.oid = ANY ($1::pg_catalog.oid[])
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN t ON i.inhparent = t.oid
)
SELECT ${NAME} AS name, found.via, found.fns FROM t
  JOIN pg_catalog.pg_class c ON c.oid = t.oid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN (
    SELECT g.tgrelid AS rel, 'trigger ' || g.tgname AS via,
           ARRAY(SELECT d.refobjid::pg_catalog.int8::pg_catalog.text FROM pg_catalog.pg_depend d WHERE d.classid = g.tableoid AND d.objid = g.oid
             AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass) || g.tgfoid::pg_catalog.int8::pg_catalog.text AS fns
      FROM pg_catalog.pg_trigger g WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' AND (g.tgtype & 4) <> 0
    UNION ALL
    SELECT r.ev_class, 'rule ' || r.rulename, NULL FROM pg_catalog.pg_rewrite r WHERE r.rulename <> '_RETURN' AND r.ev_type = '3'
  ) found ON found.rel = t.oid`;

/** Rules, and triggers that may act, which an INSERT into these tables would run. What only fills in a column passes. */
async function hiddenActs(client: Client, oids: readonly number[]): Promise<readonly Act[]> {
  if (oids.length === 0) return [];
  const found = await client.query(HIDDEN, [oids]);
  const functions = (row: Record<string, unknown>) => (Array.isArray(row.fns) ? row.fns.map(Number) : []);
  const acting = await actingFunctions(client, found.rows.flatMap(functions));
  return found.rows
    .filter((row) => row.fns === null || functions(row).some((oid) => acting.has(oid)))
    .map((row) => ({ verb: "INSERT", table: String(row.name), via: String(row.via) }));
}

/** The same question before anything runs, for the tables that the judge could name. */
export async function hiddenActsOf(client: Client, tables: readonly string[]): Promise<readonly Act[]> {
  const oids: number[] = [];
  for (const table of tables) {
    const name = exactParts(table)
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join(".");
    const found = await client.query(
      "SELECT pg_catalog.to_regclass($1)::pg_catalog.oid::pg_catalog.int8::pg_catalog.text AS oid",
      [name],
    );
    if (found.rows[0]?.oid) oids.push(Number(found.rows[0].oid));
  }
  return hiddenActs(client, oids);
}
