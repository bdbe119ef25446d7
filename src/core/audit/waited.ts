/** Names of the files that a record waited in while the log was locked. Each stands in a log once. Knows nothing of files. */
import type { AuditRecord } from "./record";

/** The codes of such findings begin so. */
export const WAITED_CODE = "spooled";

export function waitedNames(record: Pick<AuditRecord, "findings">): string[] {
  return (record.findings ?? [])
    .filter(({ by, code }) => by === "audit_log" && code.startsWith(WAITED_CODE))
    .map(({ details }) => details?.id)
    .filter((id) => typeof id === "string");
}

/** The same of a line as it was parsed: nothing is believed of its shape. */
export function waitedNamesIn(findings: unknown): string[] {
  if (!Array.isArray(findings)) return [];
  return findings.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null) return [];
    const { by, code, details } = one as Readonly<Record<string, unknown>>;
    const isWait = by === "audit_log" && typeof code === "string" && code.startsWith(WAITED_CODE);
    if (!isWait || typeof details !== "object" || details === null || !("id" in details)) return [];
    return typeof details.id === "string" ? [details.id] : [];
  });
}
