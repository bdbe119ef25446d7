/** The PostgreSQL database: a connection per call, reads in READ ONLY transactions, everything else checked against the server's own account before it commits. */
import pg, { type Client } from "pg";
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
import type { EngineOptions } from "./openDatabase";
import { actsBeyond, hiddenActsOf } from "./postgresAccount";
import { beginPostgresLoad, postgresColumns } from "./postgresLoad";
import { reachedActs } from "./postgresReach";
import { runStatement } from "./postgresStatement";
import { leadingWords, splitStatements } from "./split";
import { controlOf, controlReport, type Returned, resultOf } from "./statementReport";

type ServerTarget = Extract<DatabaseTarget, { dialect: "postgres" | "mysql" }>;

const CONNECT_MS = 10_000;

export interface PostgresSession {
  /** Connects, works, disconnects; an abort cancels what the server is doing. Rejects with `database.failed` or `EngineRefused`. */
  use<T>(work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T>;
  open(): Promise<Client>;
  explain(error: unknown): Error;
}

export function openPostgres(target: ServerTarget, options: EngineOptions): Database {
  const session = createSession(target, options);
  return {
    dialect: "postgres",
    digest: target.digest,
    describe: () => target.label,
    query: (sql, query) =>
      session.use((client) => runAll({ client, session, options }, sql, query), query.signal),
    tableColumns: (table) => session.use((client) => postgresColumns(client, table)),
    beginLoad: (load) => beginPostgresLoad(session, load),
    close: () => Promise.resolve(),
  };
}

function createSession(target: ServerTarget, options: EngineOptions): PostgresSession {
  const explain = (error: unknown) => explainError(error, target);
  async function open(): Promise<Client> {
    const client = new pg.Client({
      connectionString: target.url.href,
      application_name: "countersign",
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: options.timeoutMs,
    });
    // A connection that breaks while idle must not end the process; the next query tells.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }
  return {
    open,
    explain,
    async use(work, signal) {
      let client: Client | undefined;
      const cancel = () => void cancelBackend(open, client);
      try {
        signal?.throwIfAborted();
        client = await open();
        signal?.addEventListener("abort", cancel, { once: true });
        signal?.throwIfAborted();
        return await work(client);
      } catch (error) {
        throw signal?.aborted ? cancelled() : explain(error);
      } finally {
        signal?.removeEventListener("abort", cancel);
        await client?.end().catch(() => undefined);
      }
    },
  };
}

async function cancelBackend(open: () => Promise<Client>, client: Client | undefined): Promise<void> {
  const pid: unknown = client === undefined ? undefined : Reflect.get(client, "processID");
  if (typeof pid !== "number") return;
  try {
    const other = await open();
    await other.query("SELECT pg_catalog.pg_cancel_backend($1)", [pid]);
    await other.end();
  } catch {
    await client?.end().catch(() => undefined);
  }
}

function cancelled(): CountersignError {
  return new CountersignError("database.failed", "The statement was cancelled and undone.", {
    hint: "Run it again when wanted.",
  });
}

interface Run {
  readonly client: Client;
  readonly session: PostgresSession;
  readonly options: EngineOptions;
}

async function runAll(run: Run, sql: string, { intent }: QueryOptions): Promise<QueryResult> {
  const statements = splitStatements(sql, { dialect: "postgres" });
  try {
    return await runStatements(run, statements, {
      intent,
      mode: intent.kind === "read" ? "read only" : "keep",
    });
  } catch (error) {
    if (intent.kind !== "read" || intent.session === "read only" || !locksOrCounts(error)) throw error;
    await run.client.query("ROLLBACK");
    return await runStatements(run, statements, { intent, mode: "undo" });
  }
}

/** "cannot execute SELECT FOR UPDATE in a read-only transaction" */
function locksOrCounts(error: unknown): boolean {
  return codeOf(error) === "25006" && /cannot execute (?:SELECT FOR |nextval\(\))/.test(messageOf(error));
}

interface Way {
  readonly intent: Intent;
  /** undo = may take row locks; whatever was done is rolled back. */
  readonly mode: "read only" | "keep" | "undo";
}

async function runStatements(
  run: Run,
  statements: readonly string[],
  { intent, mode }: Way,
): Promise<QueryResult> {
  const first = statements[0];
  if (statements.length === 1 && first !== undefined && intent.kind !== "read" && runsAlone(first)) {
    return runWithoutTransaction(run, first, intent);
  }
  await begin(run.client, mode);
  if (intent.kind === "add") refuse(await hiddenActsOf(run.client, intent.tables));
  const reports: StatementReport[] = [];
  let last: Returned | undefined;
  for (const statement of statements) {
    const control = controlOf(statement);
    if (control !== null) {
      reports.push(controlReport(statement, control));
      if (control === "rollback") {
        await run.client.query("ROLLBACK");
        await begin(run.client, mode);
      }
      continue;
    }
    refuse(await reachedActs(run.client, statement, intent));
    const outcome = await runOne(run, statement, intent);
    if (run.client.getTransactionStatus() !== "T") {
      throw new Error("The statement ended the transaction; nothing further was run.");
    }
    reports.push(outcome.report);
    if (outcome.columns.length > 0) last = outcome;
  }
  if (mode !== "read only") refuse(await account(run, intent, statements));
  await run.client.query(mode === "undo" ? "ROLLBACK" : "COMMIT");
  return resultOf(reports, last);
}

/** After its first snapshot a transaction can no longer be made READ WRITE. */
async function begin(client: Client, mode: Way["mode"]): Promise<void> {
  if (mode === "undo") await client.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE");
  await client.query(
    mode === "read only"
      ? "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; BEGIN READ ONLY; SELECT 1"
      : "BEGIN READ WRITE",
  );
}

async function runOne(run: Run, statement: string, intent: Intent) {
  const command = leadingWords(statement);
  const reading = intent.kind === "read";
  const rows = collectRows(run.options.maxRows);
  const done = await runStatement(run.client, {
    text: statement,
    rows,
    ...(reading ? { fetch: run.options.maxRows + 1 } : {}),
  });
  const changes = /^(?:INSERT \d+|UPDATE|DELETE|MERGE|COPY) (\d+)$/.exec(done.tag)?.[1];
  return {
    columns: done.columns,
    rows,
    report: { command, rows: rows.rows.length, changes: Number(changes ?? 0) },
  };
}

async function account(run: Run, intent: Intent, statements: readonly string[]): Promise<readonly Act[]> {
  // A deferred trigger would run at COMMIT, after the account has been taken.
  await run.client.query("SET CONSTRAINTS ALL IMMEDIATE");
  return actsBeyond(run.client, {
    intent,
    statements,
    async outside(work) {
      const other = await run.session.open();
      try {
        return await work(other);
      } finally {
        await other.end();
      }
    },
  });
}

function refuse(acts: readonly Act[]): void {
  if (acts.length > 0) throw new EngineRefused(acts);
}

function runsAlone(statement: string): boolean {
  return (
    /^(VACUUM|CREATE DATABASE|DROP DATABASE|CREATE TABLESPACE|DROP TABLESPACE|ALTER SYSTEM)$/.test(
      leadingWords(statement),
    ) ||
    /^\s*(create|drop)\s+(unique\s+)?index\s+concurrently\b|^\s*reindex\b.*\bconcurrently\b/i.test(statement)
  );
}

/** These refuse a transaction, and do what their words say; an index may call functions. */
async function runWithoutTransaction(run: Run, statement: string, intent: Intent): Promise<QueryResult> {
  const [verb = ""] = leadingWords(statement).split(" ");
  refuse(excess(intent, [{ verb, table: null }]));
  refuse(await reachedActs(run.client, statement, intent));
  const outcome = await runOne(run, statement, intent);
  return resultOf([outcome.report], undefined);
}

function explainError(error: unknown, target: ServerTarget): Error {
  if (error instanceof EngineRefused || error instanceof CountersignError) return error;
  const code = codeOf(error);
  if (code === "25006") return new EngineRefused([readOnlyAct(error)]);
  const password = safeDecode(target.url.password);
  const text = messageOf(error) || code || "the connection failed";
  const message = password === "" ? text : text.replaceAll(password, "***");
  return new CountersignError("database.failed", `PostgreSQL: ${message}`, { hint: hintFor(code, target) });
}

/** "cannot execute DELETE in a read-only transaction", with the inner statement where a function was at work. */
function readOnlyAct(error: unknown): Act {
  const said = /cannot execute ([A-Z]+)/.exec(messageOf(error))?.[1];
  // For a WITH that deletes, PostgreSQL says SELECT.
  const verb = said === undefined || said === "SELECT" ? "WRITE" : said;
  const where = error instanceof Error && "where" in error ? String(error.where) : "";
  const table =
    /\b(?:INTO|FROM|UPDATE|TABLE)\s+((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))*)/i.exec(where)?.[1] ?? null;
  const via = /function ([\w."]+\()/.exec(where)?.[1];
  return { verb, table, ...(via === undefined ? {} : { via: `function ${via.slice(0, -1)}` }) };
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

function hintFor(code: string, target: ServerTarget): string {
  if (code === "28P01" || code === "28000") return `Check the user and password of ${target.label}.`;
  if (code === "57014") return "The statement took too long; narrow it.";
  if (/^(ECONN|ENOTFOUND|EHOST|ETIMEDOUT)/.test(code))
    return `Check that the server of ${target.label} runs and can be reached.`;
  if (code === "42P01")
    return "List the tables: SELECT table_schema, table_name FROM information_schema.tables.";
  return "Correct the statement and try again.";
}
