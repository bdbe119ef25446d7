/** What happens while another holds the lock for too long: the record waits beside the log, and whoever gets the lock next writes it. */
import * as fs from "node:fs";
import type { ChainLine } from "../core/audit/chain";
import { type PrepareOptions, prepareBody } from "../core/audit/prepare";
import type { AuditRecord } from "../core/audit/record";
import { CountersignError } from "../core/errors";
import type { HeadStore } from "./auditHead";
import type { AuditPlace } from "./auditPlace";
import {
  bodyOf,
  deadIntents,
  type NewSideFile,
  readSpool,
  type Spooled,
  spoolHash,
  writeSpooled,
} from "./auditSide";
import type { AuditState } from "./auditState";

export interface SpoolWriter {
  /**
   * Resolves with a record that has no number yet (`seq` 0). Rejects with `audit.locked` where nothing outside the
   * folder could tell that the waiting record vanished; it waits and is written all the same, marked as refused.
   */
  put(side: NewSideFile, anchor: HeadStore["spool"]): Promise<AuditRecord>;
}

export function createSpoolWriter(file: string): SpoolWriter {
  let prev: string | null = null;
  return {
    async put(side, anchor) {
      const spooled = { ...side, acknowledged: anchor !== undefined, prev };
      await anchor?.add(side.id);
      await writeSpooled(spooled);
      prev = spoolHash(spooled);
      if (anchor === undefined) throw lockedFor(file);
      return provisional(side, prev);
    },
  };
}

function lockedFor(file: string): CountersignError {
  const message = `Another program has held the lock of the audit log ${file} for too long.`;
  return new CountersignError("audit.locked", message, {
    hint: "Find the program that hangs and end it; the record waits beside the log.",
  });
}

/** What a caller gets for a record that waits: no number, and the hash of the waiting file. */
function provisional(side: NewSideFile, hash: string): AuditRecord {
  const { fields, ts, writer } = side;
  const record = { ...fields, v: 1, seq: 0, ts, log_id: "", writer, prev_hash: null, record_hash: hash };
  return record as unknown as AuditRecord;
}

const SPOOLED = "the log was locked; this record waited beside it";
const REFUSED = "the log was locked; whoever asked for this record was told that it failed";
const ENDED = "the program ended while this call ran; nobody knows how it ended";

/** Under the lock: what other writers left behind, waiting records and calls without an end, becomes records. */
export function collectSides(
  state: AuditState,
  from: { readonly place: AuditPlace; readonly prepare: PrepareOptions; readonly anchor: HeadStore["spool"] },
): ChainLine[] {
  const spooled = readSpool(from.place.spool);
  const dead = deadIntents(from.place.intents);
  const bodies = [
    ...spooled.map((side) => bodyOf(side, spoolFinding(side))),
    ...dead.map((side) => bodyOf(side, { code: "ended_unknown", message: ENDED })),
  ];
  if (bodies.length === 0) return [];
  const lines = state.write(bodies.map((body) => prepareBody(body, from.prepare)));
  for (const { file } of [...spooled, ...dead]) fs.rmSync(file, { force: true });
  for (const { id } of spooled) void from.anchor?.remove(id);
  removeIfEmpty(from.place.spool);
  return lines;
}

function spoolFinding(side: Spooled): { code: string; message: string } {
  return side.acknowledged
    ? { code: "spooled", message: SPOOLED }
    : { code: "spooled_unacknowledged", message: REFUSED };
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    // Something new waits there already.
  }
}
