/** What an audit log is opened with, and what it gives. Types only. */
import type { AuditRecord } from "../core/audit/record";
import type { AuditStore, Clock, Ids } from "../ports";
import type { HeadStore } from "./auditHead";
import type { AuditKeyring } from "./auditKeysRing";
import type { SegmentLimits } from "./auditSegment";

type AuditRole = "extension" | "cli" | "library" | "mcp" | "hook";

export interface AuditWriterOptions {
  readonly path: string;
  /** More names of secret fields. */
  readonly redactKeys?: readonly string[];
  /** Names, as a whole, of fields that are no secrets. */
  readonly redactExempt?: readonly string[];
  readonly role: AuditRole;
  readonly version: string;
  /** "group" (default): on the disk within 200 ms, denials at once. "always": each record. A kill loses nothing in either. */
  readonly durability?: "group" | "always";
  /** Where the newest record is remembered outside the log's folder. */
  readonly head?: HeadStore;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** What a log that is missing, emptied or shorter than its head does: "refuse" (default), or "recover" once a person said so. */
  readonly onMissing?: "refuse" | "recover";
  /** Id of a whole log that is set aside for a new one once a person said so: nobody here can sign for it. Another log that stands there stays. */
  readonly setAside?: string;
  /** Told of what goes wrong beside an append: the head cannot be stored, a sync fails. */
  readonly onProblem?: (message: string) => void;
  /** How long to wait for the lock before the spool is used. Default 2000. */
  readonly lockMs?: number;
  /** Signs a person's acts and the log's own records; left out by writers without a key. */
  readonly keyring?: AuditKeyring;
  /** When a segment is full. Default 256 MiB or 500,000 records. */
  readonly segments?: SegmentLimits;
}

export interface AuditLog extends AuditStore {
  readonly path: string;
  readonly logId: string;
  /** Called with each record that this log writes, also with recoveries. Returns how to stop. */
  onAppend(listener: (record: AuditRecord) => void): () => void;
  /** Writes what waits and lets go of the file. */
  close(): Promise<void>;
}
