/** Follows what a MariaDB or MySQL statement names, through views and stored functions, to one that may act: what these do to files, settings and tables without transactions no READ ONLY stops and no rollback undoes. */
import type { Connection } from "mysql2";
import { classifySql } from "../../core/sql/classify";
import { judgeFunction } from "../../core/sql/functions";
import { type Act, covers, type Intent } from "./intent";
import { askMysql } from "./mysqlConnection";
import { type SqlNames, sqlNames } from "./sqlNames";

interface Routine {
  readonly name: string;
  /** null = a definition that this account may not see. */
  readonly body: string | null;
  readonly isPackage: boolean;
}

interface View {
  readonly schema: string;
  readonly name: string;
}

/** What the catalogue holds, read once per call. */
export interface Reach {
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  readonly views: ReadonlyMap<string, readonly View[]>;
}

/** Called by a text that may run: they wait, lock or read, and leave nothing behind. */
const LEAVES_NOTHING =
  /^(?:sleep|benchmark|get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock|load_file)$/;

const MAX_ROUNDS = 24;
const MAX_OBJECTS = 2000;

export async function readReach(connection: Connection): Promise<Reach> {
  const routines = await askMysql(
    connection,
    `SELECT ROUTINE_NAME AS name, ROUTINE_DEFINITION AS body, ROUTINE_TYPE AS kind FROM information_schema.ROUTINES
      WHERE ROUTINE_TYPE IN ('FUNCTION', 'PACKAGE BODY') AND ROUTINE_SCHEMA NOT IN ('sys', 'mysql')`,
  );
  const views = await askMysql(
    connection,
    `SELECT TABLE_SCHEMA AS s, TABLE_NAME AS name FROM information_schema.TABLES
      WHERE TABLE_TYPE = 'VIEW' AND TABLE_SCHEMA NOT IN ('sys', 'mysql', 'information_schema', 'performance_schema')`,
  );
  return {
    routines: byName(
      routines.map(
        (row): Routine => ({
          name: String(row.name),
          body: row.body === null || row.body === "" ? null : String(row.body),
          isPackage: row.kind === "PACKAGE BODY",
        }),
      ),
    ),
    views: byName(views.map((row): View => ({ schema: String(row.s), name: String(row.name) }))),
  };
}

function byName<T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const one of list) {
    const key = one.name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return found;
}

interface Step {
  readonly text: SqlNames;
  /** What the statement names and leads here; absent = the statement itself. */
  readonly via?: string;
}

/** Functions that may act and that the statement reaches without the judge having seen them. Asked before it runs. */
export async function reachedActs(
  connection: Connection,
  {
    statement,
    reach,
    intent,
  }: { readonly statement: string; readonly reach: Reach; readonly intent: Intent },
): Promise<readonly Act[]> {
  const seen = new Set<string>();
  const acts: Act[] = [];
  const own = sqlNames(statement, "mysql");
  // Where nothing but reading will do, an approval does not count: the judge's doubt does.
  if (intent.kind === "read" && doubtsFunction(statement)) {
    const loud = await loudBuiltIn(connection, own, { routines: reach.routines, hidden: "acts" });
    if (loud !== null && !LEAVES_NOTHING.test(loud)) acts.push(call(loud, undefined));
  }
  let steps: Step[] = [{ text: own }];
  for (let round = 0; steps.length > 0; round += 1) {
    if (round > MAX_ROUNDS || seen.size > MAX_OBJECTS) {
      acts.push({ verb: "CALL", table: null, via: "more than can be followed" });
      break;
    }
    const next: Step[] = [];
    for (const step of steps) {
      for (const routine of routinesIn(step, reach)) {
        const key = `routine ${routine.name}`;
        // A person has read the statement's own calls, where the judge does not take them for the engine's.
        const shown = step.via === undefined && intent.kind === "approved" && !seemsBuiltIn(routine.name);
        if (shown || seen.has(key)) continue;
        seen.add(key);
        const inner = routine.body === null ? null : sqlNames(routine.body, "mysql");
        if (inner === null || actsItself(inner)) acts.push(call(routine.name, step.via));
        else next.push({ text: inner, via: step.via ?? `function ${routine.name}` });
      }
      for (const view of named(step.text.names, reach.views)) {
        const key = `view ${view.schema}.${view.name}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const via = step.via ?? `view ${view.name}`;
        const body = await definitionOf(connection, view);
        const inner = body === null ? null : sqlNames(body, "mysql");
        const loud =
          inner === null
            ? "a hidden definition"
            : await loudBuiltIn(connection, inner, { routines: reach.routines, hidden: "passes" });
        if (loud !== null) acts.push(call(loud, via));
        if (inner !== null) next.push({ text: inner, via });
      }
    }
    steps = next;
  }
  const once = new Map(acts.map((act) => [JSON.stringify(act), act]));
  return [...once.values()].filter((act) => !covers(intent, act));
}

function doubtsFunction(statement: string): boolean {
  return classifySql(statement, { dialect: "mysql" }).statements.some(({ rule }) => rule === "function");
}

function call(table: string, via: string | undefined): Act {
  return { verb: "CALL", table, ...(via === undefined ? {} : { via }) };
}

function routinesIn({ text }: Step, { routines }: Reach): readonly Routine[] {
  const packages = named(text.names, routines).filter(({ isPackage }) => isPackage);
  return [...named(text.bracketed, routines), ...packages];
}

function named<T>(names: ReadonlySet<string>, among: ReadonlyMap<string, readonly T[]>): readonly T[] {
  const keys = new Set([...names].map((name) => name.toLowerCase()));
  return [...keys].flatMap((key) => among.get(key) ?? []);
}

function seemsBuiltIn(name: string): boolean {
  const verdict = judgeFunction(name, "mysql");
  return verdict === "computes" || verdict === "keyword";
}

/** Whether a routine's or trigger's body does more than compute, by its words. */
export function actsItself(body: SqlNames): boolean {
  return body.acting !== null || [...body.bracketed].some((name) => judgeFunction(name, "mysql") === "acts");
}

async function definitionOf(connection: Connection, view: View): Promise<string | null> {
  const rows = await askMysql(
    connection,
    "SELECT VIEW_DEFINITION AS body FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
    [view.schema, view.name],
  );
  const body = String(rows[0]?.body ?? "");
  return body === "" ? null : body;
}

interface Loaded {
  readonly routines: Reach["routines"];
  /** What a name is taken for where this account may not read the list of loaded functions: it could be a CTE's as well. */
  readonly hidden: "acts" | "passes";
}

/** A function that is no stored one: built in and acting, or loaded from a library. */
async function loudBuiltIn(
  connection: Connection,
  { bracketed }: SqlNames,
  { routines, hidden }: Loaded,
): Promise<string | null> {
  const strange: string[] = [];
  for (const name of bracketed) {
    if (routines.has(name.toLowerCase())) continue;
    const verdict = judgeFunction(name, "mysql");
    if (verdict === "acts") return name;
    if (verdict === "unknown") strange.push(name);
  }
  if (strange.length === 0) return null;
  const loaded = await askMysql(connection, "SELECT name FROM mysql.func WHERE name IN (?)", [strange]).catch(
    () => (hidden === "acts" ? [{ name: strange[0] }] : []),
  );
  return loaded[0] === undefined ? null : String(loaded[0].name);
}

/** Tables without transactions that an approved statement's own functions name: what they lose there nobody can undo. */
export async function unrecoverable(
  connection: Connection,
  {
    statement,
    reach,
    intent,
  }: { readonly statement: string; readonly reach: Reach; readonly intent: Intent },
): Promise<readonly Act[]> {
  if (intent.kind !== "approved") return [];
  const acts: Act[] = [];
  const seen = new Set<string>();
  let steps = routinesIn({ text: sqlNames(statement, "mysql") }, reach).map((routine) => ({
    routine,
    top: routine.name,
  }));
  while (steps.length > 0 && seen.size < MAX_OBJECTS) {
    const fresh = steps.filter(({ routine }) => !seen.has(routine.name));
    steps = [];
    for (const { routine, top } of fresh) {
      seen.add(routine.name);
      if (routine.body === null) continue;
      const text = sqlNames(routine.body, "mysql");
      if (text.acting !== null)
        for (const table of await withoutTransactions(connection, text))
          acts.push({ verb: "CALL", table: top, via: `table ${table}, where nothing can be undone` });
      steps.push(...routinesIn({ text }, reach).map((inner) => ({ routine: inner, top })));
    }
  }
  return acts.filter((act) => !covers(intent, act));
}

async function withoutTransactions(connection: Connection, { names }: SqlNames): Promise<readonly string[]> {
  const rows = await askMysql(
    connection,
    `SELECT t.TABLE_NAME AS name FROM information_schema.TABLES t JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
      WHERE t.TABLE_TYPE = 'BASE TABLE' AND COALESCE(e.TRANSACTIONS, 'NO') <> 'YES' AND LOWER(t.TABLE_NAME) IN (?)
        AND t.TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`,
    [[...names].map((name) => name.toLowerCase())],
  );
  return rows.map((row) => String(row.name));
}
