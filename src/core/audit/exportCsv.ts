/** The log as CSV: RFC 4180, and no cell that a spreadsheet would run. Knows nothing of files. */
import type { AuditRecord } from "./record";

const COLUMNS = [
  "seq",
  "ts",
  "event",
  "decision",
  "tool",
  "by",
  "reason",
  "args",
  "agent",
  "subagent",
  "session_id",
  "call_id",
  "trace_id",
  "profile",
  "ask_id",
  "approver",
  "rewritten",
  "error",
  "duration_ms",
  "result",
  "findings",
  "trail",
  "data",
  "redactions",
  "policy_digest",
  "writer",
  "log_id",
  "sig",
  "prev_hash",
  "record_hash",
] as const satisfies readonly (keyof AuditRecord)[];

/** First line, with its line break. */
export const CSV_HEADER = `${COLUMNS.join(",")}\r\n`;

/** One record, with its line break. Structures are JSON in one cell. */
export function csvLine(record: AuditRecord): string {
  return `${COLUMNS.map((column) => csvCell(record[column])).join(",")}\r\n`;
}

/** What a spreadsheet takes for the beginning of a formula, also behind blanks and in full-width signs. */
const FORMULA = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // The apostrophe makes a spreadsheet show the cell as text; NUL ends a cell in some of them.
  const safe = (FORMULA.test(text) ? `'${text}` : text).replaceAll("\u0000", "\ufffd");
  return /[",\r\n]|^'/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
