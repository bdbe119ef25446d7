/** Imports a CSV file into one table: read through once to judge it whole, then loaded in one transaction. Knows no engine. */
import { CountersignError, messageOf } from "../core/errors";
import { badRow, type CsvSource, readRecords } from "./csvRecords";
import { type Field, toValue, widen } from "./csvTypes";
import {
  type ColumnType,
  type Database,
  EngineRefused,
  type Load,
  type LoadColumn,
  type LoadValue,
} from "./databases/database";
import type { Intent } from "./databases/intent";
import { openApproved } from "./openApproved";

export interface ImportOptions {
  readonly path: string;
  readonly table: string;
  readonly database: Database;
  /** Real path that was judged; a file that is another one by now is refused. */
  readonly approvedReal?: string;
  /** Default: only inserts, and the creation of the table. */
  readonly intent?: Intent;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ImportProgress {
  /** 0 to 1: the first half checks, the second loads. */
  readonly fraction: number;
  /** Rows loaded so far, not yet committed. */
  readonly rows: number;
}

export interface ImportResult {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly LoadColumn[];
  readonly created: boolean;
}

interface Checked {
  readonly columns: readonly LoadColumn[];
  readonly rows: number;
}

const BATCH = 500;
const MAX_COLUMNS = 1000;

/** Rejects with `csv.row` (file and line), `database.failed`, `payload.malformed` or `EngineRefused`; then nothing was imported. */
export async function importCsv(options: ImportOptions): Promise<ImportResult> {
  checkTableName(options.table);
  const { handle, size } = await openApproved(
    options.path,
    options.approvedReal === undefined ? {} : { approvedReal: options.approvedReal },
  );
  try {
    let bytes = 0;
    let rows = 0;
    const report = () =>
      options.onProgress?.({ fraction: size === 0 ? 1 : Math.min(1, bytes / (2 * size)), rows });
    const source: CsvSource = {
      handle,
      path: options.path,
      onBytes: (count) => {
        bytes += count;
        report();
      },
    };
    const file = await check(source, options.signal);
    const existing = await options.database.tableColumns(options.table);
    if (existing !== null) matchColumns(options.table, existing, file.columns);
    const columns =
      existing === null ? file.columns : file.columns.map((column) => appended(column, existing));
    const onRows = (count: number) => {
      rows = count;
      report();
    };
    await load({ source, columns, options, onRows });
    return { table: options.table, rows: file.rows, columns, created: existing === null };
  } finally {
    await handle.close();
  }
}

function checkTableName(table: string): void {
  if (/^[\p{L}_][\p{L}\p{N}_$]{0,62}$/u.test(table) && !/^(?:sqlite_|pg_)/i.test(table)) return;
  throw new CountersignError("usage", `"${table}" is not a table name.`, {
    hint: "Use letters, digits and _, at most 63, not beginning with a digit, sqlite_ or pg_.",
  });
}

async function check(source: CsvSource, signal: AbortSignal | undefined): Promise<Checked> {
  let names: readonly string[] | undefined;
  const types: (ColumnType | undefined)[] = [];
  let rows = 0;
  for await (const { fields, line } of readRecords(source)) {
    if (signal?.aborted) throw cancelled();
    if (names === undefined) {
      names = headerNames(fields, { path: source.path, line });
      continue;
    }
    rows += 1;
    for (const [i, field] of fields.entries()) types[i] = widen(types[i], field);
  }
  if (names === undefined)
    throw badRow(source.path, 1, "The file is empty; its first line must name the columns.");
  return { columns: names.map((name, i) => ({ name, type: types[i] ?? "TEXT" })), rows };
}

function headerNames(
  fields: readonly Field[],
  at: { readonly path: string; readonly line: number },
): readonly string[] {
  const names = fields.map((field) => (field ?? "").trim());
  const seen = new Set<string>();
  if (names.length > MAX_COLUMNS)
    throw badRow(at.path, at.line, `The header has ${names.length} columns; ${MAX_COLUMNS} is the limit.`);
  for (const [i, name] of names.entries()) {
    if (name === "") throw badRow(at.path, at.line, `Column ${i + 1} of the header has no name.`);
    if (name.length > 63 || /\p{Cc}/u.test(name))
      throw badRow(at.path, at.line, `Column ${i + 1} of the header cannot be a column name.`);
    if (seen.has(name.toLowerCase()))
      throw badRow(at.path, at.line, `The header names the column "${name}" twice.`);
    seen.add(name.toLowerCase());
  }
  return names;
}

function matchColumns(table: string, existing: readonly string[], columns: readonly LoadColumn[]): void {
  const theirs = new Set(existing.map((name) => name.toLowerCase()));
  const ours = new Set(columns.map((column) => column.name.toLowerCase()));
  const unknown = columns
    .filter((column) => !theirs.has(column.name.toLowerCase()))
    .map((column) => column.name);
  const missing = existing.filter((name) => !ours.has(name.toLowerCase()));
  if (unknown.length === 0 && missing.length === 0) return;
  const parts = [
    ...(unknown.length > 0 ? [`the table has no ${unknown.join(", ")}`] : []),
    ...(missing.length > 0 ? [`the file has no ${missing.join(", ")}`] : []),
  ];
  throw new CountersignError(
    "database.failed",
    `The columns do not match the table ${table}: ${parts.join("; ")}. Nothing was imported.`,
    {
      hint: "Import into a new table, or make the header equal to the table's columns.",
    },
  );
}

/** An existing column has its own type: the text is handed over as it is, and the engine converts it. */
function appended(column: LoadColumn, existing: readonly string[]): LoadColumn {
  const name = existing.find((one) => one.toLowerCase() === column.name.toLowerCase()) ?? column.name;
  return { name, type: column.type === "BOOLEAN" ? "BOOLEAN" : "TEXT" };
}

interface LoadContext {
  readonly source: CsvSource;
  readonly columns: readonly LoadColumn[];
  readonly options: ImportOptions;
  readonly onRows: (count: number) => void;
}

async function load({ source, columns, options, onRows }: LoadContext): Promise<void> {
  const { database, table, signal } = options;
  const intent: Intent = options.intent ?? { kind: "add", verbs: ["INSERT", "CREATE"], tables: [table] };
  const open = await database.beginLoad({
    table,
    columns,
    intent,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    await insertAll(open, { source, columns, options, onRows });
    if (signal?.aborted) throw cancelled();
  } catch (error) {
    await open.rollback().catch(() => undefined);
    throw signal?.aborted ? cancelled() : error;
  }
  await open.commit();
}

async function insertAll(open: Load, { source, columns, options, onRows }: LoadContext): Promise<void> {
  let batch: LoadValue[][] = [];
  let firstLine = 0;
  let loaded = 0;
  let header = true;
  const flush = async (lastLine: number) => {
    try {
      await open.insert(batch);
    } catch (error) {
      if (error instanceof EngineRefused || options.signal?.aborted) throw error;
      const lines = firstLine === lastLine ? "This row" : `A row of lines ${firstLine} to ${lastLine}`;
      throw badRow(source.path, firstLine, `${lines} was not accepted: ${messageOf(error)}.`);
    }
    loaded += batch.length;
    onRows(loaded);
    batch = [];
  };
  let line = 0;
  for await (const record of readRecords(source)) {
    if (options.signal?.aborted) throw cancelled();
    line = record.line;
    if (header) {
      header = false;
      continue;
    }
    if (batch.length === 0) firstLine = line;
    batch.push(columns.map((column, i) => toValue(record.fields[i] ?? null, column.type)));
    if (batch.length >= BATCH) await flush(line);
  }
  if (batch.length > 0) await flush(line);
}

function cancelled(): CountersignError {
  return new CountersignError("database.failed", "The import was cancelled. Nothing was imported.", {
    hint: "Import the file again when wanted.",
  });
}
