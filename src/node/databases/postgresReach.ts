/** Follows what a PostgreSQL statement names, through views, rules, policies and functions, to a function that may act. Reads the catalogue alone; runs nothing of it. */
import type { Client } from "pg";
import { judgeFunction } from "../../core/sql/functions";
import { type Act, covers, type Intent } from "./intent";
import { type SqlNames, sqlNames } from "./sqlNames";

interface Node {
  readonly kind: "rel" | "fn";
  readonly oid: number;
  /** What the statement names and leads here; absent = the statement calls it itself. */
  readonly via?: string;
}

/** More than this is not followed, and asked for. */
const MAX_OBJECTS = 3000;
const MAX_ROUNDS = 24;

const RELATION = `CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN pg_catalog.quote_ident(c.relname)
  ELSE pg_catalog.concat(c.relnamespace::pg_catalog.regnamespace, '.', pg_catalog.quote_ident(c.relname)) END`;
const ROUTINE = `CASE WHEN pg_catalog.pg_function_is_visible(p.oid) THEN pg_catalog.quote_ident(p.proname)
  ELSE pg_catalog.concat(p.pronamespace::pg_catalog.regnamespace, '.', pg_catalog.quote_ident(p.proname)) END`;

const NAMED = `
SELECT 'rel' AS kind, c.oid::pg_catalog.int8::pg_catalog.text AS oid,
       pg_catalog.concat(CASE c.relkind WHEN 'v' THEN 'view ' ELSE 'table ' END, ${RELATION}) AS name
  FROM pg_catalog.pg_class c WHERE c.relname = ANY ($1::pg_catalog.name[]) AND c.oid >= 16384 AND c.relkind IN ('r', 'p', 'v', 'f', 'm')
UNION ALL
SELECT 'fn', p.oid::pg_catalog.int8::pg_catalog.text, NULL FROM pg_catalog.pg_proc p
 WHERE (p.proname = ANY ($2::pg_catalog.name[]) AND p.oid >= 16384) OR (p.proname = ANY ($3::pg_catalog.name[]) AND p.oid < 16384 AND p.provolatile = 'v')
UNION ALL
SELECT 'fn', o.oprcode::pg_catalog.oid::pg_catalog.int8::pg_catalog.text, pg_catalog.concat('operator ', o.oprname) FROM pg_catalog.pg_operator o
 WHERE o.oprname = ANY ($4::pg_catalog.name[]) AND o.oid >= 16384 AND o.oprcode::pg_catalog.oid >= 16384
UNION ALL
SELECT 'fn', k.castfunc::pg_catalog.int8::pg_catalog.text, pg_catalog.concat('cast to ', t.typname) FROM pg_catalog.pg_cast k JOIN pg_catalog.pg_type t ON t.oid = k.casttarget
 WHERE k.castfunc >= 16384 AND (k.castcontext <> 'e' OR t.typname = ANY ($1::pg_catalog.name[]))
UNION ALL
SELECT 'fn', d.refobjid::pg_catalog.int8::pg_catalog.text, pg_catalog.concat('domain ', t.typname) FROM pg_catalog.pg_type t
  JOIN pg_catalog.pg_constraint k ON k.contypid = t.oid
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d.objid = k.oid AND d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
 WHERE t.typname = ANY ($1::pg_catalog.name[])`;

/** What runs when one of these relations is read, or, with $2, written. The stored trees name the built-in functions, which pg_depend leaves out. */
const FROM_RELATIONS = `
WITH r AS (
  SELECT c.oid, c.relkind, c.relrowsecurity FROM pg_catalog.pg_class c WHERE c.oid = ANY ($1::pg_catalog.oid[]) AND c.oid >= 16384
), part AS (
  SELECT r.oid AS rel, w.tableoid AS classid, w.oid AS objid, pg_catalog.concat(w.ev_action, w.ev_qual) AS tree
    FROM r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid
   WHERE (w.rulename = '_RETURN' AND (r.relkind = 'v' OR $3)) OR (w.rulename <> '_RETURN' AND $2)
  UNION ALL
  SELECT r.oid, y.tableoid, y.oid, pg_catalog.concat(y.polqual, y.polwithcheck)
    FROM r JOIN pg_catalog.pg_policy y ON y.polrelid = r.oid WHERE r.relrowsecurity
  UNION ALL
  SELECT r.oid, a.tableoid, a.oid, a.adbin::pg_catalog.text FROM r JOIN pg_catalog.pg_attrdef a ON a.adrelid = r.oid WHERE $2
  UNION ALL
  SELECT r.oid, k.tableoid, k.oid, k.conbin::pg_catalog.text FROM r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid AND k.contype = 'c' WHERE $2
  UNION ALL
  SELECT r.oid, k.tableoid, k.oid, k.conbin::pg_catalog.text FROM r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0
    JOIN pg_catalog.pg_constraint k ON k.contypid = a.atttypid AND k.contypid <> 0 WHERE $2
  UNION ALL
  SELECT r.oid, 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, x.indexrelid, pg_catalog.concat(x.indexprs, x.indpred)
    FROM r JOIN pg_catalog.pg_index x ON x.indrelid = r.oid WHERE $2
)
SELECT part.rel::pg_catalog.int8::pg_catalog.text AS rel, CASE WHEN d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass THEN 'rel' ELSE 'fn' END AS kind,
       d.refobjid::pg_catalog.int8::pg_catalog.text AS oid
  FROM part JOIN pg_catalog.pg_depend d ON d.classid = part.classid AND d.objid = part.objid
 WHERE d.refclassid IN ('pg_catalog.pg_class'::pg_catalog.regclass, 'pg_catalog.pg_proc'::pg_catalog.regclass) AND d.refobjid <> part.rel
UNION
SELECT part.rel::pg_catalog.int8::pg_catalog.text, 'fn', o.oprcode::pg_catalog.oid::pg_catalog.int8::pg_catalog.text
  FROM part JOIN pg_catalog.pg_depend d ON d.classid = part.classid AND d.objid = part.objid AND d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
  JOIN pg_catalog.pg_operator o ON o.oid = d.refobjid
UNION
SELECT part.rel::pg_catalog.int8::pg_catalog.text, 'fn', d2.refobjid::pg_catalog.int8::pg_catalog.text
  FROM part JOIN pg_catalog.pg_depend d ON d.classid = part.classid AND d.objid = part.objid AND d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass
  JOIN pg_catalog.pg_constraint k ON k.contypid = d.refobjid
  JOIN pg_catalog.pg_depend d2 ON d2.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND d2.objid = k.oid AND d2.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
UNION
SELECT part.rel::pg_catalog.int8::pg_catalog.text, 'fn', m[1] FROM part, pg_catalog.regexp_matches(part.tree, ':(?:funcid|aggfnoid|winfnoid|tsmhandler) ([0-9]+)', 'g') AS m
UNION
SELECT r.oid::pg_catalog.int8::pg_catalog.text, 'rel', i.inhrelid::pg_catalog.int8::pg_catalog.text FROM r JOIN pg_catalog.pg_inherits i ON i.inhparent = r.oid
UNION
SELECT r.oid::pg_catalog.int8::pg_catalog.text, 'program', '0' FROM r JOIN pg_catalog.pg_foreign_table f ON f.ftrelid = r.oid
 WHERE EXISTS (SELECT FROM pg_catalog.unnest(f.ftoptions) AS o WHERE o LIKE 'program=%')`;

const ROUTINES = `
SELECT p.oid::pg_catalog.int8::pg_catalog.text AS oid, ${ROUTINE} AS name, p.proname AS bare, l.lanname AS language, p.prosrc AS body,
       p.provolatile AS volatility, p.prokind AS kind, pg_catalog.to_jsonb(p) ->> 'prosqlbody' AS tree,
       ARRAY(SELECT f::pg_catalog.int8::pg_catalog.text FROM pg_catalog.pg_aggregate a,
               pg_catalog.unnest(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn]::pg_catalog.oid[]) AS f
              WHERE a.aggfnoid = p.oid AND f <> 0) AS parts,
       ARRAY(SELECT pg_catalog.concat(CASE WHEN d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass THEN 'rel' ELSE 'fn' END, ' ', d.refobjid::pg_catalog.int8) FROM pg_catalog.pg_depend d
              WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid
                AND d.refclassid IN ('pg_catalog.pg_class'::pg_catalog.regclass, 'pg_catalog.pg_proc'::pg_catalog.regclass)) AS refs
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE p.oid = ANY ($1::pg_catalog.oid[])`;

/** An event trigger runs beside CREATE, ALTER and DROP. */
const EVENTS = `SELECT e.evtname AS name, e.evtfoid::pg_catalog.int8::pg_catalog.text AS oid FROM pg_catalog.pg_event_trigger e WHERE e.evtenabled <> 'D'`;

/** Functions that may act and that the statement reaches without the judge having seen them. Asked before it runs. */
export async function reachedActs(client: Client, statement: string, intent: Intent): Promise<readonly Act[]> {
  const text = sqlNames(statement, "postgres");
  if (/u&"/i.test(statement) && text.names.has("uescape")) return beyond(intent, [{ verb: "CALL", table: null, via: "a name with UESCAPE" }]);
  const start = await named(client, text, { via: undefined, intent });
  if (intent.kind !== "read" && /^\s*(?:create|alter|drop|comment|grant|revoke|refresh|reindex|security|import)\b/i.test(statement))
    for (const row of (await client.query(EVENTS)).rows)
      start.push({ kind: "fn", oid: Number(row.oid), via: `event trigger ${String(row.name)}` });
  if (start.length === 0) return [];
  return beyond(intent, await follow(client, start, { intent, refreshes: text.names.has("refresh") }));
}

function beyond(intent: Intent, acts: readonly Act[]): readonly Act[] {
  const once = new Map(acts.map((act) => [JSON.stringify(act), act]));
  return [...once.values()].filter((act) => !covers(intent, act));
}

interface Names {
  readonly via: string | undefined;
  readonly intent: Intent;
}

async function named(client: Client, text: SqlNames, { via, intent }: Names): Promise<Node[]> {
  const list = (set: ReadonlySet<string>) => [...set].filter((name) => !name.includes("\0"));
  // What a person approved named its functions, where the judge does not take them for the engine's own.
  const seen = (name: string) =>
    via === undefined && intent.kind === "approved" && text.bracketed.has(name) && judgeFunction(name, "postgres") !== "computes";
  const builtin = via === undefined && intent.kind === "approved" ? [] : list(text.bracketed);
  const found = await client.query(NAMED, [
    list(text.names),
    list(text.called).filter((name) => !seen(name)),
    builtin,
    list(text.operators),
  ]);
  return found.rows.map((row): Node => {
    const by = via ?? (row.name === null ? undefined : String(row.name));
    return { kind: row.kind === "rel" ? "rel" : "fn", oid: Number(row.oid), ...(by === undefined ? {} : { via: by }) };
  });
}

interface Walk {
  readonly intent: Intent;
  readonly refreshes: boolean;
}

async function follow(client: Client, start: readonly Node[], { intent, refreshes }: Walk): Promise<readonly Act[]> {
  const seen = new Map<string, Node>();
  const acts: Act[] = [];
  let fresh = take(seen, start);
  for (let round = 0; fresh.length > 0; round += 1) {
    if (round >= MAX_ROUNDS || seen.size > MAX_OBJECTS) return [...acts, { verb: "CALL", table: null, via: "more than can be followed" }];
    const relations = fresh.filter(({ kind }) => kind === "rel");
    const functions = fresh.filter(({ kind }) => kind === "fn");
    const next: Node[] = [];
    if (relations.length > 0) {
      // Only what the statement itself names is written.
      const writes = intent.kind !== "read" && round === 0;
      const rows = (await client.query(FROM_RELATIONS, [relations.map(({ oid }) => oid), writes, refreshes])).rows;
      for (const row of rows) {
        const { via = "" } = seen.get(`rel ${row.rel}`) ?? {};
        if (row.kind === "program") acts.push({ verb: "CALL", table: null, via: `${via}, whose rows a program writes` });
        else next.push({ kind: row.kind === "rel" ? "rel" : "fn", oid: Number(row.oid), via });
      }
    }
    if (functions.length > 0) {
      for (const row of (await client.query(ROUTINES, [functions.map(({ oid }) => oid)])).rows) {
        const { via } = seen.get(`fn ${row.oid}`) ?? {};
        const inner = await insideOf(client, row, { via: via ?? `function ${String(row.name)}`, intent });
        if (inner === "acts") acts.push({ verb: "CALL", table: String(row.name), ...(via === undefined ? {} : { via }) });
        else next.push(...inner);
      }
    }
    fresh = take(seen, next);
  }
  return acts;
}

function take(seen: Map<string, Node>, nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => {
    const key = `${node.kind} ${node.oid}`;
    if (seen.has(key)) return false;
    seen.set(key, node);
    return true;
  });
}

interface Inside {
  readonly via: string;
  readonly intent: Intent;
}

/** What a function may go on to, or that it acts itself. Its own word for being stable is not taken: it may call what is not. */
async function insideOf(client: Client, row: Record<string, unknown>, { via, intent }: Inside): Promise<readonly Node[] | "acts"> {
  const verdict = judgeFunction(String(row.bare), "postgres");
  const volatile = row.volatility === "v";
  const refs = [...texts(row.parts).map((oid) => `fn ${oid}`), ...texts(row.refs)].map((one): Node => {
    const [kind = "", oid = ""] = one.split(" ");
    return { kind: kind === "rel" ? "rel" : "fn", oid: Number(oid), via };
  });
  if (row.kind === "a") return refs;
  switch (row.language) {
    case "internal":
    case "c":
      return volatile && verdict !== "computes" && verdict !== "keyword" ? "acts" : [];
    case "sql":
    case "plpgsql": {
      if (typeof row.tree === "string") return sqlBody(row.tree, refs, via);
      // The system's own SQL functions, such as those of information_schema.
      if (Number(row.oid) < 16_384) return volatile && verdict === "acts" ? "acts" : [];
      const body = sqlNames(String(row.body), "postgres");
      const makesTable = row.language === "sql" && body.names.has("into");
      if (body.acting !== null || makesTable) return "acts";
      return [...refs, ...(await named(client, body, { via, intent }))];
    }
    default:
      return "acts";
  }
}

/** A body that the server has stored as a tree: 1 is SELECT. */
function sqlBody(tree: string, refs: readonly Node[], via: string): readonly Node[] | "acts" {
  if (/:commandType [2-9]/.test(tree) || /:utilityStmt \{/.test(tree)) return "acts";
  const called = [...tree.matchAll(/:(?:funcid|aggfnoid|winfnoid|tsmhandler) ([0-9]+)/g)];
  return [...refs, ...called.map(([, oid]): Node => ({ kind: "fn", oid: Number(oid), via }))];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
