/** Whether every record that was accepted beside the locked log is there, waiting or written. Knows nothing of chains. */
import { lstatSync, readFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Damage, Head, VerifyReport } from "../core/audit/verifyReport";
import { waitedNames } from "../core/audit/waited";
import { sha256 } from "./auditBytes";
import { readRecords } from "./auditFile";
import { auditPlace } from "./auditPlace";
import type { LogFiles } from "./auditVerifyFiles";

/** The report, with each vanished record as damage at the end of the log, and how many still wait. */
export async function withSpool(
  report: VerifyReport,
  files: LogFiles,
  head: Head | undefined,
): Promise<VerifyReport> {
  const ids = head?.spooled ?? [];
  const { spool } = auditPlace(files.log);
  const missing = ids.filter((id) => !isWaiting(spool, id));
  const waiting = ids.length - missing.length;
  const warnings = [...report.warnings];
  if (waiting > 0) warnings.push(`${waiting} record(s) wait beside the log for the next one who writes`);
  const lost = await lostSpooled(files, missing);
  if (lost.length === 0) return { ...report, warnings };
  const line = (report.segments?.at(-1)?.count ?? report.count) + 1;
  const size = await fs.stat(files.log).then(
    (stats) => stats.size,
    () => 0,
  );
  const damage: Damage[] = [
    ...report.damage,
    ...lost.map(() => ({ line, offset: size, kind: "spool_lost" as const })),
  ];
  return {
    ...report,
    ok: false,
    level: 0,
    firstBad: report.firstBad ?? line,
    damage,
    warnings: [...warnings, ...lost.map((id) => `the record that waited as ${id} is gone`)],
  };
}

/** No waiting record is longer. */
const MAX_BYTES = 128 * 1024;

/** The name ends with the hash of what must stand in the file: one that was emptied or exchanged is gone. */
function isWaiting(spool: string, id: string): boolean {
  const file = path.join(spool, `${id}.json`);
  try {
    const stats = lstatSync(file);
    return stats.isFile() && stats.size <= MAX_BYTES && id.endsWith(`-${sha256(readFileSync(file))}`);
  } catch {
    return false;
  }
}

/** Those of the ids whose record is not in the log either. */
async function lostSpooled(files: LogFiles, ids: readonly string[]): Promise<string[]> {
  const missing = new Set(ids);
  for (const file of [...files.closed, files.active]) {
    if (missing.size === 0) return [];
    if (file === undefined) continue;
    for await (const { record } of readRecords(file.path)) {
      for (const name of record === null ? [] : waitedNames(record)) missing.delete(name);
    }
  }
  return [...missing];
}
