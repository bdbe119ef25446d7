import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Database, EngineRefused } from "../../../src/node/databases/database";
import type { Act, Intent } from "../../../src/node/databases/intent";
import { openDatabase } from "../../../src/node/databases/openDatabase";
import { type Engine, startPostgres } from "../../engines/startEngines.mjs";

const read: Intent = { kind: "read" };
const add = (...tables: string[]): Intent => ({ kind: "add", verbs: ["INSERT", "CREATE"], tables });
const approved = (...acts: Act[]): Intent => ({ kind: "approved", acts });

/** What a function may do that no table's lock or counter shows. All of it is undone with the transaction. */
const BUILTIN: Readonly<Record<string, string>> = {
  sets_sequence: "setval",
  makes_large_object: "lo_create",
  drops_large_object: "lo_unlink",
  notifies: "pg_notify",
};
const CATALOGUE: Readonly<Record<string, string>> = {
  grants: "GRANT ALL ON kept TO public",
  revokes: "REVOKE ALL ON kept FROM owner",
  drops_function: "DROP FUNCTION spare()",
  drops_sequence: "DROP SEQUENCE loose_seq",
  drops_index: "DROP INDEX spare_index",
  drops_trigger: "DROP TRIGGER spare_trigger ON kept",
  drops_policy: "DROP POLICY spare_policy ON kept",
  drops_schema: "DROP SCHEMA spare_schema",
  creates_role: "CREATE ROLE spare_role SUPERUSER",
  alters_role: "ALTER ROLE owner SET work_mem = '8MB'",
  alters_type: "ALTER TYPE spare_type RENAME VALUE 'a' TO 'b'",
  alters_database: "ALTER DATABASE postgres SET work_mem = '8MB'",
  changes_owner: "ALTER FUNCTION spare() OWNER TO pg_monitor",
  creates_trigger: "CREATE TRIGGER t BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION tracing()",
  replaces_function: "CREATE OR REPLACE FUNCTION spare() RETURNS int LANGUAGE sql AS 'SELECT 2'",
  deletes_comment: "DELETE FROM pg_description WHERE objoid = 'kept'::regclass",
  comments: "COMMENT ON TABLE kept IS 'x'",
};
/** What acts where no rollback reaches. */
const OUTSIDE: Readonly<Record<string, string>> = {
  sets_sequence: "PERFORM setval('spare_seq', 99)",
  starts_program: "COPY (SELECT 1) TO PROGRAM 'true'",
  makes_large_object: "PERFORM lo_create(0)",
  drops_large_object: "PERFORM lo_unlink(1)",
  notifies: "PERFORM pg_notify('a', 'b')",
  runs_text: "EXECUTE 'SELECT 1'",
};
const ACTING = { ...CATALOGUE, ...OUTSIDE };

const plpgsql = (name: string, body: string, more = "") =>
  `CREATE FUNCTION ${name}() RETURNS int LANGUAGE plpgsql ${more} AS $$BEGIN ${body}; RETURN 1; END$$`;

const SCHEMA = [
  "DROP SCHEMA IF EXISTS app CASCADE; DROP SCHEMA IF EXISTS spare_schema; CREATE SCHEMA app; CREATE SCHEMA spare_schema; SET search_path = app",
  "CREATE TABLE kept (x int); CREATE TABLE ul (x int); INSERT INTO kept VALUES (1); COMMENT ON TABLE kept IS 'first'",
  "CREATE SEQUENCE spare_seq; CREATE SEQUENCE loose_seq; CREATE SEQUENCE used_seq; CREATE TABLE late (x int); CREATE INDEX spare_index ON kept (x); CREATE TYPE spare_type AS ENUM ('a')",
  "CREATE FUNCTION spare() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  "CREATE FUNCTION tracing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
  "CREATE TRIGGER spare_trigger BEFORE UPDATE ON kept FOR EACH ROW EXECUTE FUNCTION tracing()",
  "CREATE POLICY spare_policy ON kept USING (true)",
  ...Object.entries(ACTING).flatMap(([name, body]) => [
    plpgsql(name, body),
    `CREATE VIEW v_${name} AS SELECT ${name}() AS x`,
  ]),
  // Ways on which a function is reached.
  "CREATE VIEW deep AS SELECT x FROM v_grants; CREATE VIEW deeper AS SELECT (SELECT max(x) FROM deep) AS x FROM kept",
  'CREATE VIEW "v""Ä.x" AS SELECT x FROM v_grants',
  plpgsql("liar", "PERFORM grants()", "IMMUTABLE"),
  "CREATE VIEW v_liar AS SELECT liar() AS x",
  plpgsql("reads_view", "PERFORM x FROM v_grants", "STABLE"),
  "CREATE VIEW v_reads_view AS SELECT reads_view() AS x",
  plpgsql("definer", "GRANT ALL ON kept TO public", "SECURITY DEFINER"),
  "CREATE VIEW v_definer AS SELECT definer() AS x",
  "CREATE FUNCTION in_sql() RETURNS bigint LANGUAGE sql AS $$SELECT setval('spare_seq', 99)$$; CREATE VIEW v_in_sql AS SELECT in_sql() AS x",
  "CREATE FUNCTION atomic() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT setval('spare_seq', 99); END; CREATE VIEW v_atomic AS SELECT atomic() AS x",
  "CREATE FUNCTION atomic_delete() RETURNS int LANGUAGE sql BEGIN ATOMIC DELETE FROM kept RETURNING x; END; CREATE VIEW v_atomic_delete AS SELECT atomic_delete() AS x",
  "CREATE VIEW v_builtin AS SELECT lo_create(0) AS x",
  "CREATE FUNCTION op_acts(int, int) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN 1; END'; CREATE OPERATOR @#@ (LEFTARG = int, RIGHTARG = int, FUNCTION = op_acts)",
  "CREATE VIEW v_operator AS SELECT 1 @#@ 2 AS x",
  "CREATE FUNCTION step(int, int) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN 1; END'; CREATE AGGREGATE total(int) (SFUNC = step, STYPE = int)",
  "CREATE VIEW v_aggregate AS SELECT total(x) AS x FROM kept; CREATE VIEW v_window AS SELECT total(x) OVER () AS x FROM kept",
  "CREATE FUNCTION ok(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN true; END'; CREATE DOMAIN checked AS int CHECK (ok(VALUE))",
  "CREATE VIEW v_domain AS SELECT x::checked AS x FROM kept",
  "CREATE TABLE guarded (x int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON guarded USING (ok(x))",
  "CREATE FUNCTION date_trunc() RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN 1; END'",
  "CREATE FUNCTION f_of(kept) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN 1; END'",
  "CREATE TABLE indexed (x int); CREATE FUNCTION key(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN $1; END'; CREATE INDEX ON indexed (key(x))",
  "CREATE TABLE lo_default (x int, y oid DEFAULT lo_create(0)); CREATE TABLE in_domain (x checked)",
  `CREATE FUNCTION ${"n".repeat(70)}() RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); RETURN 1; END'; CREATE VIEW ${"w".repeat(70)} AS SELECT x FROM v_grants`,
  // Quiet ones.
  "CREATE FUNCTION tax(n int) RETURNS numeric LANGUAGE plpgsql AS $$DECLARE r numeric := 0; start int; BEGIN IF n > 1 THEN r := n * 0.2; ELSE SELECT max(x) INTO r FROM app.kept; END IF; FOR start IN 1..3 LOOP r := r + start; END LOOP; RETURN replace(r::text, '.', '.')::numeric; EXCEPTION WHEN others THEN RAISE NOTICE 'DELETE FROM x'; RETURN 0; END$$",
  "CREATE FUNCTION tax_sql(n int) RETURNS numeric LANGUAGE sql AS 'SELECT app.tax(n) + 1'",
  "CREATE FUNCTION tax_atomic(n int) RETURNS numeric LANGUAGE sql BEGIN ATOMIC SELECT tax(n) + 1; END",
  "CREATE VIEW v_quiet AS SELECT x, tax(x) AS t, tax_sql(x) AS s, tax_atomic(x) AS a, now() AS n, random() AS r, gen_random_uuid() AS u, count(*) OVER () AS c, string_agg(x::text, ',') OVER () AS g FROM kept",
  "CREATE FUNCTION small(int) RETURNS boolean LANGUAGE sql AS 'SELECT $1 < 100'; CREATE TABLE plain (id serial, x int CHECK (small(x)), at timestamptz DEFAULT clock_timestamp(), y int GENERATED ALWAYS AS (x * 2) STORED)",
  "CREATE TABLE filled (x int); CREATE TRIGGER fill BEFORE INSERT ON filled FOR EACH ROW WHEN (small(NEW.x)) EXECUTE FUNCTION tracing()",
  "CREATE VIEW over_indexed AS SELECT x FROM indexed",
  "CREATE MATERIALIZED VIEW mat AS SELECT x FROM v_quiet",
  "CREATE TABLE remarks (comment text, start int); CREATE VIEW v_remarks AS SELECT comment, start FROM remarks",
  "CREATE VIEW v_seq AS SELECT nextval('used_seq') AS x",
];

let engine: Engine;
let database: Database;
let strict: Database;
let owner: (...sql: string[]) => Promise<readonly Record<string, unknown>[]>;
beforeAll(async () => {
  engine = await startPostgres();
  const { default: pg } = await import("pg");
  owner = async (...texts) => {
    const client = new pg.Client({ connectionString: engine.url });
    await client.connect();
    let rows: readonly Record<string, unknown>[] = [];
    for (const sql of texts) rows = (await client.query(sql)).rows ?? [];
    await client.end();
    return rows;
  };
  await owner("ALTER ROLE owner SET search_path = app");
  const open = { url: engine.url, dataFolder: "/", maxRows: 100 };
  database = await openDatabase(open);
  strict = await openDatabase({ ...open, readOnly: "yes" });
  await owner(...SCHEMA);
});
afterAll(() => engine?.stop());

const STATE = `SELECT md5(concat(
  (SELECT string_agg(concat(relname, relacl, relowner), ',' ORDER BY oid) FROM pg_class WHERE relnamespace = 'app'::regnamespace),
  (SELECT string_agg(concat(proname, prosrc, proowner, proacl), ',' ORDER BY oid) FROM pg_proc WHERE pronamespace = 'app'::regnamespace),
  (SELECT string_agg(rolname, ',' ORDER BY oid) FROM pg_roles), (SELECT count(*) FROM pg_largeobject_metadata),
  (SELECT string_agg(concat(setconfig), ',') FROM pg_db_role_setting), (SELECT string_agg(nspname, ',' ORDER BY oid) FROM pg_namespace),
  (SELECT string_agg(tgname, ',' ORDER BY oid) FROM pg_trigger), (SELECT count(*) FROM pg_policy),
  (SELECT string_agg(enumlabel, ',' ORDER BY oid) FROM pg_enum), (SELECT string_agg(description, ',') FROM pg_description WHERE objoid > 16384),
  (SELECT string_agg(x::text, ',') FROM app.kept), (SELECT is_called FROM app.spare_seq))) AS state`;
let before: unknown;
beforeEach(async () => {
  before = await owner(STATE);
});

async function refusal(sql: string, intent: Intent): Promise<readonly Act[]> {
  const error: unknown = await database.query(sql, { intent }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof EngineRefused)) throw new Error(`not refused: ${String(error)}`);
  expect(await owner(STATE)).toEqual(before);
  return error.acts;
}

describe("a function behind a view", () => {
  test.each(Object.keys(ACTING))("%s: is asked for before it runs", async (name) => {
    const call = [{ verb: "CALL", table: BUILTIN[name] ?? name, via: `view v_${name}` }];
    expect(await refusal(`SELECT * FROM v_${name}`, read)).toEqual(call);
    expect(await refusal(`INSERT INTO ul(x) SELECT x FROM v_${name}`, add("ul"))).toEqual(call);
    expect(await refusal(`CREATE TABLE n AS SELECT x FROM v_${name}`, add())).toEqual(call);
    const update = approved({ verb: "UPDATE", table: "ul" });
    expect(await refusal(`UPDATE ul SET x = (SELECT x FROM v_${name})`, update)).toEqual(call);
    await expect(strict.query(`SELECT * FROM v_${name}`, { intent: read })).rejects.toThrow(
      /^read_only is on/,
    );
    expect(await owner(STATE)).toEqual(before);
  });

  test.each(Object.keys(CATALOGUE))("%s: its catalogue change is found before it commits", async (name) => {
    const acts = await refusal(`SELECT ${name}()`, approved({ verb: "SELECT", table: null }));
    expect(acts.length).toBeGreaterThan(0);
    expect(acts.every(({ table }) => table?.startsWith("pg_") || table === "kept")).toBe(true);
  });

  test.each([
    ["SELECT * FROM deeper", "grants", "view deeper"],
    ['SELECT * FROM "v""Ä.x"', "grants", 'view "v""Ä.x"'],
    ['SELECT * FROM U&"v_\\0067rants"', "grants", "view v_grants"],
    ["SELECT * FROM ONLY (app . v_grants)", null, null],
    ["TABLE v_grants", "grants", "view v_grants"],
    ["COPY (SELECT * FROM v_grants) TO STDOUT", "grants", "view v_grants"],
    ["EXPLAIN ANALYZE SELECT * FROM v_grants", "grants", "view v_grants"],
    ["SELECT * FROM v_liar", "grants", "view v_liar"],
    ["SELECT * FROM v_reads_view", "grants", "view v_reads_view"],
    ["SELECT * FROM v_definer", "definer", "view v_definer"],
    ["SELECT * FROM v_in_sql", "setval", "view v_in_sql"],
    ["SELECT * FROM v_atomic", "setval", "view v_atomic"],
    ["SELECT * FROM v_atomic_delete", "atomic_delete", "view v_atomic_delete"],
    ["SELECT * FROM v_builtin", "lo_create", "view v_builtin"],
    ["SELECT * FROM v_operator", "grants", "view v_operator"],
    ["SELECT * FROM v_aggregate", "grants", "view v_aggregate"],
    ["SELECT * FROM v_window", "grants", "view v_window"],
    ["SELECT * FROM v_domain", "grants", "view v_domain"],
    ["SELECT * FROM guarded", "grants", "table guarded"],
    ["SELECT date_trunc()", "grants", "function date_trunc"],
    ["SELECT k.f_of FROM kept k", "grants", "function f_of"],
    ["SELECT 1 @#@ 2", "grants", "operator @#@"],
    ["SELECT 1 OPERATOR(app.@#@) 2", "grants", "operator @#@"],
    ["SELECT 1::checked", "grants", "domain checked"],
    [`SELECT * FROM ${"w".repeat(70)}`, "grants", `view ${"w".repeat(63)}`],
    [`SELECT ${"n".repeat(80)}()`, "grants", `function ${"n".repeat(63)}`],
    ["SELECT lo_create(0)", "lo_create", undefined],
    ["SELECT 1; SELECT * FROM v_grants FOR UPDATE", "grants", "view v_grants"],
  ])("a read: %s", async (sql, table, via) => {
    if (table === null) return expect(database.query(sql, { intent: read })).rejects.toThrow();
    expect(await refusal(sql, read)).toEqual([
      { verb: "CALL", table, ...(via === undefined ? {} : { via }) },
    ]);
  });

  test.each([
    ["INSERT INTO indexed VALUES (1)", "grants", "table indexed"],
    ["INSERT INTO over_indexed VALUES (1)", "grants", "view over_indexed"],
    ["INSERT INTO lo_default (x) VALUES (1)", "lo_create", "table lo_default"],
    ["INSERT INTO in_domain VALUES (1)", null, null],
    ["INSERT INTO ul SELECT date_trunc()", "grants", "function date_trunc"],
    ["CREATE INDEX i ON kept (key(x))", "grants", "function key"],
    ["CREATE INDEX CONCURRENTLY i ON kept (key(x))", "grants", "function key"],
  ])("an insert: %s", async (sql, table, via) => {
    const acts = await refusal(sql, add());
    if (table !== null) expect(acts).toEqual([{ verb: "CALL", table, via }]);
  });

  test("an event trigger", async () => {
    await owner(
      "SET search_path = app; CREATE FUNCTION on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM app.grants(); END'",
      "CREATE EVENT TRIGGER watcher ON ddl_command_end EXECUTE FUNCTION on_ddl()",
    );
    before = await owner(STATE);
    try {
      expect(await refusal("CREATE TABLE n (x int)", add())).toEqual([
        { verb: "CALL", table: "grants", via: "event trigger watcher" },
      ]);
    } finally {
      await owner("DROP EVENT TRIGGER watcher; DROP FUNCTION app.on_ddl()");
    }
  });
});

test("what was approved runs", async () => {
  const call = { verb: "CALL", table: "setval", via: "view v_sets_sequence" };
  await database.query("SELECT * FROM v_sets_sequence", {
    intent: approved({ verb: "SELECT", table: null }, call),
  });
  expect(await owner("SELECT last_value::int AS n FROM app.spare_seq")).toEqual([{ n: 99 }]);
  await database.query("SELECT lo_create(0)", { intent: approved({ verb: "CALL", table: null }) });
  const change = { verb: "UPDATE", table: "pg_class" };
  await database.query("SELECT grants()", { intent: approved({ verb: "SELECT", table: null }, change) });
});

describe("runs without a question", () => {
  test.each([
    "SELECT * FROM v_quiet",
    "SELECT * FROM mat",
    "SELECT * FROM v_remarks",
    "SELECT * FROM kept FOR UPDATE",
    "SELECT * FROM kept FOR NO KEY UPDATE SKIP LOCKED",
    "SELECT x FROM kept FOR SHARE; SELECT 1",
    "SELECT nextval('used_seq')",
    "SELECT * FROM v_seq",
    "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace",
    "SELECT table_name FROM information_schema.tables",
    "SELECT * FROM pg_stat_activity",
    "SELECT pg_size_pretty(pg_total_relation_size('kept'))",
  ])("a read: %s", async (sql) => {
    await database.query(sql, { intent: read });
  });

  test.each([
    "INSERT INTO plain (x) SELECT x FROM v_quiet",
    "INSERT INTO plain (x) SELECT nextval('used_seq')",
    "INSERT INTO filled VALUES (1)",
    "INSERT INTO remarks SELECT * FROM v_remarks",
    "CREATE TABLE made (x int, y spare_type)",
  ])("an insert: %s", async (sql) => {
    await database.query(sql, { intent: add() });
  });
});

test("row locks are no way to write", async () => {
  for (const sql of [
    "SELECT * FROM kept FOR UPDATE; DELETE FROM kept",
    "SELECT * FROM kept FOR UPDATE; DROP TABLE late",
  ])
    expect((await refusal(sql, read)).length).toBeGreaterThan(0);
  await expect(strict.query("SELECT * FROM kept FOR UPDATE", { intent: read })).rejects.toThrow(
    /^read_only is on/,
  );
});

test("the account that the README advises", async () => {
  await owner(
    "CREATE ROLE agent LOGIN; GRANT pg_read_all_data TO agent",
    "SET search_path = app; CREATE TABLE shop (x int); INSERT INTO shop VALUES (1)",
    "CREATE FUNCTION app.theirs() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN DELETE FROM app.shop; RETURN 1; END'",
    "CREATE VIEW app.v_theirs AS SELECT app.theirs() AS x",
  );
  expect(
    await owner("SELECT count(*)::int AS n FROM pg_proc WHERE prosecdef AND proname = 'theirs'"),
  ).toEqual([{ n: 1 }]);
  const { default: pg } = await import("pg");
  const agent = new pg.Client({ connectionString: engine.url.replace("owner@", "agent@") });
  await agent.connect();
  try {
    expect((await agent.query("SELECT * FROM app.shop")).rowCount).toBe(1);
    await agent.query("BEGIN READ ONLY; SELECT lo_create(0); ROLLBACK");
    await expect(agent.query("DELETE FROM app.shop")).rejects.toThrow(/permission denied/);
    await owner(
      "REVOKE EXECUTE ON FUNCTION app.theirs() FROM PUBLIC",
      "REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC",
    );
    for (const sql of [
      "SELECT * FROM app.v_theirs",
      "SELECT lo_create(0)",
      "SELECT lo_creat(-1)",
      "SELECT lo_from_bytea(0, 'a')",
    ])
      await expect(agent.query(sql)).rejects.toThrow(/permission denied/);
  } finally {
    await agent.end();
  }
});
