/** What signing checkpoints needs, and what it gives. Types only. */
import type { Checkpoint } from "../core/audit/checkpoint";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import type { Clock } from "../ports";
import type { AnchorInTurn } from "./auditCheckpointAnchor";
import type { AuditKeyring } from "./auditKeysRing";

export interface CheckpointerOptions {
  readonly file: string;
  readonly append: (body: RecordBody) => Promise<AuditRecord>;
  readonly keyring: Pick<AuditKeyring, "note" | "reaches" | "closed" | "oldest" | "holdsKey" | "trouble">;
  readonly anchor: AnchorInTurn;
  /** "recover" where a person has just let a new log take the place of a lost one. */
  readonly onMissing: "refuse" | "recover";
  /** File that remembers where reading stood; believed only as far as the anchor bears it out. */
  readonly placeFile: string;
  readonly clock: Pick<Clock, "now">;
  readonly onProblem: (message: string) => void;
  /** Milliseconds between looks at what other programs wrote. Default one minute. */
  readonly everyMs?: number;
  /** Records after which a checkpoint is signed at once. Default 1,000. */
  readonly everyRecords?: number;
  /** Milliseconds of quiet after which the log itself says that it is alive. Default 15 minutes. */
  readonly heartbeatMs?: number;
}

export interface Checkpointer {
  /** Told of each record that this process writes. */
  saw(record: Pick<AuditRecord, "event" | "decision">): void;
  /** Signs what is not covered yet, the log's own records too. */
  now(): Promise<void>;
  /** The newest checkpoint that was signed. */
  last(): Checkpoint | undefined;
  /** Why nothing is signed any more; undefined while all is well. */
  problem(): string | undefined;
  /** A last checkpoint, then no more. */
  stop(): Promise<void>;
}
