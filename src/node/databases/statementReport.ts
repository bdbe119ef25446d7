/** What a statement is by its leading words, and results put together. Knows no driver. */
import type { RowCollector } from "./cells";
import type { QueryResult, StatementReport } from "./database";
import { leadingWords } from "./split";

export type Control = "begin" | "commit" | "rollback";

/** Transaction statements of the text itself; null for everything else, savepoints included. */
export function controlOf(statement: string): Control | null {
  const command = leadingWords(statement);
  if (command === "BEGIN" || command === "START TRANSACTION") return "begin";
  if (command === "COMMIT" || command === "END") return "commit";
  if (command !== "ROLLBACK" && command !== "ABORT") return null;
  return /\bto\b/i.test(statement) ? null : "rollback";
}

export function controlReport(statement: string, control: Control): StatementReport {
  const note = control === "rollback" ? "what came before was undone" : "all statements run in one transaction";
  return { command: leadingWords(statement), rows: 0, changes: 0, note };
}

export interface Returned {
  readonly columns: readonly string[];
  readonly rows: RowCollector;
}

export function resultOf(reports: readonly StatementReport[], last: Returned | undefined): QueryResult {
  return {
    columns: last?.columns ?? [],
    rows: last?.rows.rows ?? [],
    rowCount: last?.rows.rows.length ?? 0,
    truncated: last?.rows.truncated ?? false,
    changes: reports.reduce((sum, report) => sum + report.changes, 0),
    statements: reports,
  };
}
