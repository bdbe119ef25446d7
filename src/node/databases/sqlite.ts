/** The SQLite database as callers see it; the work is done in a process of its own. */
import type { Database, Load, LoadColumn, LoadOptions, LoadValue, QueryResult } from "./database";
import type { DatabaseTarget } from "./databaseUrl";
import type { EngineOptions } from "./openDatabase";
import { createSqliteClient, type SqliteClient } from "./sqliteClient";
import { createTurns } from "./turns";

type SqliteTarget = Extract<DatabaseTarget, { dialect: "sqlite" }>;

export function openSqlite(target: SqliteTarget, options: EngineOptions): Database {
  const client = createSqliteClient({ file: target.file, maxRows: options.maxRows });
  const turns = createTurns();
  const timeoutMs = options.timeoutMs;
  return {
    dialect: "sqlite",
    digest: target.digest,
    describe: () => target.label,
    query: (sql, { intent, signal }) =>
      turns.take(async () => {
        return (await client.call(
          { op: "query", sql, intent },
          callOptions(timeoutMs, signal),
        )) as QueryResult;
      }),
    tableColumns: (table) =>
      turns.take(
        async () => (await client.call({ op: "columns", table }, { timeoutMs })) as readonly string[] | null,
      ),
    async beginLoad(load) {
      const release = await turns.begin();
      try {
        return await beginLoad(client, { load, timeoutMs, release });
      } catch (error) {
        release();
        throw error;
      }
    },
    close: () => client.close(),
  };
}

interface LoadContext {
  readonly load: LoadOptions;
  readonly timeoutMs: number;
  release(): void;
}

async function beginLoad(client: SqliteClient, { load, timeoutMs, release }: LoadContext): Promise<Load> {
  const options = callOptions(timeoutMs, load.signal);
  const columns = (await client.call({ op: "columns", table: load.table }, options)) as
    | readonly string[]
    | null;
  const create = columns === null ? createTable(load.table, load.columns) : null;
  await client.call(
    { op: "load.begin", create, insert: insertInto(load.table, load.columns), intent: load.intent },
    options,
  );
  const end = async (word: "COMMIT" | "ROLLBACK") => {
    try {
      // The rollback of a cancelled import must still be sent; after a kill it finds nothing to undo.
      await client.call({ op: "load.end", word }, word === "COMMIT" ? options : { timeoutMs });
    } finally {
      release();
    }
  };
  return {
    insert: async (rows) => {
      await client.call({ op: "load.rows", rows: rows.map((row) => row.map(toStored)) }, options);
    },
    commit: () => end("COMMIT"),
    rollback: () => end("ROLLBACK"),
  };
}

function toStored(value: LoadValue): string | number | null {
  return typeof value === "boolean" ? Number(value) : value;
}

function createTable(table: string, columns: readonly LoadColumn[]): string {
  return `CREATE TABLE ${quote(table)} (${columns.map((column) => `${quote(column.name)} ${column.type}`).join(", ")})`;
}

function insertInto(table: string, columns: readonly LoadColumn[]): string {
  const names = columns.map((column) => quote(column.name)).join(", ");
  return `INSERT INTO ${quote(table)} (${names}) VALUES (${columns.map(() => "?").join(", ")})`;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function callOptions(timeoutMs: number, signal: AbortSignal | undefined) {
  return signal === undefined ? { timeoutMs } : { timeoutMs, signal };
}
