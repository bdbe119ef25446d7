/** Fills one PostgreSQL table in one transaction. Knows nothing of files. */
import pg, { type Client } from "pg";
import { EngineRefused, type Load, type LoadColumn, type LoadOptions, type LoadValue } from "./database";
import type { Intent } from "./intent";
import type { PostgresSession } from "./postgres";
import { actsBeyond, hiddenActsOf } from "./postgresAccount";
import { reachedActs } from "./postgresReach";

/** The protocol counts parameters in 16 bits. */
const MAX_PARAMETERS = 60_000;
const TYPES = { INTEGER: "bigint", REAL: "double precision", TEXT: "text", BOOLEAN: "boolean" } as const;

export async function postgresColumns(client: Client, table: string): Promise<readonly string[] | null> {
  const found = await client.query(
    `SELECT a.attname FROM pg_catalog.pg_attribute a
      WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [pg.escapeIdentifier(table)],
  );
  return found.rows.length === 0 ? null : found.rows.map((row) => String(row.attname));
}

export async function beginPostgresLoad(session: PostgresSession, load: LoadOptions): Promise<Load> {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  // `use` owns the connection, its cancellation and its end; it holds it until the load is over.
  let whole: Promise<void> = Promise.resolve();
  const opened = new Promise<Client>((resolve, reject) => {
    whole = session.use(async (client) => {
      await prepare(client, load);
      resolve(client);
      await finished;
    }, load.signal);
    whole.catch(reject);
  });
  // When the call is aborted the connection is gone, and a driver may never answer what was under way.
  const lost = new Promise<never>((_resolve, reject) => void whole.catch(reject));
  lost.catch(() => undefined);
  const client = await opened;
  const guarded = async (work: () => Promise<unknown>) => {
    try {
      await Promise.race([work(), lost]);
    } catch (error) {
      throw session.explain(error);
    }
  };
  const end = async (work: () => Promise<unknown>) => {
    try {
      await guarded(work);
    } finally {
      finish();
      await whole.catch(() => undefined);
    }
  };
  return {
    insert: (rows) => guarded(() => insertRows(client, load, rows)),
    commit: () =>
      end(async () => {
        await check(session, client, load.intent);
        await client.query("COMMIT");
      }),
    rollback: () => end(() => client.query("ROLLBACK").catch(() => undefined)),
  };
}

async function prepare(client: Client, load: LoadOptions): Promise<void> {
  await client.query("BEGIN READ WRITE");
  if ((await postgresColumns(client, load.table)) === null)
    await client.query(createTable(load.table, load.columns));
  if (load.intent.kind === "add") {
    const name = pg.escapeIdentifier(load.table);
    const acts = [
      ...(await hiddenActsOf(client, [name])),
      ...(await reachedActs(client, `INSERT INTO ${name} VALUES (1)`, load.intent)),
    ];
    if (acts.length > 0) throw new EngineRefused(acts);
  }
}

async function check(session: PostgresSession, client: Client, intent: Intent): Promise<void> {
  await client.query("SET CONSTRAINTS ALL IMMEDIATE");
  const acts = await actsBeyond(client, {
    intent,
    // Only the table itself may have been made.
    statements: ["CREATE TABLE"],
    async outside(work) {
      const other = await session.open();
      try {
        return await work(other);
      } finally {
        await other.end();
      }
    },
  });
  if (acts.length > 0) throw new EngineRefused(acts);
}

async function insertRows(
  client: Client,
  load: LoadOptions,
  rows: readonly (readonly LoadValue[])[],
): Promise<void> {
  const width = load.columns.length;
  const step = Math.max(1, Math.floor(MAX_PARAMETERS / width));
  for (let at = 0; at < rows.length; at += step) {
    const part = rows.slice(at, at + step);
    const marks = part.map(
      (_row, i) => `(${load.columns.map((_column, j) => `$${i * width + j + 1}`).join(",")})`,
    );
    await client.query(
      `INSERT INTO ${pg.escapeIdentifier(load.table)} (${names(load.columns)}) VALUES ${marks.join(",")}`,
      part.flat(),
    );
  }
}

function createTable(table: string, columns: readonly LoadColumn[]): string {
  const fields = columns.map((column) => `${pg.escapeIdentifier(column.name)} ${TYPES[column.type]}`);
  return `CREATE TABLE ${pg.escapeIdentifier(table)} (${fields.join(", ")})`;
}

function names(columns: readonly LoadColumn[]): string {
  return columns.map((column) => pg.escapeIdentifier(column.name)).join(", ");
}
