/** Whether every record that was accepted beside the locked log is there, waiting or written. Knows nothing of chains. */
import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Damage, Head, VerifyReport } from "../core/audit/verifyReport";
import { waitedNames } from "../core/audit/waited";
import { readRecords } from "./auditFile";
import { auditPlace } from "./auditPlace";
import type { LogFiles } from "./auditVerifyFiles";

/** The report, with each vanished record as damage at the end of the log. */
export async function withSpool(
  report: VerifyReport,
  files: LogFiles,
  head: Head | undefined,
): Promise<VerifyReport> {
  const lost = await lostSpooled(files, head?.spooled ?? []);
  if (lost.length === 0) return report;
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
    warnings: [...report.warnings, ...lost.map((id) => `the record that waited as ${id} is gone`)],
  };
}

/** Ids of records that were accepted beside the locked log, and are neither there nor in the log. */
async function lostSpooled(files: LogFiles, ids: readonly string[]): Promise<string[]> {
  const { spool } = auditPlace(files.log);
  const missing = new Set(ids.filter((id) => !existsSync(path.join(spool, `${id}.json`))));
  for (const file of [...files.closed, files.active]) {
    if (missing.size === 0) return [];
    if (file === undefined) continue;
    for await (const { record } of readRecords(file.path)) {
      for (const name of record === null ? [] : waitedNames(record)) missing.delete(name);
    }
  }
  return [...missing];
}
