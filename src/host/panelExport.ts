/** Writes the records of a list to a file as a stream, secrets taken out once more by today's rules. Knows nothing of VS Code or of pages. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { CSV_HEADER, csvLine } from "../core/audit/exportCsv";
import { jsonBefore, jsonBegin, jsonEnd } from "../core/audit/exportJson";
import { exportRecord } from "../core/audit/exportRecord";
import { createRedactor } from "../core/audit/redact";
import type { AuditRows } from "../node/auditRows";
import type { ExportFormat } from "../panel/messages";
import type { FullList } from "./panelList";

export interface PanelExport {
  readonly file: string;
  readonly format: ExportFormat;
  readonly list: FullList;
  readonly rows: AuditRows;
  /** ISO 8601: when it was asked for. */
  readonly at: string;
  readonly signal: AbortSignal;
  /** Lines done, of all lines of the log. */
  readonly onProgress: (done: number, total: number) => void;
}

const BATCH = 256 << 10;

export interface Exported {
  readonly records: number;
  /** Lines that are no records. */
  readonly leftOut: number;
  /** Checkpoints and heartbeats that the list hides. */
  readonly upkeepLeftOut: number;
}

/**
 * Records are written in the order of the log. The file gets its name only when it is whole: whoever stops the export, or a
 * full disk, leaves no half of one. Rejects with the system's error, or the signal's reason.
 */
export async function exportRows(asked: PanelExport): Promise<Exported> {
  const { file, format, list, rows, at, signal, onProgress } = asked;
  const wanted = new Uint8Array(rows.index.lines() + 1);
  list.each((row) => {
    for (const line of rows.index.linesOf(row)) wanted[line] = 1;
  });
  const draft = `${file}.part-${process.pid}`;
  const out = createWriteStream(draft, { mode: 0o600 });
  const redactor = createRedactor();
  const { filter, upkeep } = list.listing;
  const upkeepLeftOut = upkeep === "hidden" ? list.upkeep() : 0;
  let text = format === "csv" ? CSV_HEADER : jsonBegin({ at, filter, upkeepLeftOut }, redactor);
  let records = 0;
  let leftOut = 0;
  let failure: Error | undefined;
  out.on("error", (error) => {
    failure = error;
  });
  async function flush(): Promise<void> {
    if (failure !== undefined) throw failure;
    if (!out.write(text)) await once(out, "drain", { signal });
    text = "";
  }
  function see(line: number): boolean {
    if (line % 2000 === 0) onProgress(line, wanted.length - 1);
    return wanted[line] === 1;
  }
  try {
    await once(out, "open", { signal });
    for await (const raw of rows.each(see, signal)) {
      const found = exportRecord(raw, redactor);
      if (found === undefined) {
        leftOut += 1;
        continue;
      }
      const { record, changed } = found;
      text +=
        format === "csv" ? csvLine(record) : jsonBefore(records) + (changed ? JSON.stringify(record) : raw);
      records += 1;
      if (text.length >= BATCH) await flush();
    }
    out.end(format === "csv" ? text : text + jsonEnd({ records, damagedLines: leftOut }));
    await finished(out);
    await rename(draft, file);
  } catch (error) {
    out.destroy();
    await rm(draft, { force: true });
    throw error;
  }
  return { records, leftOut, upkeepLeftOut };
}
