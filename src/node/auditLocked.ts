/** What is done with the log while its lock is held: begin it, see where it ends, take in what others left. Knows nothing of waiting or queues. */
import * as fs from "node:fs";
import type { ChainLine } from "../core/audit/chain";
import type { PrepareOptions } from "../core/audit/prepare";
import type { AuditRecord } from "../core/audit/record";
import type { Head } from "../core/audit/verifyReport";
import { CountersignError, messageOf } from "../core/errors";
import { collectSides } from "./auditCollect";
import type { AuditDisk } from "./auditDisk";
import type { HeadStore } from "./auditHead";
import type { AuditKeyring } from "./auditKeysRing";
import { type AuditPlace, errorCode } from "./auditPlace";
import { closedSegments, SEGMENT_LIMITS, type SegmentLimits } from "./auditSegment";
import { createPrefixHash, type PrefixHash } from "./auditSegmentHash";
import { openAuditState } from "./auditState";
import { headSegment, LostLogError } from "./auditStateLost";
import type { AuditState } from "./auditStateTypes";

export interface LockedLogOptions {
  readonly place: AuditPlace;
  readonly prepare: PrepareOptions;
  readonly disk: AuditDisk;
  readonly store: HeadStore | undefined;
  readonly onMissing: "refuse" | "recover";
  readonly setAside?: string;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly writer: AuditRecord["writer"];
  /** Signs what is signed; left out by writers without a key. */
  readonly keyring?: AuditKeyring;
  readonly segments?: SegmentLimits;
  readonly onProblem?: (message: string) => void;
}

export interface LockedLog {
  state(): AuditState | undefined;
  /** Opens the file and compares it with what is known of it. */
  begin(known: Head | undefined): ChainLine[];
  synced(): Promise<{ state: AuditState; mended: ChainLine[] }>;
  /** Waiting records and calls without an end become records. */
  collect(how: "always" | "when due"): ChainLine[];
  close(): void;
}

const SWEEP_MS = 30_000;
/** What is left to hash when a segment is closed, at most: a few milliseconds under the lock. */
const NEAR_BYTES = 4 * 1024 * 1024;
const ROTATE_AGAIN_MS = 60_000;

export function createLockedLog(options: LockedLogOptions): LockedLog {
  const { place, disk, store } = options;
  let state: AuditState | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let spoolSeen = 0;
  let prefix: PrefixHash | undefined;
  let rotateFailedAt = Number.NEGATIVE_INFINITY;

  /** Where a writer was killed between two names of the file, the closed part is there and the log is not. */
  function open(known: Head | undefined): AuditState {
    const last = closedSegments(place.log).at(-1)?.segment ?? 0;
    return openAuditState({
      file: place.log,
      expect: known === undefined || last >= headSegment(known) ? "any" : "existing",
      newLogId: () => options.newId("log"),
      now: options.now,
      ...(options.keyring === undefined ? {} : { sign: options.keyring.sign }),
      stamp: (logId) => ({ ts: new Date(options.now()).toISOString(), logId, writer: options.writer }),
    });
  }

  function begin(known: Head | undefined): ChainLine[] {
    try {
      state = open(known);
      const mended = state.sync(known);
      const head = state.head();
      if (options.setAside === undefined || head?.log_id !== options.setAside) return mended;
      return restart(head, "set_aside");
    } catch (error) {
      const loss = lossOf(error, known, place.log);
      if (loss === undefined) throw error;
      if (options.onMissing !== "recover") throw loss;
      return restart(loss.lost, "lost");
    }
  }

  function restart(before: Head, what: "lost" | "set_aside"): ChainLine[] {
    state ??= open(undefined);
    const lines = state.restart(before, what);
    disk.replaces(before.log_id);
    disk.setKnown(state.head());
    return lines;
  }

  async function synced(): Promise<{ state: AuditState; mended: ChainLine[] }> {
    const now = await looked();
    const mended = [...now.mended, ...(await rotated(now.state))];
    mended.push(...((await options.keyring?.prepare(now.state)) ?? []));
    return { state: now.state, mended };
  }

  /** Closes a full segment. Most of it was hashed while nobody waited; what cannot be closed goes on as it is. */
  async function rotated(log: AuditState): Promise<ChainLine[]> {
    const limits = options.segments ?? SEGMENT_LIMITS;
    if (!log.isFull(limits) || performance.now() - rotateFailedAt < ROTATE_AGAIN_MS) return [];
    if (prefix?.inode !== log.inode) prefix = createPrefixHash(place.log, log.inode);
    // Short-lived programs never get there in the background.
    const isFarOver = log.size > limits.bytes * 1.25;
    if (log.size - prefix.offset > NEAR_BYTES && !isFarOver) {
      prefix.start();
      return [];
    }
    try {
      return log.rotate(await prefix.upTo(log.size));
    } catch (error) {
      rotateFailedAt = performance.now();
      options.onProblem?.(`the segment of the audit log cannot be closed: ${messageOf(error)}`);
      return [];
    } finally {
      prefix = undefined;
    }
  }

  async function looked(): Promise<{ state: AuditState; mended: ChainLine[] }> {
    const known = disk.known();
    state ??= open(known);
    try {
      return { state, mended: state.sync(known) };
    } catch (error) {
      if (!(error instanceof LostLogError)) throw error;
      // Another window may have begun it anew with a person's consent.
      const head = await store?.load();
      if (head === undefined || head.log_id === error.lost.log_id) throw error;
      disk.setKnown(head);
      return { state, mended: state.sync(head) };
    }
  }

  /** A look at the folders of other writers now and then is enough, and when the spool changed. */
  function isDue(): boolean {
    const spool = fs.statSync(place.spool, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const changed = spool !== 0 && spool !== spoolSeen;
    spoolSeen = spool;
    return changed || performance.now() - sweptAt > SWEEP_MS;
  }

  function collect(how: "always" | "when due"): ChainLine[] {
    if (state === undefined || !(isDue() || how === "always")) return [];
    sweptAt = performance.now();
    const log = state;
    // Nobody here saw what they tell of happen: none of it is signed.
    const unsigned: AuditState = { ...log, write: (fields) => log.write(fields, "unsigned") };
    return collectSides(unsigned, { place, prepare: options.prepare });
  }

  return {
    state: () => state,
    begin,
    synced,
    collect,
    close() {
      prefix?.stop();
      state?.close();
    },
  };
}

/** Undefined when the error is about something else than a log that was lost. */
function lossOf(error: unknown, known: Head | undefined, file: string): LostLogError | undefined {
  if (error instanceof LostLogError) return error;
  const isMissing = error instanceof CountersignError && errorCode(error.cause) === "ENOENT";
  if (!isMissing || known === undefined) return undefined;
  const what = `${known.count} record(s) of log ${known.log_id} are known`;
  return new LostLogError(`The audit log ${file} is missing, but ${what}.`, known);
}
