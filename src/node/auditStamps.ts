/** What a writer puts on everything it writes: who it is, the time, new ids, the seal of files beside the log. */
import type { JsonObject } from "../core/audit/canonical";
import type { AuditRecord } from "../core/audit/record";
import { createSeal } from "./auditKey";
import type { AuditWriterOptions } from "./auditOptions";
import { ownOrigin } from "./auditOrigin";
import type { NewSideFile } from "./auditSide";
import { nodeClock, nodeIds } from "./ports";

export interface Stamps {
  readonly writer: AuditRecord["writer"];
  newId(prefix: string): string;
  /** Milliseconds since 1970. */
  now(): number;
  side(folder: string, id: string, fields: JsonObject): NewSideFile;
}

export function createStamps(
  options: Pick<AuditWriterOptions, "version" | "role" | "ids" | "clock">,
  keyFile: string,
): Stamps {
  const { version, role, ids = nodeIds, clock = nodeClock } = options;
  const writer = { pid: process.pid, version, role };
  const origin = ownOrigin();
  const seal = createSeal(keyFile);
  const now = (): number => clock.now();
  return {
    writer,
    newId: (prefix) => ids(prefix),
    now,
    side: (folder, id, fields) => ({
      folder,
      id,
      fields,
      ts: new Date(now()).toISOString(),
      origin,
      writer,
      seal,
    }),
  };
}
