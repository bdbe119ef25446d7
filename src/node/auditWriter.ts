/** The audit log for writers: many processes, one chain, no acknowledged record lost. Knows nothing of who decides or why. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import type { JsonObject } from "../core/audit/canonical";
import type { ChainLine } from "../core/audit/chain";
import { type PrepareOptions, prepareBody } from "../core/audit/prepare";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import { createRedactor } from "../core/audit/redact";
import { CountersignError } from "../core/errors";
import type { AuditStore, Clock, Ids } from "../ports";
import type { Head, HeadStore } from "./auditHead";
import { openAuditLock } from "./auditLock";
import { type AuditPlace, auditPlace, errorCode, prepareFolder, unwritable } from "./auditPlace";
import { bodyOf, deadIntents, ownOrigin, readSpool, spoolHash, writeIntent, writeSpooled } from "./auditSide";
import { type AuditState, LostLogError, openAuditState } from "./auditState";
import { nodeClock, nodeIds } from "./ports";

export type AuditRole = "extension" | "cli" | "library" | "mcp" | "hook";

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
  /** Told of what goes wrong beside an append: the head cannot be stored, a sync fails. */
  readonly onProblem?: (message: string) => void;
  /** How long to wait for the lock before the spool is used. Default 2000. */
  readonly lockMs?: number;
}

export interface AuditLog extends AuditStore {
  readonly path: string;
  readonly logId: string;
  /** Called with each record that this log writes, also with recoveries. Returns how to stop. */
  onAppend(listener: (record: AuditRecord) => void): () => void;
  /** Writes what waits and lets go of the file. */
  close(): Promise<void>;
}

const LOCK_MS = 2000;
const SYNC_MS = 200;
const BATCH = 64;
const SWEEP_MS = 30_000;
const DRAIN_MS = 250;
/** Records that must be on the disk before anybody acts on them. */
const SYNCED_EVENTS = new Set([
  "human_choice",
  "grant",
  "trust",
  "config_accepted",
  "switch",
  "log.checkpoint",
]);

interface Waiting {
  readonly fields: JsonObject;
  readonly callId: string | undefined;
  readonly resolve: (record: AuditRecord) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens or begins a log. Errors: `audit.path` (not a regular file, not a log), `audit.unwritable` (permissions, disk),
 * `audit.unreadable` (missing, emptied or shorter although its head is known), `runtime.missing` (no node:sqlite).
 */
export async function openAuditLog(options: AuditWriterOptions): Promise<AuditLog> {
  const place = auditPlace(options.path);
  const known = await options.head?.load();
  prepareFolder(place);
  const writer = new Writer(options, place);
  try {
    await writer.open(known);
  } catch (error) {
    writer.abandon();
    throw error;
  }
  return writer;
}

class Writer implements AuditLog {
  readonly path: string;
  private readonly options: AuditWriterOptions;
  private readonly place: AuditPlace;
  private readonly clock: Clock;
  private readonly ids: Ids;
  private readonly prepare: PrepareOptions;
  private readonly origin = ownOrigin();
  private readonly lock: ReturnType<typeof openAuditLock>;
  private readonly listeners = new Set<(record: AuditRecord) => void>();
  private readonly intents = new Map<string, string[]>();
  private state: AuditState | undefined;
  private known: Head | undefined;
  private queue: Waiting[] = [];
  private pumping: Promise<void> | undefined;
  private syncing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private drainTimer: NodeJS.Timeout | undefined;
  private sweptAt = Number.NEGATIVE_INFINITY;
  private lastSpool: string | null = null;
  private closed = false;

  constructor(options: AuditWriterOptions, place: AuditPlace) {
    this.options = options;
    this.place = place;
    this.path = place.log;
    this.clock = options.clock ?? nodeClock;
    this.ids = options.ids ?? nodeIds;
    this.prepare = {
      redactor: createRedactor({ keys: options.redactKeys ?? [], exempt: options.redactExempt ?? [] }),
      hmac: createHmac(place.key),
    };
    this.lock = openAuditLock(place.lock);
  }

  get logId(): string {
    return this.state?.logId ?? "";
  }

  async open(known: Head | undefined): Promise<void> {
    this.known = known;
    if (!(await this.lock.acquire(this.options.lockMs ?? LOCK_MS))) {
      // A holder is stuck: records go to the spool until it lets go.
      this.state = this.openState();
      return;
    }
    try {
      this.tell(this.begin(known));
      this.tell(this.takeSides());
    } finally {
      this.lock.release();
    }
    await this.storeHead();
  }

  private begin(known: Head | undefined): ChainLine[] {
    try {
      this.state = this.openState();
      return this.state.sync(known);
    } catch (error) {
      const lost = error instanceof LostLogError ? error.lost : known;
      const isLoss = error instanceof LostLogError || (known !== undefined && isMissing(error));
      if (!isLoss || lost === undefined) throw error;
      if (this.options.onMissing !== "recover")
        throw error instanceof LostLogError ? error : lossOf(known ?? lost, this.path);
      this.state ??= openAuditState({ ...this.stateOptions(), expect: "any" });
      this.replaced = lost.log_id;
      return this.state.restart(lost);
    }
  }

  private replaced: string | undefined;

  private openState(): AuditState {
    return openAuditState({ ...this.stateOptions(), expect: this.known === undefined ? "any" : "existing" });
  }

  private stateOptions() {
    const writer = { pid: process.pid, version: this.options.version, role: this.options.role };
    return {
      file: this.path,
      newLogId: () => this.ids("log"),
      now: () => this.clock.now(),
      stamp: (logId: string) => ({ ts: this.now(), logId, writer }),
    };
  }

  private now(): string {
    return new Date(this.clock.now()).toISOString();
  }

  abandon(): void {
    this.closed = true;
    this.state?.close();
    this.lock.close();
  }

  onAppend(listener: (record: AuditRecord) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(lines: readonly ChainLine[]): void {
    for (const line of lines) for (const listener of this.listeners) callSafely(listener, line.record);
  }

  async intend(body: RecordBody): Promise<void> {
    this.checkOpen();
    const id = body.call_id ?? this.ids("call");
    const files = this.intents.get(id) ?? [];
    this.intents.set(id, files);
    try {
      const fields = prepareBody(body, this.prepare);
      const writer = { pid: process.pid, version: this.options.version, role: this.options.role };
      const { origin, place } = this;
      files.push(
        await writeIntent({
          folder: place.intents,
          id,
          ts: this.now(),
          fields,
          origin,
          writer,
          nth: files.length,
        }),
      );
    } catch (error) {
      if (files.length === 0) this.intents.delete(id);
      throw unwritable(error, this.path);
    }
  }

  /** The record is on its way to the disk: its call no longer needs the intent. */
  private clearIntent(callId: string | undefined): void {
    if (callId === undefined) return;
    const files = this.intents.get(callId);
    const file = files?.pop();
    if (files?.length === 0) this.intents.delete(callId);
    if (file !== undefined) fs.rm(file, { force: true }, () => undefined);
  }

  append(body: RecordBody): Promise<AuditRecord> {
    return new Promise((resolve, reject) => {
      this.checkOpen();
      this.queue.push({ fields: prepareBody(body, this.prepare), callId: body.call_id, resolve, reject });
      this.pumping ??= this.pump();
    });
  }

  private checkOpen(): void {
    if (this.closed) throw new CountersignError("audit.unwritable", `The audit log ${this.path} is closed.`);
  }

  private async pump(): Promise<void> {
    // What is asked for in the same turn shares one lock and one write.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, BATCH);
      try {
        await this.writeBatch(batch);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.pumping = undefined;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    if (!(await this.lock.acquire(this.options.lockMs ?? LOCK_MS))) {
      await Promise.all(batch.map((waiting) => this.spool(waiting)));
      return;
    }
    let lines: ChainLine[];
    try {
      lines = await this.writeLocked(batch);
    } finally {
      this.lock.release();
    }
    this.tell(lines);
    const isFirst = this.options.head !== undefined && this.known === undefined;
    const mustSync =
      this.options.durability === "always" || isFirst || lines.some((line) => isUrgent(line.record));
    if (mustSync) await this.syncNow();
    else this.syncSoon();
    for (const [index, waiting] of batch.entries()) {
      const line = lines[lines.length - batch.length + index];
      if (line === undefined) continue;
      this.clearIntent(waiting.callId);
      waiting.resolve(line.record);
    }
  }

  private async writeLocked(batch: readonly Waiting[]): Promise<ChainLine[]> {
    const state = this.state ?? this.reopened();
    const mended = await this.syncState(state);
    const sides =
      this.clock.monotonic() - this.sweptAt > SWEEP_MS || fs.existsSync(this.place.spool)
        ? this.takeSides()
        : [];
    return [...mended, ...sides, ...state.write(batch.map((waiting) => waiting.fields))];
  }

  private reopened(): AuditState {
    this.state = this.openState();
    return this.state;
  }

  private async syncState(state: AuditState): Promise<ChainLine[]> {
    try {
      return state.sync(this.known);
    } catch (error) {
      if (!(error instanceof LostLogError) || this.options.head === undefined) throw error;
      // Another window may have started it anew with a person's consent.
      const known = await this.options.head.load();
      if (known === undefined || known.log_id === error.lost.log_id) throw error;
      this.known = known;
      return state.sync(known);
    }
  }

  /** Under the lock: what other writers left behind becomes records. */
  private takeSides(): ChainLine[] {
    const { state } = this;
    if (state === undefined) return [];
    this.sweptAt = this.clock.monotonic();
    const spooled = readSpool(this.place.spool);
    const dead = deadIntents(this.place.intents);
    const bodies = [
      ...spooled.map((side) =>
        bodyOf(side, {
          code: side.acknowledged ? "spooled" : "spooled_unacknowledged",
          message: side.acknowledged
            ? "the log was locked; this record waited beside it"
            : "the log was locked; whoever asked for this record was told that it failed",
        }),
      ),
      ...dead.map((side) =>
        bodyOf(side, {
          code: "ended_unknown",
          message: "the program ended while this call ran; nobody knows how it ended",
        }),
      ),
    ];
    if (bodies.length === 0) return [];
    const lines = state.write(bodies.map((body) => prepareBody(body, this.prepare)));
    for (const side of [...spooled, ...dead]) fs.rmSync(side.file, { force: true });
    for (const side of spooled) void this.options.head?.spool?.remove(side.id);
    removeIfEmpty(this.place.spool);
    return lines;
  }

  /** The log is locked for too long: the record waits beside it, and counts only if that is remembered elsewhere. */
  private async spool(waiting: Waiting): Promise<void> {
    const anchor = this.known === undefined ? undefined : this.options.head?.spool;
    const id = this.ids("spool");
    const writer = { pid: process.pid, version: this.options.version, role: this.options.role };
    const side = {
      folder: this.place.spool,
      id,
      ts: this.now(),
      fields: waiting.fields,
      origin: this.origin,
      writer,
      acknowledged: anchor !== undefined,
      prev: this.lastSpool,
    };
    try {
      await anchor?.add(id);
      await writeSpooled(side);
    } catch (error) {
      waiting.reject(unwritable(error, this.path));
      return;
    }
    this.lastSpool = spoolHash(side);
    this.drainSoon();
    this.clearIntent(waiting.callId);
    if (anchor === undefined) waiting.reject(lockedFor(this.path));
    else waiting.resolve(provisional(side, this.lastSpool, this.logId));
  }

  private drainSoon(): void {
    if (this.drainTimer !== undefined || this.closed) return;
    this.drainTimer = setTimeout(() => {
      this.drainTimer = undefined;
      if (fs.existsSync(this.place.spool) && !this.drain()) this.drainSoon();
    }, DRAIN_MS);
    this.drainTimer.unref();
  }

  /** False when the lock is still held by another. */
  private drain(): boolean {
    if (this.pumping !== undefined || this.state === undefined || !this.lock.tryAcquire()) return false;
    try {
      const lines = [...this.state.sync(this.known), ...this.takeSides()];
      this.tell(lines);
      this.syncSoon();
    } catch (error) {
      this.options.onProblem?.(error instanceof Error ? error.message : String(error));
    } finally {
      this.lock.release();
    }
    return true;
  }

  private syncSoon(): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.syncNow().catch((error: unknown) => this.options.onProblem?.(String(error)));
    }, SYNC_MS);
    this.timer.unref();
  }

  /** What was written before this call is on the disk when it resolves; those who wait together share one sync. */
  private async syncNow(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    // One under way may have begun before our write.
    if (this.syncing !== undefined) await this.syncing.catch(() => undefined);
    this.syncing ??= this.syncFile().finally(() => {
      this.syncing = undefined;
    });
    await this.syncing;
  }

  private async syncFile(): Promise<void> {
    const { state } = this;
    if (state === undefined) return;
    const head = state.head();
    await new Promise<void>((resolve, reject) => {
      fs.fdatasync(state.fd, (error) => (error === null ? resolve() : reject(unwritable(error, this.path))));
    });
    await this.storeHead(head);
  }

  /** Only what is on the disk: a head ahead of its log would look like a cut. */
  private async storeHead(head: Head | undefined = this.state?.head()): Promise<void> {
    if (head === undefined || this.options.head === undefined) return;
    try {
      await this.options.head.store(head, this.replaced === undefined ? {} : { replaces: this.replaced });
      this.known = head;
    } catch (error) {
      this.options.onProblem?.(`the head of the audit log cannot be stored: ${String(error)}`);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.pumping;
    clearTimeout(this.drainTimer);
    if (fs.existsSync(this.place.spool)) this.drain();
    await this.syncNow().catch((error: unknown) => this.options.onProblem?.(String(error)));
    this.state?.close();
    this.lock.close();
  }
}

function callSafely(listener: (record: AuditRecord) => void, record: AuditRecord): void {
  try {
    listener(record);
  } catch {
    // A listener shows records; its fault is not the log's.
  }
}

function isUrgent(record: AuditRecord): boolean {
  return record.decision === "denied" || SYNCED_EVENTS.has(record.event);
}

function isMissing(error: unknown): boolean {
  return error instanceof CountersignError && errorCode(error.cause) === "ENOENT";
}

function lossOf(known: Head, file: string): CountersignError {
  return new LostLogError(
    `The audit log ${file} is missing, but ${known.count} record(s) of log ${known.log_id} are known.`,
    known,
  );
}

function lockedFor(file: string): CountersignError {
  return new CountersignError(
    "audit.locked",
    `Another program has held the lock of the audit log ${file} for too long.`,
    {
      hint: "Find the program that hangs and end it; the record waits beside the log.",
    },
  );
}

/** What a caller gets for a record that waits in the spool: no number yet, and the hash of the waiting file. */
function provisional(
  side: { fields: JsonObject; ts: string; writer: AuditRecord["writer"] },
  hash: string,
  logId: string,
): AuditRecord {
  const { fields, ts, writer } = side;
  return {
    ...fields,
    v: 1,
    seq: 0,
    ts,
    log_id: logId,
    writer,
    prev_hash: null,
    record_hash: hash,
  } as unknown as AuditRecord;
}

function removeIfEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    // Something new waits there already.
  }
}

/** A keyed hash whose key is made when it is first needed. */
function createHmac(keyFile: string): (text: string) => string {
  let key: Buffer | undefined;
  return (text) => {
    key ??= readOrMakeKey(keyFile);
    return crypto.createHmac("sha256", key).update(text).digest("hex");
  };
}

function readOrMakeKey(file: string): Buffer {
  try {
    const fresh = crypto.randomBytes(32);
    fs.writeFileSync(file, fresh, { mode: 0o600, flag: "wx" });
    return fresh;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") return crypto.randomBytes(32);
    return fs.readFileSync(file);
  }
}
