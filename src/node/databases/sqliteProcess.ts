/** Entry of the SQLite process: answers one request after the other. Knows nothing of the editor. */
import type { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { RefusedByAuthorizer } from "./sqliteAuthorizer";
import { createSqliteEngine, type EngineLoad, type SqliteEngine } from "./sqliteEngine";
import type {
  OwnRow,
  OwnStatement,
  SqliteReply,
  SqliteRequest,
  SqliteStart,
  SqliteValue,
} from "./sqliteMessages";

function serve(start: SqliteStart): (request: SqliteRequest) => SqliteValue {
  const engine = createSqliteEngine(start);
  let load: EngineLoad | undefined;
  return (request) => {
    switch (request.op) {
      case "query":
        return engine.query(request.sql, request.intent);
      case "columns":
        return withConnection(engine, (db) => columnsOf(db, request.table));
      case "own":
        return withConnection(engine, (db) => runOwn(db, request.statements));
      case "load.begin":
        load = engine.beginLoad(request);
        return null;
      case "load.rows":
        if (load === undefined) throw new Error("No import is open.");
        for (const row of request.rows) load.run(row);
        return null;
      case "load.end":
        load?.end(request.word);
        load = undefined;
        return null;
    }
  };
}

function withConnection<T>(engine: SqliteEngine, work: (db: DatabaseSync) => T): T {
  const { db, close } = engine.connect();
  try {
    return work(db);
  } finally {
    close();
  }
}

function columnsOf(db: DatabaseSync, table: string): readonly string[] | null {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return rows.length === 0 ? null : rows.map((row) => String(row.name));
}

function runOwn(db: DatabaseSync, statements: readonly OwnStatement[]): readonly (readonly OwnRow[])[] {
  db.exec("BEGIN IMMEDIATE");
  try {
    const results = statements.map(({ sql, params }) => db.prepare(sql).all(...(params ?? [])) as OwnRow[]);
    db.exec("COMMIT");
    return results;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** A long statement blocks this thread, so another one notices that the parent is gone. */
function dieWithParent(): void {
  const watch = `const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, 1000);`;
  new Worker(watch, { eval: true, execArgv: [] }).unref();
  process.on("disconnect", () => process.exit(0));
}

function main(): void {
  dieWithParent();
  const handle = serve(JSON.parse(process.argv[2] ?? "{}") as SqliteStart);
  process.on("message", (message: SqliteRequest & { readonly id: number }) => {
    const { id } = message;
    let reply: SqliteReply;
    try {
      reply = { id, value: handle(message) };
    } catch (error) {
      reply =
        error instanceof RefusedByAuthorizer
          ? { id, refused: error.acts }
          : { id, failed: error instanceof Error ? error.message : String(error) };
    }
    process.send?.(reply);
  });
}

main();
