/** Intents of this process: a durable file per running call, gone once its record is written. Knows nothing of the chain. */
import * as fs from "node:fs";
import type { JsonObject } from "../core/audit/canonical";
import type { NewSideFile } from "./auditSide";
import { writeIntent } from "./auditSide";

export interface Intents {
  /** Outlives this process when it resolves; rejects with the system's error. */
  begin(callId: string, fields: JsonObject): Promise<void>;
  clear(callId: string | undefined): void;
}

/** `flush` follows the log's durability: a kill loses no intent in either. */
export function createIntents(
  make: (id: string, fields: JsonObject) => NewSideFile,
  flush: "now" | "later",
): Intents {
  const files = new Map<string, string[]>();
  let count = 0;
  return {
    async begin(callId, fields) {
      // Two running calls may share an id: each has its file.
      const nth = files.has(callId) ? ++count : 0;
      const own = files.get(callId) ?? [];
      files.set(callId, own);
      try {
        own.push(await writeIntent({ ...make(callId, fields), nth, flush }));
      } finally {
        if (own.length === 0 && files.get(callId) === own) files.delete(callId);
      }
    },
    clear(callId) {
      const own = callId === undefined ? undefined : files.get(callId);
      const file = own?.pop();
      if (callId !== undefined && own?.length === 0) files.delete(callId);
      if (file !== undefined) fs.rm(file, { force: true }, () => undefined);
    },
  };
}
