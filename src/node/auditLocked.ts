/** What is done with the log while its lock is held: begin it, see where it ends, take in what others left. Knows nothing of waiting or queues. */
import * as fs from "node:fs";
import type { ChainLine } from "../core/audit/chain";
import type { PrepareOptions } from "../core/audit/prepare";
import type { AuditRecord } from "../core/audit/record";
import type { Head } from "../core/audit/verifyReport";
import { CountersignError } from "../core/errors";
import type { AuditDisk } from "./auditDisk";
import type { HeadStore } from "./auditHead";
import { type AuditPlace, errorCode } from "./auditPlace";
import { collectSides } from "./auditSpool";
import { type AuditState, LostLogError, openAuditState } from "./auditState";

export interface LockedLogOptions {
  readonly place: AuditPlace;
  readonly prepare: PrepareOptions;
  readonly disk: AuditDisk;
  readonly store: HeadStore | undefined;
  readonly onMissing: "refuse" | "recover";
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly writer: AuditRecord["writer"];
}

export interface LockedLog {
  state(): AuditState | undefined;
  /** Opens the file and compares it with what is known of it. */
  begin(known: Head | undefined): ChainLine[];
  synced(): Promise<{ state: AuditState; mended: ChainLine[] }>;
  /** Waiting records and calls without an end become records. */
  collect(how: "always" | "when due"): ChainLine[];
}

const SWEEP_MS = 30_000;

export function createLockedLog(options: LockedLogOptions): LockedLog {
  const { place, disk, store } = options;
  let state: AuditState | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let spoolSeen = 0;

  function open(expect: "any" | "existing"): AuditState {
    return openAuditState({
      file: place.log,
      expect,
      newLogId: () => options.newId("log"),
      now: options.now,
      stamp: (logId) => ({ ts: new Date(options.now()).toISOString(), logId, writer: options.writer }),
    });
  }

  function begin(known: Head | undefined): ChainLine[] {
    try {
      state = open(known === undefined ? "any" : "existing");
      return state.sync(known);
    } catch (error) {
      const loss = lossOf(error, known, place.log);
      if (loss === undefined) throw error;
      if (options.onMissing !== "recover") throw loss;
      state ??= open("any");
      const lines = state.restart(loss.lost);
      disk.replaces(loss.lost.log_id);
      disk.setKnown(state.head());
      return lines;
    }
  }

  async function synced(): Promise<{ state: AuditState; mended: ChainLine[] }> {
    const known = disk.known();
    state ??= open(known === undefined ? "any" : "existing");
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
    return collectSides(state, { place, prepare: options.prepare, anchor: store?.spool });
  }

  return { state: () => state, begin, synced, collect };
}

/** Undefined when the error is about something else than a log that was lost. */
function lossOf(error: unknown, known: Head | undefined, file: string): LostLogError | undefined {
  if (error instanceof LostLogError) return error;
  const isMissing = error instanceof CountersignError && errorCode(error.cause) === "ENOENT";
  if (!isMissing || known === undefined) return undefined;
  const what = `${known.count} record(s) of log ${known.log_id} are known`;
  return new LostLogError(`The audit log ${file} is missing, but ${what}.`, known);
}
