/** Intents of this process: a durable file per running call, gone once its record is written. Knows nothing of the chain. */
import * as fs from "node:fs";
import type { JsonObject } from "../core/audit/canonical";
import type { NewSideFile } from "./auditSide";
import { writeIntent } from "./auditSide";

export interface Intents {
  /** Outlives this process when it resolves, a power cut too with "now"; rejects with the system's error. */
  begin(callId: string, fields: JsonObject, flush: "now" | "later"): Promise<void>;
  /** The record is written. Its file goes in a moment, with others: one that is left behind names a call whose end is on record. */
  clear(callId: string | undefined): void;
  close(): void;
}

const SWEEP_MS = 20;

export function createIntents(make: (id: string, fields: JsonObject) => NewSideFile): Intents {
  const files = new Map<string, string[]>();
  let count = 0;
  const ended: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const sweep = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const file of ended.splice(0)) {
      try {
        fs.unlinkSync(file);
      } catch {
        // Gone already; what cannot be removed is taken in by whoever looks next.
      }
    }
  };
  return {
    async begin(callId, fields, flush) {
      // Two running calls may share an id: each has its file.
      count += 1;
      const nth = count;
      const own = files.get(callId) ?? [];
      files.set(callId, own);
      try {
        own.push(await writeIntent({ ...make(recordedId(callId, fields), fields), nth, flush }));
      } finally {
        if (own.length === 0 && files.get(callId) === own) files.delete(callId);
      }
    },
    clear(callId) {
      const own = callId === undefined ? undefined : files.get(callId);
      const file = own?.pop();
      if (callId !== undefined && own?.length === 0) files.delete(callId);
      if (file === undefined) return;
      ended.push(file);
      timer ??= setTimeout(sweep, SWEEP_MS).unref();
    },
    close: sweep,
  };
}

/** An agent may put a secret into its own id: the file is named by what the record will say. */
function recordedId(callId: string, fields: JsonObject): string {
  return typeof fields.call_id === "string" ? fields.call_id : callId;
}
