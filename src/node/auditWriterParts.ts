/** What a writer of the audit log is made of, put together. Knows nothing of what is written when. */
import type { PrepareOptions } from "../core/audit/prepare";
import { createRedactor } from "../core/audit/redact";
import { type Aside, createAside } from "./auditAside";
import { type RecordTimes, recordTimes } from "./auditClock";
import { type AuditDisk, createAuditDisk } from "./auditDisk";
import { createIntents, type Intents } from "./auditIntents";
import { createHmac } from "./auditKey";
import { createListeners, type Listeners } from "./auditListeners";
import { type AuditLock, openAuditLock } from "./auditLock";
import { createLockedLog, type LockedLog } from "./auditLocked";
import type { AuditWriterOptions } from "./auditOptions";
import type { AuditPlace } from "./auditPlace";
import { createStamps, type Stamps } from "./auditStamps";

export interface WriterParts {
  readonly prepare: PrepareOptions;
  readonly lock: AuditLock;
  readonly disk: AuditDisk;
  readonly locked: LockedLog;
  readonly intents: Intents;
  readonly aside: Aside;
  readonly listeners: Listeners;
  readonly stamps: Stamps;
  readonly times: RecordTimes;
}

/** `drain` gives false when the lock is still held by another. */
export function writerParts(
  options: AuditWriterOptions,
  place: AuditPlace,
  drain: () => Promise<boolean>,
): WriterParts {
  const prepare: PrepareOptions = {
    redactor: createRedactor({ keys: options.redactKeys ?? [], exempt: options.redactExempt ?? [] }),
    hmac: createHmac(place.key),
  };
  const onProblem = (message: string): void => options.onProblem?.(message);
  const stamps = createStamps(options, place.key);
  const lock = openAuditLock(place.lock);
  const disk = createAuditDisk({
    file: place.log,
    state: () => locked.state(),
    store: options.head,
    onProblem,
  });
  const locked = createLockedLog({
    place,
    prepare,
    disk,
    store: options.head,
    onMissing: options.onMissing ?? "refuse",
    newId: stamps.newId,
    now: stamps.now,
    writer: stamps.writer,
    onProblem,
    ...(options.setAside === undefined ? {} : { setAside: options.setAside }),
    ...(options.keyring === undefined ? {} : { keyring: options.keyring }),
    ...(options.segments === undefined ? {} : { segments: options.segments }),
  });
  return {
    prepare,
    lock,
    disk,
    locked,
    intents: createIntents((id, fields) => stamps.side(place.intents, id, fields)),
    aside: createAside({
      log: place.log,
      folder: place.spool,
      side: (fields) => stamps.side(place.spool, stamps.newId("spool"), fields),
      disk,
      head: options.head,
      drain,
    }),
    listeners: createListeners(),
    stamps,
    times: recordTimes(prepare),
  };
}
