/** An export as one JSON object: what it holds and what it leaves out, then the records, one a line. Knows nothing of files. */
import type { RowFilter } from "./query";
import type { Redactor } from "./redact";

export interface JsonExport {
  /** ISO 8601. */
  readonly at: string;
  /** What records had to fit; a time alone from the command line. */
  readonly filter: RowFilter;
  /** Checkpoints and heartbeats that fit, and were not listed. */
  readonly upkeepLeftOut: number;
}

/** Without them a reader would take gaps in the chain for records that somebody removed. */
export function jsonBegin({ at, filter, upkeepLeftOut }: JsonExport, redactor: Redactor): string {
  // What a person looks for may be a secret.
  const { value } = redactor.value({ ...filter }, "filter");
  const left_out = { checkpoints_and_heartbeats: upkeepLeftOut };
  return `{"export":${JSON.stringify({ v: 1, at, filter: value, left_out })},\n"records":[`;
}

/** Before the record of this index. */
export function jsonBefore(index: number): string {
  return index === 0 ? "\n" : ",\n";
}

/** `damagedLines` are no records and were left out. */
export function jsonEnd(counts: { readonly records: number; readonly damagedLines: number }): string {
  const { records, damagedLines } = counts;
  return `${records === 0 ? "" : "\n"}],\n"counts":${JSON.stringify({ records, damaged_lines: damagedLines })}}\n`;
}
