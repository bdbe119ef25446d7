/** Fills one MariaDB or MySQL table in one transaction. Knows nothing of files. */
import { type Connection, escapeId } from "mysql2";
import { EngineRefused, type Load, type LoadColumn, type LoadOptions } from "./database";
import type { MysqlSession } from "./mysql";
import { actsBeyondWords } from "./mysqlCatalogue";
import { askMysql } from "./mysqlConnection";
import { type Counters, countedBeyond, counters } from "./mysqlCounters";

const TYPES = { INTEGER: "BIGINT", REAL: "DOUBLE", TEXT: "LONGTEXT", BOOLEAN: "BOOLEAN" } as const;

export async function mysqlColumns(connection: Connection, table: string): Promise<readonly string[] | null> {
  const rows = await askMysql(
    connection,
    "SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
    [table],
  );
  return rows.length === 0 ? null : rows.map((row) => String(row.name));
}

export async function beginMysqlLoad(session: MysqlSession, load: LoadOptions): Promise<Load> {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let whole: Promise<void> = Promise.resolve();
  const opened = new Promise<{
    connection: Connection;
    created: boolean;
    before: Counters;
  }>((resolve, reject) => {
    whole = session.use(async (connection) => {
      const created = await prepare(connection, load);
      resolve({ connection, created, before: await counters(connection) });
      await finished;
    }, load.signal);
    whole.catch(reject);
  });
  // When the call is aborted the connection is gone, and a driver may never answer what was under way.
  const lost = new Promise<never>((_resolve, reject) => void whole.catch(reject));
  lost.catch(() => undefined);
  const { connection, created, before } = await opened;
  const sent: string[] = [];
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
  const drop = created ? `DROP TABLE IF EXISTS ${escapeId(load.table, true)}` : undefined;
  const undo = async () => {
    // CREATE TABLE commits by itself here, so a table made for this import goes again.
    await Promise.race([askMysql(connection, "ROLLBACK"), lost]).catch(() => undefined);
    if (drop !== undefined) await session.use((fresh) => askMysql(fresh, drop));
  };
  return {
    insert: (rows) =>
      guarded(async () => {
        if (rows.length === 0) return;
        const statement = insertInto(load);
        sent.push(statement);
        await askMysql(connection, `${statement} VALUES ?`, [rows]);
      }),
    commit: () =>
      end(async () => {
        const acts = await countedBeyond(connection, { before, sent, intent: load.intent });
        if (acts.length > 0) {
          await undo();
          throw new EngineRefused(acts);
        }
        await askMysql(connection, "COMMIT");
      }),
    async rollback() {
      // The transaction ends with its connection, whatever state that is in.
      finish();
      await whole.catch(() => undefined);
      if (drop !== undefined) await session.use((fresh) => askMysql(fresh, drop));
    },
  };
}

async function prepare(connection: Connection, load: LoadOptions): Promise<boolean> {
  const missing = (await mysqlColumns(connection, load.table)) === null;
  if (missing) await askMysql(connection, createTable(load.table, load.columns));
  const acts = await actsBeyondWords(
    connection,
    `INSERT INTO ${escapeId(load.table, true)} VALUES ()`,
    load.intent,
  );
  if (acts.length > 0) throw new EngineRefused(acts);
  await askMysql(connection, "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')");
  await askMysql(connection, "START TRANSACTION READ WRITE");
  return missing;
}

function insertInto(load: LoadOptions): string {
  const names = load.columns.map((column) => escapeId(column.name, true)).join(", ");
  return `INSERT INTO ${escapeId(load.table, true)} (${names})`;
}

function createTable(table: string, columns: readonly LoadColumn[]): string {
  const fields = columns.map((column) => `${escapeId(column.name, true)} ${TYPES[column.type]}`);
  return `CREATE TABLE ${escapeId(table, true)} (${fields.join(", ")}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`;
}
