/** The newest rows of a log that has not been read through. Knows nothing of pages or of VS Code. */
import { type AuditRow, toRow } from "../core/audit/query";
import { readLine } from "../core/audit/readLine";
import { rowIndex } from "../core/audit/rowIndex";
import { lastLines } from "./auditLines";
import { filesOfLog } from "./auditParts";
import type { LogEnd, ReadLine } from "./auditRowsRead";

export type { ReadLine } from "./auditRowsRead";

export interface Newest {
  readonly rows: AuditRow[];
  readonly lines: ReadLine[];
  readonly end: LogEnd;
}

/** The rows in the last `bytes` of the log. Their line numbers count back from the end: -1 is the last line. */
export async function newestRows(log: string, bytes: number): Promise<Newest> {
  const files = await filesOfLog(log);
  const active = files.at(-1);
  let texts: string[] = [];
  let end = 0;
  let left = bytes;
  for (const file of files.toReversed()) {
    const found = await lastLines(file.path, Math.min(left, file.size));
    if (file === active) end = found.end;
    texts = [...found.lines, ...texts];
    left -= file.size;
    if (left <= 0) break;
  }
  const lines = texts.map((raw, at) => ({ line: at - texts.length, raw, record: readLine(raw) }));
  const index = rowIndex();
  for (const [at, { record }] of lines.entries()) index.add({ line: at + 1, record });
  const rows = Array.from({ length: index.rows() }, (_, row) =>
    toRow(index.linesOf(row).flatMap((line) => lines[line - 1] ?? [])),
  );
  return { rows, lines, end: { place: active?.place ?? "", offset: end } };
}
