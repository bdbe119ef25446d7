/** What of a line of the log leaves the machine: the record, its secrets taken out once more by today's rules, and whether the line fits the time asked for. Knows no format. */
import { canonicalText, type JsonObject, toRecordable } from "./canonical";
import { readLine } from "./readLine";
import type { AuditRecord } from "./record";
import type { Redactor } from "./redact";

export interface ExportSpan {
  /** ISO 8601, inclusive. */
  readonly since?: string;
  /** ISO 8601, exclusive. */
  readonly until?: string;
}

/** Fields that are made by us and hold no text of an agent: hashes and ids of the chain. */
const CHAIN = [
  "v",
  "seq",
  "ts",
  "log_id",
  "writer",
  "sig",
  "prev_hash",
  "record_hash",
  "redactions",
] as const;

/** Undefined where the line is no record. `changed` says that today's rules took out what the writer's had left. */
export function exportRecord(
  line: string,
  redactor: Redactor,
): { readonly record: AuditRecord; readonly changed: boolean } | undefined {
  const record = readLine(line);
  if (record === null) return undefined;
  const chain: Record<string, unknown> = {};
  const content: Record<string, unknown> = { ...record };
  for (const name of CHAIN) {
    if (content[name] !== undefined) chain[name] = content[name];
    delete content[name];
  }
  const plain = toRecordable(content);
  const { value, redactions } = redactor.value(plain, "record");
  const changed = redactions.length > 0;
  // The same shape with shorter texts; hidden structures are texts, as in every record.
  const clean = { ...(value as JsonObject), ...chain } as unknown as AuditRecord;
  return { record: changed ? clean : record, changed };
}

export function isWithin(ts: string, span: ExportSpan): boolean {
  const at = Date.parse(ts);
  if (span.since !== undefined && !(at >= Date.parse(span.since))) return false;
  return span.until === undefined || at < Date.parse(span.until);
}

/** The line that stands for this record in the log. */
export function lineOf(record: AuditRecord): string {
  const { record_hash, ...rest } = record;
  return `${canonicalText(rest as unknown as JsonObject).slice(0, -1)},"record_hash":"${record_hash}"}`;
}
