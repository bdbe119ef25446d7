/** An audit log with a key: what a person did is signed as it is written, and checkpoints follow. For the editor; writers without a key open the plain log. */
import * as fs from "node:fs";
import type { Checkpoint } from "../core/audit/checkpoint";
import { messageOf } from "../core/errors";
import { anchorInTurn } from "./auditCheckpointAnchor";
import { createCheckpointer } from "./auditCheckpointer";
import type { AnchorStore } from "./auditCheckpointFile";
import { readRecords } from "./auditFile";
import type { AuditKeyStore } from "./auditKeys";
import { createAuditKeyring, type KeyTrouble } from "./auditKeysRing";
import { closedFile } from "./auditSegment";
import { type AuditLog, type AuditWriterOptions, openAuditLog } from "./auditWriter";
import { nodeClock } from "./ports";

export interface SignedLogOptions extends Omit<AuditWriterOptions, "keyring"> {
  readonly keys: AuditKeyStore;
  readonly anchor: AnchorStore;
  /** Keeps where reading stood, outside the log's folder. */
  readonly placeFile: string;
  /** Told the verifier key that the log was opened with. */
  readonly publish?: (logId: string, vkey: string) => Promise<void>;
  readonly everyMs?: number;
  readonly everyRecords?: number;
  readonly heartbeatMs?: number;
}

export interface CheckpointState {
  readonly last: Checkpoint | undefined;
  /** Why nothing is signed any more. */
  readonly problem: string | undefined;
}

export interface SignedAuditLog extends AuditLog {
  /** Verifier key that the log was opened with; undefined before its first record. */
  publicKey(): string | undefined;
  checkpoints(): CheckpointState;
  /** Whether records can be signed here: the log's key is held, or it has none yet. */
  holdsKey(): Promise<boolean>;
  /** Why the newest records are not signed. */
  keyTrouble(): KeyTrouble | undefined;
  /** Signs what is not covered yet; resolves when that is done, or was reported as a problem. */
  checkpointNow(): Promise<void>;
}

/** Opens or begins a log as `openAuditLog` does, with the same errors. */
export async function openSignedAuditLog(options: SignedLogOptions): Promise<SignedAuditLog> {
  const onProblem = options.onProblem ?? (() => undefined);
  const keyring = createAuditKeyring({
    store: options.keys,
    isNamed: (segment, vkey) => names(segmentFile(options.path, segment), (named) => named === vkey),
    isKeyed: async () =>
      (await names(segmentFile(options.path, 1), () => true)) || (await names(options.path, () => true)),
    ...(options.publish === undefined ? {} : { publish: options.publish }),
    onProblem,
  });
  const inTurn = anchorInTurn(options.anchor, keyring);
  const log = await openAuditLog({ ...options, keyring: inTurn.keyring });
  const checkpointer = createCheckpointer({
    file: log.path,
    append: (body) => log.append(body),
    keyring,
    anchor: inTurn.anchor,
    placeFile: options.placeFile,
    onMissing: options.setAside === undefined ? (options.onMissing ?? "refuse") : "recover",
    clock: options.clock ?? nodeClock,
    onProblem,
    ...(options.everyMs === undefined ? {} : { everyMs: options.everyMs }),
    ...(options.everyRecords === undefined ? {} : { everyRecords: options.everyRecords }),
    ...(options.heartbeatMs === undefined ? {} : { heartbeatMs: options.heartbeatMs }),
  });
  const stopListening = log.onAppend((record) => checkpointer.saw(record));
  return {
    get path() {
      return log.path;
    },
    get logId() {
      return log.logId;
    },
    intend: (body) => log.intend(body),
    append: (body) => log.append(body),
    onAppend: (listener) => log.onAppend(listener),
    publicKey: () => keyring.publicKey(),
    checkpoints: () => ({ last: checkpointer.last(), problem: checkpointer.problem() }),
    holdsKey: () => keyring.holdsKey(log.logId),
    keyTrouble: () => keyring.trouble(),
    checkpointNow: () => checkpointer.now(),
    async close() {
      await checkpointer.stop().catch((error: unknown) => onProblem(messageOf(error)));
      stopListening();
      await log.close();
      await keyring.published();
    },
  };
}

function segmentFile(log: string, segment: number): string {
  const closed = closedFile(log, segment);
  return fs.existsSync(closed) ? closed : log;
}

/** Whether the file names a key that is wanted. */
async function names(file: string, isWanted: (vkey: unknown) => boolean): Promise<boolean> {
  for await (const { record } of readRecords(file)) {
    const isKey = record?.event === "log.open" || record?.event === "log.key";
    if (isKey && isWanted(record.data?.vkey)) return true;
  }
  return false;
}
