/** Entry of the SQLite process: answers one request after the other. Knows nothing of the editor. */
import { Worker } from "node:worker_threads";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { covers, type Act, type Intent } from "./intent";
import { RefusedByAuthorizer } from "./sqliteAuthorizer";
import { createSqliteEngine, type SqliteEngine } from "./sqliteEngine";
import type { OwnRow, OwnStatement, SqliteReply, SqliteRequest, SqliteStart, SqliteValue } from "./sqliteMessages";

interface OpenLoad {
  readonly db: DatabaseSync;
  readonly insert: StatementSync;
  close(): void;
}

function serve(start: SqliteStart): (request: SqliteRequest) => SqliteValue {
  const engine = createSqliteEngine(start);
  let load: OpenLoad | undefined;
  return (request) => {
    switch (request.op) {
      case "query":
        return engine.query(request.sql, request.intent);
      case "columns":
        return withConnection(engine, (db) => columnsOf(db, request.table));
      case "own":
        return withConnection(engine, (db) => runOwn(db, request.statements));
      case "load.begin":
        load = beginLoad(engine, request);
        return null;
      case "load.rows":
        for (const row of request.rows) load?.insert.run(...row);
        return null;
      case "load.commit":
      case "load.rollback": {
        const open = load;
        load = undefined;
        open?.db.exec(request.op === "load.commit" ? "COMMIT" : "ROLLBACK");
        open?.close();
        return null;
      }
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
  return rows.length === 0 ? null : rows.map((row) => String(row["name"]));
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

function beginLoad(engine: SqliteEngine, request: Extract<SqliteRequest, { op: "load.begin" }>): OpenLoad {
  const { db, close } = engine.connect();
  try {
    db.exec("BEGIN IMMEDIATE");
    if (request.create !== null) db.exec(request.create);
    const acts: Act[] = triggersOf(db, request.insert, request.intent);
    if (acts.length > 0) throw new RefusedByAuthorizer(acts);
    return { db, insert: db.prepare(request.insert), close };
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    close();
    throw error;
  }
}
