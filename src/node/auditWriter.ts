/** The audit log for writers: many processes, one chain, no acknowledged record lost. Knows nothing of who decides or why. */
import type { JsonObject } from "../core/audit/canonical";
import type { ChainLine } from "../core/audit/chain";
import { prepareBody } from "../core/audit/prepare";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import { isOfTheLog } from "../core/audit/recordSignature";
import type { Head } from "../core/audit/verifyReport";
import { waitedNames } from "../core/audit/waited";
import { CountersignError } from "../core/errors";
import { endedCall, isApproved, mustBeOnDisk } from "./auditDurability";
import type { AuditLog, AuditWriterOptions } from "./auditOptions";
import { type AuditPlace, auditPlace, prepareFolder, unwritable } from "./auditPlace";
import { createQueue } from "./auditQueue";
import { type WriterParts, writerParts } from "./auditWriterParts";

export type { AuditLog, AuditWriterOptions } from "./auditOptions";

const LOCK_MS = 2000;
interface Waiting {
  readonly fields: JsonObject;
  /** Of a call that ends with this record. */
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
  private readonly on: WriterParts;
  private readonly queue = createQueue<Waiting>((batch) => this.take(batch));
  private draining: Promise<boolean> | undefined;
  private closed = false;

  constructor(options: AuditWriterOptions, place: AuditPlace) {
    this.options = options;
    this.path = place.log;
    this.on = writerParts(options, place, () => this.drain());
  }

  get logId(): string {
    return this.on.locked.state()?.logId ?? "";
  }

  async open(known: Head | undefined): Promise<void> {
    this.on.disk.setKnown(known);
    if (!(await this.acquire())) {
      // A holder is stuck: records wait beside the log until it lets go.
      return;
    }
    let lines: ChainLine[];
    try {
      const mended = this.on.locked.begin(known);
      lines = [...mended, ...this.on.locked.collect("always")];
    } finally {
      this.on.lock.release();
    }
    this.tell(lines);
    if (this.options.head !== undefined && this.on.locked.state()?.head() !== undefined) {
      await this.settle(lines);
    }
  }

  private acquire(): Promise<boolean> {
    return this.on.lock.acquire(this.options.lockMs ?? LOCK_MS);
  }

  private checkOpen(): void {
    if (this.closed) throw new CountersignError("audit.unwritable", `The audit log ${this.path} is closed.`);
  }

  onAppend(listener: (record: AuditRecord) => void): () => void {
    return this.on.listeners.add(listener);
  }

  private tell(lines: readonly ChainLine[]): void {
    for (const { record } of lines) {
      this.on.times.saw(record);
      this.on.listeners.tell(record);
    }
  }

  /** Brings the lines to the disk. The store elsewhere forgets waiting records only once it knows a head past them. */
  private async settle(lines: readonly ChainLine[]): Promise<void> {
    const anchor = this.options.head?.spool;
    if ((await this.on.disk.now()) !== "remembered" || anchor === undefined) return;
    for (const name of lines.flatMap(({ record }) => waitedNames(record))) {
      await anchor.remove(name).catch((error: unknown) => this.problem(error));
    }
  }

  private problem(error: unknown): void {
    this.options.onProblem?.(error instanceof Error ? error.message : String(error));
  }

  async intend(body: RecordBody): Promise<void> {
    this.checkOpen();
    try {
      const fields = prepareBody(body, this.on.prepare);
      const flush = this.options.durability === "always" || isApproved(body) ? "now" : "later";
      await this.on.intents.begin(body.call_id ?? this.on.stamps.newId("call"), fields, flush);
    } catch (error) {
      throw unwritable(error, this.path);
    }
  }

  append(body: RecordBody): Promise<AuditRecord> {
    return new Promise((resolve, reject) => {
      this.checkOpen();
      this.queue.add({
        fields: prepareBody(body, this.on.prepare),
        callId: endedCall(body),
        resolve,
        reject,
      });
    });
  }

  /** What is asked for in the same turn shares one lock and one write. */
  private async take(batch: readonly Waiting[]): Promise<void> {
    try {
      if (await this.acquire()) await this.writeBatch(batch);
      else await Promise.all(batch.map((waiting) => this.putAside(waiting)));
    } catch (error) {
      for (const waiting of batch) waiting.reject(unwritable(error, this.path));
    }
  }

  private async writeBatch(asked: readonly Waiting[]): Promise<void> {
    let lines: ChainLine[];
    let batch: readonly Waiting[];
    try {
      const { state, mended } = await this.on.locked.synced();
      const sides = this.on.locked.collect("when due");
      this.on.aside.drained();
      batch = asked.filter((waiting) => this.mayStand(waiting));
      lines = [...mended, ...sides, ...state.write(this.stampable(batch))];
    } finally {
      this.on.lock.release();
    }
    this.tell(lines);
    if (this.mustSync(lines)) await this.settle(lines);
    else this.on.disk.soon();
    for (const [index, waiting] of batch.entries()) {
      const line = lines[lines.length - batch.length + index];
      if (line === undefined) continue;
      this.on.intents.clear(waiting.callId);
      waiting.resolve(line.record);
    }
  }

  /** The key may have gone since the record was asked for. */
  private mayStand({ fields, reject }: Waiting): boolean {
    if (!isOfTheLog(fields.event) || this.options.keyring?.canSign() !== false) return true;
    reject(new CountersignError("audit.unwritable", `No key is at hand for the record ${fields.event}.`));
    return false;
  }

  private stampable(batch: readonly Waiting[]): JsonObject[] {
    const [first, ...rest] = batch.map(({ fields }) => fields);
    return first === undefined ? [] : [this.on.times.marked(first, this.on.stamps.now()), ...rest];
  }

  private mustSync(lines: readonly ChainLine[]): boolean {
    // The first record at once: from then on a log that vanishes is missed.
    const isUnknown = this.options.head !== undefined && this.on.disk.known() === undefined;
    const isAlways = this.options.durability === "always";
    return isUnknown || isAlways || lines.some(({ record }) => mustBeOnDisk(record));
  }

  private async putAside(waiting: Waiting): Promise<void> {
    try {
      const record = await this.on.aside.put(waiting.fields);
      this.on.intents.clear(waiting.callId);
      waiting.resolve(record);
    } catch (error) {
      const isWaiting = error instanceof CountersignError && error.code === "audit.locked";
      if (isWaiting) this.on.intents.clear(waiting.callId);
      waiting.reject(unwritable(error, this.path));
    }
  }

  /** False when the lock is still held by another. Never rejects; what fails is told, and the next record tries again. */
  private drain(): Promise<boolean> {
    this.draining ??= this.drainNow()
      .catch((error: unknown) => {
        this.problem(error);
        return true;
      })
      .finally(() => {
        this.draining = undefined;
      });
    return this.draining;
  }

  private async drainNow(): Promise<boolean> {
    if (this.on.aside.isEmpty()) return true;
    if (this.queue.running() !== undefined || !this.on.lock.tryAcquire()) return false;
    let lines: ChainLine[];
    try {
      const { mended } = await this.on.locked.synced();
      lines = [...mended, ...this.on.locked.collect("always")];
      this.on.aside.drained();
    } finally {
      this.on.lock.release();
    }
    this.tell(lines);
    if (lines.length > 0) await this.settle(lines);
    return true;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.queue.running();
    this.on.aside.stop();
    await this.drain();
    await this.on.disk.now().catch((error: unknown) => this.problem(error));
    this.abandon();
  }

  abandon(): void {
    this.closed = true;
    this.on.intents.close();
    this.on.locked.close();
    this.on.lock.close();
  }
}
