/** Opens the configured database. The one switch over engines; each driver is a file loaded on first use. */
import type { Database } from "./database";
import { type DatabaseUrlOptions, parseDatabaseUrl } from "./databaseUrl";
import { readOnlyDatabase } from "./readOnly";

export interface OpenDatabaseOptions extends DatabaseUrlOptions {
  /** `sqlite:data.db`, `sqlite:/abs`, `sqlite::memory:`, `postgres://…`, `mysql://…`, `mariadb://…`. */
  readonly url: string;
  /** Rows that one query returns at most; default 1000. */
  readonly maxRows?: number;
  /** Milliseconds after which a query is ended; default 120 000. */
  readonly timeoutMs?: number;
  /** "yes": nothing but reading is taken, whatever was approved; default "no". */
  readonly readOnly?: "yes" | "no";
}

export interface EngineOptions {
  readonly maxRows: number;
  readonly timeoutMs: number;
}

/** Connects on the first query, not here. Throws `database.url`. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const database = await openEngine(options);
  return options.readOnly === "yes" ? readOnlyDatabase(database) : database;
}

async function openEngine(options: OpenDatabaseOptions): Promise<Database> {
  const target = parseDatabaseUrl(options.url, options);
  const engine: EngineOptions = { maxRows: options.maxRows ?? 1000, timeoutMs: options.timeoutMs ?? 120_000 };
  switch (target.dialect) {
    case "sqlite": {
      const { openSqlite } = await import("./sqlite");
      return openSqlite(target, engine);
    }
    case "postgres": {
      const { openPostgres } = await import("./postgres");
      return openPostgres(target, engine);
    }
    case "mysql": {
      const { openMysql } = await import("./mysql");
      return openMysql(target, engine);
    }
  }
}
