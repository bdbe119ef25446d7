/** The vocabulary of a governed database connection: what a caller may ask of it and what it answers. Knows no engine. */
import type { Act, Intent } from "./intent";

export type DatabaseDialect = "sqlite" | "postgres" | "mysql";

/** A value that JSON can carry. Blobs are `{ $base64, bytes }`, integers beyond 2^53 and decimals are strings. */
export type Cell =
  | string
  | number
  | boolean
  | null
  | { readonly [key: string]: unknown }
  | readonly unknown[];

export interface QueryResult {
  readonly columns: readonly string[];
  /** Rows of the last statement that returned any; one array per row, in the order of `columns`. */
  readonly rows: readonly (readonly Cell[])[];
  /** Rows returned here; more existed when `truncated`. */
  readonly rowCount: number;
  readonly truncated: boolean;
  /** Rows inserted, updated or deleted by all statements together, as the engine counts them. */
  readonly changes: number;
  readonly statements: readonly StatementReport[];
}

export interface StatementReport {
  /** The command, upper case: "SELECT", "INSERT", "CREATE TABLE", ... */
  readonly command: string;
  readonly rows: number;
  readonly changes: number;
  /** Set when the statement was not run as written: "all statements run in one transaction". */
  readonly note?: string;
}

export interface QueryOptions {
  readonly intent: Intent;
  readonly signal?: AbortSignal;
}

export type ColumnType = "INTEGER" | "REAL" | "TEXT" | "BOOLEAN";

export interface LoadColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export type LoadValue = string | number | boolean | null;

/** One open transaction that fills one table. Ends by exactly one of `commit` and `rollback`. */
export interface Load {
  /** Rows in the order of the columns given to `beginLoad`. */
  insert(rows: readonly (readonly LoadValue[])[]): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface LoadOptions {
  readonly table: string;
  readonly columns: readonly LoadColumn[];
  readonly intent: Intent;
  readonly signal?: AbortSignal;
}

export interface Database {
  readonly dialect: DatabaseDialect;
  /** SHA-256 of the URL without its password: what a person's approval is bound to. */
  readonly digest: string;
  /** For people and logs; holds no secret. */
  describe(): string;
  /**
   * Runs every statement of `sql` in order, in one transaction, and never does more than `intent`.
   * Rejects with `EngineRefused` when the engine would have done more, else with `CountersignError` `database.failed`.
   */
  query(sql: string, options: QueryOptions): Promise<QueryResult>;
  /** Column names of a table; null when there is no such table. */
  tableColumns(table: string): Promise<readonly string[] | null>;
  /** Creates the table when it is missing. Same refusals as `query`. */
  beginLoad(options: LoadOptions): Promise<Load>;
  close(): Promise<void>;
}

/** "not undone" = rows of tables without transactions are changed or lost. */
export type Undone = "all undone" | "some kept" | "not undone";

const OUTCOMES: Readonly<Record<Undone, string>> = {
  "all undone": "Nothing was changed.",
  "some kept":
    "What stands before it was kept, because this engine commits statements such as CREATE at once.",
  "not undone":
    "It was undone except in tables without transactions (MyISAM, Aria, MEMORY): what was done to their rows stays done.",
};

/** The engine would have done more than was judged or approved; that was not done. */
export class EngineRefused extends Error {
  readonly acts: readonly Act[];
  /** What of the text is in effect: nothing, the statements before one that an engine commits by itself, or what no rollback reaches. */
  readonly outcome: string;

  constructor(acts: readonly Act[], undone: Undone = "all undone") {
    const outcome = OUTCOMES[undone];
    super(
      `The database engine refused: the statement ${undone === "not undone" ? "did" : "would"} ${acts.map(describeAct).join(", and ")}. ${outcome}`,
    );
    this.name = "EngineRefused";
    this.acts = acts;
    this.outcome = outcome;
  }

  get verb(): string {
    return this.acts[0]?.verb ?? "UNKNOWN";
  }

  get table(): string | null {
    return this.acts[0]?.table ?? null;
  }
}

/** "DELETE on log (through trigger trg)", "CALL f (through view v)" */
export function describeAct(act: Act): string {
  const between = act.verb === "CALL" ? " " : " on ";
  const on = act.table === null ? act.verb : `${act.verb}${between}${act.table}`;
  return act.via === undefined ? on : `${on} (through ${act.via})`;
}
