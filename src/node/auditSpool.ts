/** What happens while another holds the lock for too long: the record waits beside the log, and whoever gets the lock next writes it. */

import type { AuditRecord } from "../core/audit/record";
import { CountersignError } from "../core/errors";
import type { HeadStore } from "./auditHead";
import { type NewSideFile, writeSpooled } from "./auditSide";

/** What may wait. A person's choice may not: it is signed when it is written, and nobody signs what lay in a folder. */
const MAY_WAIT: ReadonlySet<unknown> = new Set(["call", "result"]);

export function mayWait(event: unknown): boolean {
  return MAY_WAIT.has(event);
}

export interface SpoolWriter {
  /**
   * Resolves with a record that has no number yet (`seq` 0), once the file is on the disk and `anchor` knows its hash.
   * Rejects with `audit.locked` where nothing outside the folder could tell that the waiting record vanished; it waits
   * and is written all the same, marked as refused. What may not wait is refused and not kept.
   */
  put(side: NewSideFile, anchor: HeadStore["spool"]): Promise<AuditRecord>;
  /** The lock was had: what is put aside from now on does not follow what waited before. */
  drained(): void;
}

export function createSpoolWriter(file: string): SpoolWriter {
  let last: { readonly hash: string; readonly ts: string } | undefined;
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function write(side: NewSideFile, anchor: HeadStore["spool"]): Promise<AuditRecord> {
    const { name, hash } = await writeSpooled({
      ...side,
      acknowledged: anchor !== undefined,
      nth: count,
      prev: last?.hash ?? null,
      prevTs: last?.ts ?? null,
    });
    count += 1;
    last = { hash, ts: side.ts };
    if (anchor === undefined) throw lockedFor(file, "the record waits beside the log");
    await anchor.add(name);
    return provisional(side, hash);
  }

  return {
    put(side, anchor) {
      if (!mayWait(side.fields.event)) return Promise.reject(lockedFor(file, "nothing was recorded"));
      // One after the other: each names the one before.
      const written = turn.then(() => write(side, anchor));
      turn = written.catch(() => undefined);
      return written;
    },
    drained() {
      last = undefined;
    },
  };
}

function lockedFor(file: string, what: string): CountersignError {
  const message = `Another program has held the lock of the audit log ${file} for too long; ${what}.`;
  return new CountersignError("audit.locked", message, { hint: "Find the program that hangs and end it." });
}

/** What a caller gets for a record that waits: no number, and the hash of the waiting file. */
function provisional(side: NewSideFile, hash: string): AuditRecord {
  const { fields, ts, writer } = side;
  const record = { ...fields, v: 1, seq: 0, ts, log_id: "", writer, prev_hash: null, record_hash: hash };
  return record as unknown as AuditRecord;
}
