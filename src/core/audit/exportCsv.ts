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
const SIGNS = "=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\u2212";
const BLANKS = "[\\s\\u00a0\\ufeff\\u200b-\\u200f\\u2060]*";
const FORMULA = new RegExp(`^${BLANKS}[${SIGNS}|]|^[\\t\\r\\n]`);
/** A reader that splits cells elsewhere than at commas sees no quotes: a cell begins behind each of these signs. */
const INNER_FORMULAS = new RegExp(`([;|\\t\\n\\r]["']?)(?=${BLANKS.replace("*", "{0,16}")}[${SIGNS}])`, "g");

export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // The apostrophe makes a spreadsheet show the cell as text; NUL ends a cell in some of them.
  const whole = (FORMULA.test(text) ? `'${text}` : text).replaceAll("\u0000", "\ufffd");
  const safe = whole.replace(INNER_FORMULAS, "$1'");
  return /[",;\t\r\n]|^'/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
