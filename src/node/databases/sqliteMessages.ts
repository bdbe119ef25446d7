/** What the editor's process and the SQLite process say to each other. Types alone. */
import type { QueryResult } from "./database";
import type { Act, Intent } from "./intent";

export interface SqliteStart {
  /** Absolute path or ":memory:". */
  readonly file: string;
  readonly maxRows: number;
}

export type SqliteRequest =
  | { readonly op: "query"; readonly sql: string; readonly intent: Intent }
  | { readonly op: "columns"; readonly table: string }
  /** Statements of our own: one transaction, nothing is judged. */
  | { readonly op: "own"; readonly statements: readonly OwnStatement[] }
  | {
      readonly op: "load.begin";
      readonly create: string | null;
      readonly insert: string;
      readonly intent: Intent;
    }
  | { readonly op: "load.rows"; readonly rows: readonly (readonly (string | number | null)[])[] }
  | { readonly op: "load.end"; readonly word: "COMMIT" | "ROLLBACK" };

export interface OwnStatement {
  readonly sql: string;
  readonly params?: readonly (string | number | null)[];
}

export type OwnRow = Readonly<Record<string, string | number | null>>;

export type SqliteValue = QueryResult | readonly string[] | null | readonly (readonly OwnRow[])[];

export type SqliteReply =
  | { readonly id: number; readonly value: SqliteValue }
  | { readonly id: number; readonly refused: readonly Act[] }
  | { readonly id: number; readonly failed: string };
