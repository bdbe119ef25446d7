/** The audit log for writers: many processes, one chain, no acknowledged record lost. Knows nothing of who decides or why. */
import * as fs from "node:fs";
import type { JsonObject } from "../core/audit/canonical";
import type { ChainLine } from "../core/audit/chain";
import { type PrepareOptions, prepareBody } from "../core/audit/prepare";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import { createRedactor } from "../core/audit/redact";
import type { Head } from "../core/audit/verifyReport";
import { CountersignError } from "../core/errors";
import { type AuditDisk, createAuditDisk } from "./auditDisk";
import { createIntents, type Intents } from "./auditIntents";
import { createHmac } from "./auditKey";
import { type AuditLock, openAuditLock } from "./auditLock";
import { createLockedLog, type LockedLog } from "./auditLocked";
import type { AuditLog, AuditWriterOptions } from "./auditOptions";
import { type AuditPlace, auditPlace, prepareFolder, unwritable } from "./auditPlace";
import { type NewSideFile, ownOrigin } from "./auditSide";
import { createSpoolWriter } from "./auditSpool";
import { nodeClock, nodeIds } from "./ports";

export type { AuditLog, AuditWriterOptions } from "./auditOptions";

const LOCK_MS = 2000;
const BATCH = 64;
const DRAIN_MS = 250;
/** Records that must be on the disk before anybody acts on them. */
const SYNCED = new Set(["human_choice", "grant", "trust", "config_accepted", "switch", "log.checkpoint"]);

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
  const known = await options.head?.load();
  const place = auditPlace(options.path);
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
  private readonly prepare: PrepareOptions;
  private readonly lock: AuditLock;
  private readonly disk: AuditDisk;
  private readonly locked: LockedLog;
  private readonly intents: Intents;
  private readonly spool: ReturnType<typeof createSpoolWriter>;
  private readonly listeners = new Set<(record: AuditRecord) => void>();
  private readonly origin = ownOrigin();
  private readonly queue: Waiting[] = [];
  private pumping: Promise<void> | undefined;
  private drainTimer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: AuditWriterOptions, place: AuditPlace) {
    this.options = options;
    this.place = place;
    this.path = place.log;
    this.prepare = {
      redactor: createRedactor({ keys: options.redactKeys ?? [], exempt: options.redactExempt ?? [] }),
      hmac: createHmac(place.key),
    };
    this.lock = openAuditLock(place.lock);
    this.disk = createAuditDisk({
      file: this.path,
      state: () => this.locked.state(),
      store: options.head,
      onProblem: (message) => options.onProblem?.(message),
    });
    this.locked = createLockedLog({
      place,
      prepare: this.prepare,
      disk: this.disk,
      store: options.head,
      onMissing: options.onMissing ?? "refuse",
      newId: (prefix) => this.newId(prefix),
      now: () => this.nowMs(),
      writer: this.writer(),
    });
    this.intents = createIntents(
      (id, fields) => this.side(place.intents, id, fields),
      options.durability === "always" ? "now" : "later",
    );
    this.spool = createSpoolWriter(this.path);
  }

  get logId(): string {
    return this.locked.state()?.logId ?? "";
  }

  async open(known: Head | undefined): Promise<void> {
    this.disk.setKnown(known);
    if (!(await this.acquire())) {
      // A holder is stuck: records wait beside the log until it lets go.
      return;
    }
    try {
      const mended = this.locked.begin(known);
      this.tell([...mended, ...this.locked.collect("always")]);
    } finally {
      this.lock.release();
    }
    if (this.options.head !== undefined && this.locked.state()?.head() !== undefined) await this.disk.now();
  }

  private writer(): AuditRecord["writer"] {
    return { pid: process.pid, version: this.options.version, role: this.options.role };
  }

  private side(folder: string, id: string, fields: JsonObject): NewSideFile {
    return { folder, id, fields, ts: this.now(), origin: this.origin, writer: this.writer() };
  }

  private newId(prefix: string): string {
    return (this.options.ids ?? nodeIds)(prefix);
  }

  private nowMs(): number {
    return (this.options.clock ?? nodeClock).now();
  }

  private now(): string {
    return new Date(this.nowMs()).toISOString();
  }

  private acquire(): Promise<boolean> {
    return this.lock.acquire(this.options.lockMs ?? LOCK_MS);
  }

  private checkOpen(): void {
    if (this.closed) throw new CountersignError("audit.unwritable", `The audit log ${this.path} is closed.`);
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
    try {
      await this.intents.begin(body.call_id ?? this.newId("call"), prepareBody(body, this.prepare));
    } catch (error) {
      throw unwritable(error, this.path);
    }
  }

  append(body: RecordBody): Promise<AuditRecord> {
    return new Promise((resolve, reject) => {
      this.checkOpen();
      this.queue.push({ fields: prepareBody(body, this.prepare), callId: body.call_id, resolve, reject });
      this.pumping ??= this.pump();
    });
  }

  private async pump(): Promise<void> {
    // What is asked for in the same turn shares one lock and one write.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, BATCH);
      try {
        if (await this.acquire()) await this.writeBatch(batch);
        else await Promise.all(batch.map((waiting) => this.putAside(waiting)));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.pumping = undefined;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    let lines: ChainLine[];
    try {
      const { state, mended } = await this.locked.synced();
      const sides = this.locked.collect("when due");
      lines = [...mended, ...sides, ...state.write(batch.map((waiting) => waiting.fields))];
    } finally {
      this.lock.release();
    }
    this.tell(lines);
    if (this.mustSync(lines)) await this.disk.now();
    else this.disk.soon();
    for (const [index, waiting] of batch.entries()) {
      const line = lines[lines.length - batch.length + index];
      if (line === undefined) continue;
      this.intents.clear(waiting.callId);
      waiting.resolve(line.record);
    }
  }

  private mustSync(lines: readonly ChainLine[]): boolean {
    // The first record at once: from then on a log that vanishes is missed.
    const isUnknown = this.options.head !== undefined && this.disk.known() === undefined;
    return (
      isUnknown ||
      this.options.durability === "always" ||
      lines.some(({ record }) => record.decision === "denied" || SYNCED.has(record.event))
    );
  }

  /** Counts only where something outside the folder remembers that it waits. */
  private async putAside(waiting: Waiting): Promise<void> {
    const anchor = this.disk.known() === undefined ? undefined : this.options.head?.spool;
    this.drainSoon();
    try {
      const record = await this.spool.put(
        this.side(this.place.spool, this.newId("spool"), waiting.fields),
        anchor,
      );
      this.intents.clear(waiting.callId);
      waiting.resolve(record);
    } catch (error) {
      const isWaiting = error instanceof CountersignError && error.code === "audit.locked";
      if (isWaiting) this.intents.clear(waiting.callId);
      waiting.reject(unwritable(error, this.path));
    }
  }

  private drainSoon(): void {
    if (this.drainTimer !== undefined || this.closed) return;
    this.drainTimer = setTimeout(() => {
      this.drainTimer = undefined;
      void this.drain().then((done) => {
        if (!done) this.drainSoon();
      });
    }, DRAIN_MS);
    this.drainTimer.unref();
  }

  /** False when the lock is still held by another. */
  private async drain(): Promise<boolean> {
    if (!fs.existsSync(this.place.spool)) return true;
    if (this.pumping !== undefined || !this.lock.tryAcquire()) return false;
    try {
      const { mended } = await this.locked.synced();
      this.tell([...mended, ...this.locked.collect("always")]);
      this.disk.soon();
    } catch (error) {
      this.options.onProblem?.(error instanceof Error ? error.message : String(error));
    } finally {
      this.lock.release();
    }
    return true;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.pumping;
    clearTimeout(this.drainTimer);
    await this.drain();
    await this.disk.now().catch((error: unknown) => this.options.onProblem?.(String(error)));
    this.abandon();
  }

  abandon(): void {
    this.closed = true;
    this.locked.state()?.close();
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
