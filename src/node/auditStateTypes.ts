/** The log's file while the lock is held, as its users see it. Types only. */
import type { JsonObject } from "../core/audit/canonical";
import type { ChainLine, SignText, Stamp } from "../core/audit/chain";
import type { Head } from "../core/audit/verifyReport";
import type { SegmentLimits } from "./auditSegment";

export interface AuditStateOptions {
  readonly file: string;
  readonly newLogId: () => string;
  readonly stamp: (logId: string) => Stamp;
  readonly now: () => number;
  /** "existing" where a head says that there is a log: a missing file is then a loss, not a beginning. */
  readonly expect: "any" | "existing";
  /** Signs the kinds of records that are signed; left out where there is no key. */
  readonly sign?: SignText;
}

export interface AuditState {
  readonly logId: string;
  readonly fd: number;
  /** Counts from 1: the file that is written to. */
  readonly segment: number;
  readonly inode: number;
  /** Bytes of the segment. */
  readonly size: number;
  /** The newest record; undefined while the log is empty. */
  head(): Head | undefined;
  /** Looks where the log ends now and mends a torn end. Throws `audit.unreadable` when less is there than is known. */
  sync(known: Head | undefined): ChainLine[];
  /** Starts the log anew, as a person has decided: after a loss, or because nobody can sign for the one that stands there. */
  restart(before: Head, what: "lost" | "set_aside"): ChainLine[];
  /** Writes all lines in one write, or none. "unsigned" for what another process left: nobody here saw it happen. */
  write(fields: readonly JsonObject[], how?: "signed" | "unsigned"): ChainLine[];
  /** Whether the segment has reached its limits, or a writer was killed while it closed it. */
  isFull(limits: SegmentLimits): boolean;
  /** Closes the segment, whose bytes hash to `digest`, and begins the next. */
  rotate(digest: string): ChainLine[];
  close(): void;
}
