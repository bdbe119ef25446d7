/** One connection to MariaDB or MySQL and one statement on it at a time. Judges nothing. */
import { type Connection, createConnection, type FieldPacket, type ResultSetHeader } from "mysql2";
import { type RowCollector, toInteger } from "./cells";
import type { DatabaseTarget } from "./databaseUrl";
import { safeDecode } from "./databaseUrl";

type ServerTarget = Extract<DatabaseTarget, { dialect: "postgres" | "mysql" }>;

const CONNECT_MS = 10_000;

export function connectMysql(target: ServerTarget): Promise<Connection> {
  const { url } = target;
  const tls = tlsOf(url);
  const connection = createConnection({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 3306),
    user: safeDecode(url.username),
    password: safeDecode(url.password),
    database: safeDecode(url.pathname.slice(1)),
    connectTimeout: CONNECT_MS,
    // A second statement in one text is refused by the server, and a server cannot ask for a local file.
    multipleStatements: false,
    flags: ["-LOCAL_FILES"],
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    ...(tls === undefined ? {} : { ssl: tls }),
  });
  return new Promise((resolve, reject) => {
    connection.on("error", () => undefined);
    connection.connect((error) => (error === null ? resolve(connection) : reject(error)));
  });
}

function tlsOf(url: URL): { rejectUnauthorized: boolean } | undefined {
  const mode = (
    url.searchParams.get("ssl-mode") ??
    url.searchParams.get("sslmode") ??
    url.searchParams.get("ssl") ??
    ""
  ).toLowerCase();
  if (["", "disabled", "disable", "false"].includes(mode)) return undefined;
  return { rejectUnauthorized: !["required", "require", "preferred"].includes(mode) };
}

export interface MysqlDone {
  readonly columns: readonly string[];
  readonly affectedRows: number;
  /** Reading ended early; the server is still sending, and the connection takes no further statement. */
  readonly cut: boolean;
}

export interface MysqlStatement {
  readonly text: string;
  readonly rows: RowCollector;
  /** Cut the result once no more rows are kept; the caller then kills the connection, there is no gentler way. */
  readonly stopEarly: "cut" | "read on";
}

export function runMysql(
  connection: Connection,
  { text, rows, stopEarly }: MysqlStatement,
): Promise<MysqlDone> {
  return new Promise((resolve, reject) => {
    let columns: readonly string[] = [];
    let kinds: readonly FieldPacket[] = [];
    let affectedRows = 0;
    let cut = false;
    const query = connection.query({ sql: text, rowsAsArray: true });
    query.on("error", (error) => {
      if (!cut) reject(error);
    });
    query.on("fields", (fields: readonly FieldPacket[] | undefined) => {
      kinds = fields ?? [];
      columns = kinds.map((field) => field.name);
    });
    query.on("result", (row: readonly unknown[] | ResultSetHeader) => {
      if (!isRow(row)) {
        affectedRows += row.affectedRows;
        return;
      }
      if (cut || rows.add(row.map((value, i) => exact(value, kinds[i]))) || stopEarly === "read on") return;
      cut = true;
      connection.pause();
      resolve({ columns, affectedRows, cut });
    });
    query.on("end", () => resolve({ columns, affectedRows, cut }));
  });
}

function isRow(row: readonly unknown[] | ResultSetHeader): row is readonly unknown[] {
  return Array.isArray(row);
}

/** With bigNumberStrings every BIGINT is text; those that are exact as numbers become numbers. DECIMAL stays text. */
function exact(value: unknown, field: FieldPacket | undefined): unknown {
  const BIGINT = 8;
  return field?.columnType === BIGINT && typeof value === "string" ? toInteger(value) : value;
}

/** A statement of our own. */
export async function askMysql(
  connection: Connection,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    connection.query(sql, [...values], (error, rows) => {
      if (error !== null) reject(error);
      else resolve(Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []);
    });
  });
}

/** ER_WARNING_NOT_COMPLETE_ROLLBACK: the server knows which engines it used. */
const NOT_UNDONE = 1196;

/** "not undone" = tables without transactions keep what was done to their rows. */
export async function rollbackMysql(connection: Connection): Promise<"all undone" | "not undone"> {
  await askMysql(connection, "ROLLBACK");
  const warnings = await askMysql(connection, "SHOW WARNINGS");
  return warnings.some(({ Code }) => Number(Code) === NOT_UNDONE) ? "not undone" : "all undone";
}
