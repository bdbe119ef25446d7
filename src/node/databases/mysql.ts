/** The MariaDB or MySQL database: a connection per call, reads in READ ONLY transactions, writes checked by catalogue and counters. */
import type { Connection } from "mysql2";
import { CountersignError, messageOf } from "../../core/errors";
import { collectRows } from "./cells";
import {
  type Database,
  EngineRefused,
  type QueryOptions,
  type QueryResult,
  type StatementReport,
} from "./database";
import { type DatabaseTarget, safeDecode } from "./databaseUrl";
import { type Act, excess, type Intent } from "./intent";
import { actsBeyondWords } from "./mysqlCatalogue";
import { askMysql, connectMysql, runMysql } from "./mysqlConnection";
import { countedBeyond, counters } from "./mysqlCounters";
import { beginMysqlLoad, mysqlColumns } from "./mysqlLoad";
import { routineActs, viewsThatCall } from "./mysqlRoutines";
import type { EngineOptions } from "./openDatabase";
import { leadingWords, splitStatements } from "./split";
import { controlOf, controlReport, type Returned, resultOf } from "./statementReport";

type ServerTarget = Extract<DatabaseTarget, { dialect: "postgres" | "mysql" }>;

export interface MysqlSession {
  /** Connects, works, disconnects; an abort or timeout kills what the server is doing. Rejects with `database.failed` or `EngineRefused`. */
  use<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  explain(error: unknown): Error;
  /** Ends what the server is doing on this connection. */
  kill(connection: Connection): Promise<void>;
}

export function openMysql(target: ServerTarget, options: EngineOptions): Database {
  const session = createSession(target, options);
  return {
    dialect: "mysql",
    digest: target.digest,
    describe: () => target.label,
    query: (sql, query) =>
      session.use(
        (connection) => runAll(connection, { sql, query, maxRows: options.maxRows, kill: session.kill }),
        query.signal,
      ),
    tableColumns: (table) => session.use((connection) => mysqlColumns(connection, table)),
    beginLoad: (load) => beginMysqlLoad(session, load),
    close: () => Promise.resolve(),
  };
}

function createSession(target: ServerTarget, options: EngineOptions): MysqlSession {
  const explain = (error: unknown) => explainError(error, target);
  return {
    explain,
    kill: (connection) => killQuery(target, connection),
    async use(work, signal) {
      const limit = AbortSignal.timeout(options.timeoutMs);
      const ended = signal === undefined ? limit : AbortSignal.any([signal, limit]);
      let connection: Connection | undefined;
      let stop: () => void = () => undefined;
      // The driver does not end a query whose connection the server has killed.
      const stopped = new Promise<never>((_resolve, reject) => {
        stop = () => void killQuery(target, connection).then(() => reject(new Error("stopped")));
      });
      try {
        ended.throwIfAborted();
        connection = await connectMysql(target);
        ended.addEventListener("abort", stop, { once: true });
        ended.throwIfAborted();
        return await Promise.race([work(connection), stopped]);
      } catch (error) {
        if (signal?.aborted) throw cancelled();
        throw limit.aborted ? tooLong(options.timeoutMs) : explain(error);
      } finally {
        ended.removeEventListener("abort", stop);
        // An open transaction ends with its connection.
        connection?.destroy();
      }
    },
  };
}

async function killQuery(target: ServerTarget, connection: Connection | undefined): Promise<void> {
  const id = connection?.threadId;
  if (id === undefined || id === null) return;
  try {
    const other = await connectMysql(target);
    // KILL takes the whole connection: a statement that catches the interruption does not go on.
    await askMysql(other, `KILL ${Number(id)}`);
    other.destroy();
  } catch {
    connection?.destroy();
  }
}

interface Text {
  readonly sql: string;
  readonly query: QueryOptions;
  readonly maxRows: number;
  readonly kill: MysqlSession["kill"];
}

async function runAll(
  connection: Connection,
  { sql, query: { intent }, maxRows, kill }: Text,
): Promise<QueryResult> {
  const statements = splitStatements(sql, { dialect: "mysql" });
  await begin(connection, intent);
  const counted = { before: await counters(connection), intent };
  const sent: string[] = [];
  const views = intent.kind === "read" ? [] : await viewsThatCall(connection);
  let kept = false;
  const reports: StatementReport[] = [];
  let last: Returned | undefined;
  for (const [i, statement] of statements.entries()) {
    const control = controlOf(statement);
    if (control !== null) {
      reports.push(controlReport(statement, control));
      if (control === "rollback") {
        await askMysql(connection, "ROLLBACK");
        await begin(connection, intent);
      }
      continue;
    }
    const commits = intent.kind !== "read" && commitsByItself(statement);
    const beyond = [
      ...excess(intent, routineActs(statement, views)),
      ...(await actsBeyondWords(connection, statement, intent)),
      ...(commits ? await countedBeyond(connection, { ...counted, sent }) : []),
    ];
    refuse(beyond, { kept });
    const rows = collectRows(maxRows);
    const stopEarly = intent.kind === "read" && i === statements.length - 1 ? "cut" : "read on";
    sent.push(statement);
    const done = await runMysql(connection, { text: statement, rows, stopEarly });
    const changes = done.columns.length > 0 ? 0 : done.affectedRows;
    reports.push({ command: leadingWords(statement), rows: rows.rows.length, changes });
    if (done.columns.length > 0) last = { columns: done.columns, rows };
    if (commits) {
      kept = true;
      await begin(connection, intent);
    }
    if (done.cut) {
      // A server that only loses its client may go on computing rows for nobody.
      await kill(connection);
      return resultOf(reports, last);
    }
  }
  if (intent.kind !== "read") refuse(await countedBeyond(connection, { ...counted, sent }), { kept });
  await askMysql(connection, "COMMIT");
  return resultOf(reports, last);
}

async function begin(connection: Connection, intent: Intent): Promise<void> {
  const mode = intent.kind === "read" ? "READ ONLY" : "READ WRITE";
  await askMysql(connection, `SET SESSION TRANSACTION ${mode}`);
  await askMysql(connection, `START TRANSACTION ${mode}`);
}

function refuse(acts: readonly Act[], { kept }: { readonly kept: boolean }): void {
  if (acts.length > 0) throw new EngineRefused(acts, kept ? "some kept" : "all undone");
}

/** Here most statements that are no rows' commit what came before them, and themselves. */
function commitsByItself(statement: string): boolean {
  return !/^(?:SELECT|WITH|VALUES|TABLE|SHOW|DESC|DESCRIBE|EXPLAIN|HELP|USE|SAVEPOINT|RELEASE|ROLLBACK|SET|SET .*|INSERT|REPLACE|UPDATE|DELETE|DO|CREATE TEMPORARY|DROP TEMPORARY)$/.test(
    leadingWords(statement),
  );
}

function cancelled(): CountersignError {
  return new CountersignError("database.failed", "The statement was cancelled and undone.", {
    hint: "Run it again when wanted.",
  });
}

function tooLong(ms: number): CountersignError {
  return new CountersignError("database.failed", `The statement took longer than ${ms} ms and was ended.`, {
    hint: "Narrow it.",
  });
}

function explainError(error: unknown, target: ServerTarget): Error {
  if (error instanceof EngineRefused || error instanceof CountersignError) return error;
  const number = typeof error === "object" && error !== null && "errno" in error ? Number(error.errno) : 0;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION names neither verb nor table.
  if (number === 1792) return new EngineRefused([{ verb: "WRITE", table: null }]);
  const password = safeDecode(target.url.password);
  const text = messageOf(error) || code || "the connection failed";
  const message = password === "" ? text : text.replaceAll(password, "***");
  return new CountersignError("database.failed", `MariaDB/MySQL: ${message}`, {
    hint: hintFor(number, code, target),
  });
}

function hintFor(number: number, code: string, target: ServerTarget): string {
  if (number === 1045 || number === 1044) return `Check the user and password of ${target.label}.`;
  if (/^(ECONN|ENOTFOUND|EHOST|ETIMEDOUT)/.test(code))
    return `Check that the server of ${target.label} runs and can be reached.`;
  if (number === 1146) return "List the tables: SHOW TABLES.";
  return "Correct the statement and try again.";
}
