/** An audit log in memory, for the time in which no file can be written: the same records, the same chain. Knows nothing of files. */
import * as crypto from "node:crypto";
import { type ChainHead, GENESIS, makeLine } from "../core/audit/chain";
import { type PrepareOptions, prepareBody } from "../core/audit/prepare";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import { createRedactor } from "../core/audit/redact";
import { CountersignError } from "../core/errors";
import type { AuditStore } from "../ports";
import { sha256 } from "./auditBytes";
import type { AuditLog, AuditWriterOptions } from "./auditWriter";
import { nodeClock, nodeIds } from "./ports";

export type MemoryAuditOptions = Pick<
  AuditWriterOptions,
  "redactKeys" | "redactExempt" | "role" | "version" | "clock" | "ids"
> & {
  /** Records kept; beyond it appends are refused with `audit.unwritable`. Default 100000. */
  readonly limit?: number;
};

export interface MemoryAuditLog extends AuditLog {
  /** The lines so far, without LF: a chain that verifies. */
  lines(): readonly string[];
  /**
   * Appends what is held to a log that works again, each record with a finding `held_in_memory`, and forgets it.
   * Gives the number of records; stops at the first that cannot be written and keeps it and the rest.
   */
  flushInto(log: AuditStore): Promise<number>;
}

interface Held {
  readonly line: string;
  readonly record: AuditRecord;
}

export function memoryAuditLog(options: MemoryAuditOptions): MemoryAuditLog {
  const clock = options.clock ?? nodeClock;
  const logId = (options.ids ?? nodeIds)("log");
  const key = crypto.randomBytes(32);
  const prepare: PrepareOptions = {
    redactor: createRedactor({ keys: options.redactKeys ?? [], exempt: options.redactExempt ?? [] }),
    hmac: (text) => crypto.createHmac("sha256", key).update(text).digest("hex"),
  };
  const writer = { pid: process.pid, version: options.version, role: options.role };
  const listeners = new Set<(record: AuditRecord) => void>();
  const held: Held[] = [];
  let before: ChainHead = GENESIS;

  return {
    path: "memory",
    logId,
    async intend() {
      // Nothing outlives the process, so there is nothing to keep for after it.
    },
    async append(body) {
      if (held.length >= (options.limit ?? 100_000)) {
        throw new CountersignError("audit.unwritable", "The audit log in memory is full.", {
          hint: "Make the audit log's folder writable again; what is held is written then.",
        });
      }
      const stamp = { ts: new Date(clock.now()).toISOString(), logId, writer };
      const { line, record, head } = makeLine(prepareBody(body, prepare), { before, stamp, hash: sha256 });
      held.push({ line, record });
      before = head;
      for (const listener of listeners) listener(record);
      return record;
    },
    onAppend(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lines: () => held.map(({ line }) => line),
    async flushInto(log) {
      let count = 0;
      for (let next = held[0]; next !== undefined; next = held[0]) {
        await log.append(heldBody(next.record));
        held.shift();
        count += 1;
      }
      return count;
    },
    async close() {
      listeners.clear();
    },
  };
}

function heldBody(record: AuditRecord): RecordBody {
  const {
    v: _v,
    seq,
    ts,
    log_id,
    writer: _writer,
    prev_hash: _prev,
    record_hash,
    redactions: _redactions,
    ...body
  } = record;
  const held = {
    code: "held_in_memory",
    message: "the audit log could not be written; this record waited in memory",
    by: "audit_log",
    severity: "warning" as const,
    details: { seq, ts, log_id, record_hash },
  };
  return { ...body, findings: [...(record.findings ?? []), held] };
}
