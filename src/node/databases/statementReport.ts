/** What a statement is by its leading words, and results put together. Knows no driver. */
import type { RowCollector } from "./cells";
import type { QueryResult, StatementReport } from "./database";
import { leadingWords } from "./split";

export type Control = "begin" | "commit" | "rollback";

const CONTROLS: readonly (readonly [Control, RegExp])[] = [
  [
    "begin",
    /^(?:begin(?:\s+(?:work|transaction|isolation|read|deferrable|not\s+deferrable)\b[^;]*)?|start\s+transaction\b[^;]*)$/i,
  ],
  ["commit", /^(?:commit|end)(?:\s+(?:work|transaction|and\s+(?:no\s+)?chain))*$/i],
  ["rollback", /^(?:rollback|abort)(?:\s+(?:work|transaction|and\s+(?:no\s+)?chain))*$/i],
];

/** Transaction statements of the text itself; null for everything else, savepoints and blocks included. */
export function controlOf(statement: string): Control | null {
  const bare = statement.replace(/--[^\n\r]*|\/\*[\s\S]*?\*\//g, " ").trim();
  return CONTROLS.find(([, form]) => form.test(bare))?.[0] ?? null;
}

export function controlReport(statement: string, control: Control): StatementReport {
  const note =
    control === "rollback" ? "what came before was undone" : "all statements run in one transaction";
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
