/** Runs statements on one SQLite file under an intent. Runs in the SQLite process, because a statement blocks its thread and cannot be interrupted. */
import { existsSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { collectRows, type RowCollector } from "./cells";
import type { QueryResult, StatementReport } from "./database";
import type { Act, Intent } from "./intent";
import {
  type Authorizer,
  beyondIntent,
  createAuthorizer,
  RefusedByAuthorizer,
  type Seen,
} from "./sqliteAuthorizer";
import { schemaActs, triggerActs } from "./sqliteSchema";

export interface SqliteEngine {
  query(sql: string, intent: Intent): QueryResult;
  /** A connection of our own on the same database, on which nothing is judged. */
  connect(): Connection;
  /** Opens a transaction, creates the table where `create` says so, and judges the insert that `run` repeats. */
  beginLoad(load: LoadStatements): EngineLoad;
}

export interface Connection {
  readonly db: DatabaseSync;
  close(): void;
}

export interface LoadStatements {
  readonly create: string | null;
  readonly insert: string;
  readonly intent: Intent;
}

export interface EngineLoad {
  run(row: readonly (string | number | null)[]): void;
  end(word: "COMMIT" | "ROLLBACK"): void;
}

export interface SqliteEngineOptions {
  readonly file: string;
  readonly maxRows: number;
}

const BUSY_MS = 5_000;
/** Statements that SQLite refuses inside a transaction. */
const ALONE = new Set(["VACUUM", "ATTACH", "DETACH", "PRAGMA"]);

export function createSqliteEngine(options: SqliteEngineOptions): SqliteEngine {
  const memory = options.file === ":memory:" ? new DatabaseSync(":memory:") : undefined;

  function connect(readOnly: boolean): Connection {
    // Reading makes no file: what is missing reads as an empty database.
    const file = readOnly && !existsSync(options.file) ? ":memory:" : options.file;
    const db = memory ?? new DatabaseSync(file, { readOnly, timeout: BUSY_MS });
    db.exec(`PRAGMA trusted_schema = OFF; PRAGMA query_only = ${readOnly ? "ON" : "OFF"}`);
    return { db, close: () => (memory === undefined ? db.close() : undefined) };
  }

  return {
    connect: () => connect(false),
    beginLoad: (load) => beginLoad(connect(false), load),
    query(sql, intent) {
      // A connection per call: no temporary trigger or attached file of one call waits for the next.
      const { db, close } = connect(intent.kind === "read");
      const authorizer = createAuthorizer(intent);
      const canAuthorize = typeof db.setAuthorizer === "function";
      if (canAuthorize) db.setAuthorizer(authorizer.callback);
      try {
        return runAll({ db, authorizer, intent, canAuthorize, maxRows: options.maxRows }, sql);
      } finally {
        if (canAuthorize) db.setAuthorizer(null);
        close();
      }
    },
  };
}

function beginLoad({ db, close }: Connection, { create, insert, intent }: LoadStatements): EngineLoad {
  const authorizer = createAuthorizer(intent);
  const canAuthorize = typeof db.setAuthorizer === "function";
  const end = (word: "COMMIT" | "ROLLBACK") => {
    if (db.isTransaction) db.exec(word);
    if (canAuthorize) db.setAuthorizer(null);
    close();
  };
  try {
    db.exec("BEGIN IMMEDIATE");
    if (create !== null) db.exec(create);
    if (canAuthorize) db.setAuthorizer(authorizer.callback);
    const compiled = compileFirst({ db, authorizer, intent, canAuthorize, maxRows: 0 }, insert);
    if (compiled === null) throw new Error("There is nothing to insert.");
    return { run: (row) => void compiled.statement.run(...row), end };
  } catch (error) {
    end("ROLLBACK");
    throw error;
  }
}

interface Run {
  readonly db: DatabaseSync;
  readonly authorizer: Authorizer;
  readonly intent: Intent;
  readonly canAuthorize: boolean;
  readonly maxRows: number;
}

function runAll(run: Run, sql: string): QueryResult {
  const { db, intent } = run;
  if (sql.includes("\0")) throw new Error("The statement holds a NUL character.");
  const wrapped = !(intent.kind === "approved" && intent.acts.some((act) => ALONE.has(act.verb)));
  const reports: StatementReport[] = [];
  let last: { columns: readonly string[]; rows: RowCollector } | undefined;
  if (wrapped) db.exec(intent.kind === "read" ? "BEGIN" : "BEGIN IMMEDIATE");
  try {
    let rest = sql;
    for (;;) {
      const compiled = compileFirst(run, rest);
      if (compiled === null) break;
      rest = rest.slice(compiled.length);
      const outcome = runOne(run, compiled, wrapped);
      reports.push(outcome.report);
      if (outcome.columns.length > 0) last = outcome;
    }
    if (db.isTransaction) db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
  return {
    columns: last?.columns ?? [],
    rows: last?.rows.rows ?? [],
    rowCount: last?.rows.rows.length ?? 0,
    truncated: last?.rows.truncated ?? false,
    changes: reports.reduce((sum, report) => sum + report.changes, 0),
    statements: reports,
  };
}

interface Compiled {
  readonly statement: StatementSync;
  readonly text: string;
  readonly length: number;
  readonly seen: Seen;
}

/** SQLite itself says where the first statement ends. null = nothing but blanks and comments is left. */
function compileFirst(run: Run, rest: string): Compiled | null {
  let compiled: { value: StatementSync; seen: Seen };
  connectModules(run.db);
  try {
    compiled = run.authorizer.compile(() => run.db.prepare(rest));
  } catch (error) {
    if (isCode(error, "ERR_INVALID_ARG_VALUE")) return null;
    throw error;
  }
  const text = compiled.value.sourceSQL;
  // EXPLAIN compiles what it explains and runs none of it.
  const does = commandOf(text) === "EXPLAIN" ? { ...compiled.seen, acts: [] } : compiled.seen;
  const acts = [...beyondIntent(run.intent, does), ...schemaChecks(run, does, text)];
  if (acts.length > 0) throw new RefusedByAuthorizer(acts);
  return { statement: compiled.value, text, length: text.length, seen: compiled.seen };
}

/** A virtual table compiles statements of its own when it is first met: here, so that they are not taken for the text's. */
function connectModules(db: DatabaseSync): void {
  const all = "SELECT sql FROM sqlite_schema UNION ALL SELECT sql FROM sqlite_temp_schema";
  const some = db.prepare(`SELECT 1 AS n FROM (${all}) WHERE sql LIKE 'create virtual%' LIMIT 1`).get();
  if (some !== undefined) db.prepare("SELECT count(*) AS n FROM pragma_table_list").get();
}

function schemaChecks(run: Run, seen: Seen, text: string): readonly Act[] {
  if (run.intent.kind === "read") return [];
  return run.canAuthorize
    ? schemaActs({ db: run.db, intent: run.intent, acts: seen.acts, text })
    : triggerActs(run.db, run.intent);
}

function runOne(run: Run, compiled: Compiled, wrapped: boolean) {
  const { statement, seen, text } = compiled;
  const command = commandOf(text);
  const rows = collectRows(run.maxRows);
  const control = seen.transaction ?? (run.canAuthorize ? undefined : transactionWord(text));
  if (control !== undefined && wrapped) {
    if (control === "ROLLBACK") run.db.exec("ROLLBACK; BEGIN");
    const note =
      control === "ROLLBACK" ? "what came before was undone" : "all statements run in one transaction";
    return { columns: [], rows, report: { command, rows: 0, changes: 0, note } };
  }
  const before = totalChanges(run.db);
  const shadows = run.intent.kind === "read" ? new Set<string>() : shadowTables(run.db);
  const columns = run.authorizer.run({ seen, shadows }, () =>
    readRows(statement, { rows, toEnd: run.intent.kind !== "read" }),
  );
  // The total tells whether rows changed at all; the last count leaves out what triggers and shadow tables added.
  const counts = command !== "CREATE VIRTUAL" && totalChanges(run.db) > before;
  const changes = counts ? countOf(run.db, "changes()") : 0;
  return { columns, rows, report: { command, rows: rows.rows.length, changes } };
}

function readRows(
  statement: StatementSync,
  options: { readonly rows: RowCollector; readonly toEnd: boolean },
): readonly string[] {
  const columns = statement.columns().map((column) => column.name);
  statement.setReadBigInts(true);
  // Arrays keep columns of the same name apart; runtimes before Node 24 give objects alone.
  statement.setReturnArrays?.(true);
  if (columns.length === 0) {
    statement.run();
    return columns;
  }
  for (const row of statement.iterate()) {
    const more = options.rows.add(Array.isArray(row) ? row : Object.values(row));
    if (!more && !options.toEnd) break;
  }
  return columns;
}

function totalChanges(db: DatabaseSync): number {
  return countOf(db, "total_changes()");
}

function countOf(db: DatabaseSync, expression: "changes()" | "total_changes()"): number {
  const row = db.prepare(`SELECT ${expression} AS n`).get();
  return Number(row?.n ?? 0);
}

function shadowTables(db: DatabaseSync): ReadonlySet<string> {
  const rows = db.prepare("SELECT name FROM pragma_table_list WHERE type = 'shadow'").all();
  return new Set(rows.map((row) => String(row.name)));
}

/** Leading words without comments: "CREATE TABLE", "SELECT". */
export function commandOf(text: string): string {
  const bare = text.replace(/--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, " ");
  const words = bare.match(/[A-Za-z_]+/g) ?? [];
  const first = words[0]?.toUpperCase() ?? "";
  return ["CREATE", "DROP", "ALTER"].includes(first)
    ? `${first} ${words[1]?.toUpperCase() ?? ""}`.trim()
    : first;
}

function transactionWord(text: string): string | undefined {
  const word = commandOf(text);
  if (word === "ROLLBACK" && /\bTO\b/i.test(text)) return undefined;
  return ["BEGIN", "COMMIT", "END", "ROLLBACK"].includes(word) ? word : undefined;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
