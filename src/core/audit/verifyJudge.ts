/** What only shows once a log was read to its end: checkpoints of what is not there, and whether the reader's key vouches for it. Knows nothing of lines. */
import type { KnownCheckpoint } from "./verifyCheckpoints";
import type { KeyTrack } from "./verifyKeys";
import type { Evidence } from "./verifyLevel";
import type { DamageBook, EndOfFile } from "./verifyReport";

export interface WholeLog {
  readonly book: DamageBook;
  readonly keys: KeyTrack;
  readonly evidence: Evidence;
  readonly logId: string | undefined;
  /** Of its last file. */
  readonly segment: number;
  /** Lines of all files. */
  readonly count: number;
  /** Where its last file ends. */
  readonly last: EndOfFile;
}

/** Checkpoints of this log's later files, of another log, or of records that are all gone. */
export function lookBeyond(checkpoints: readonly KnownCheckpoint[], log: WholeLog): void {
  const { book, segment, logId, count } = log;
  const first = { line: 1, offset: 0 } as const;
  const later = checkpoints.filter(({ checkpoint }) => checkpoint.segment > segment);
  if (later.some(({ checkpoint }) => checkpoint.logId === logId))
    book.add({ ...first, kind: "missing_segment" });
  const strange = checkpoints.filter(({ checkpoint }) => checkpoint.logId !== logId);
  if (count === 0) {
    if (strange.some(({ checkpoint }) => checkpoint.size > 0)) book.add({ ...first, kind: "truncated" });
  } else if (strange.some((one) => one.kept === "outside")) {
    book.warn("the checkpoint kept outside is of another log than this one");
    book.add({ ...first, kind: "rewritten" });
  } else if (strange.length > 0) book.warn(`${strange.length} checkpoint(s) are of another log`);
}

/** True where something is signed with a key that the reader has no reason to believe. */
export function hasUntrusted({ keys, evidence }: Pick<WholeLog, "keys" | "evidence">): boolean {
  return keys.untrusted + evidence.untrusted > 0;
}

/** Who names a key expects a log under that key, with the checkpoints that it must have by now. */
export function judgePin(
  log: WholeLog,
  reader: { readonly vkey: string | undefined; readonly read: "all" | "what is new" },
): void {
  const { book, keys, evidence, count } = log;
  if (reader.vkey === undefined || book.damaged()) return;
  if (count === 0) book.add({ line: 1, offset: 0, kind: "truncated" });
  else if (!keys.isPinned()) {
    book.warn("this log is not signed with the key that was named");
    book.add({ line: 1, offset: 0, kind: "rewritten" });
  } else if (reader.read === "all") judgeCheckpoints(log);
  if (hasUntrusted(log))
    book.warn(
      `${keys.untrusted} record(s) and ${evidence.untrusted} checkpoint(s) are signed with keys from before the one that was named, and prove nothing; name the log's first key`,
    );
}

function judgeCheckpoints({ book, evidence, last }: WholeLog): void {
  const end = { line: last.lines + 1, offset: last.size } as const;
  if (evidence.valid === 0 && evidence.isOverdue) {
    book.warn(
      "no checkpoint is signed with the key that was named, though the log is old enough to have one",
    );
    book.add({ ...end, kind: "unattested" });
  } else if (evidence.isShort) {
    book.warn("the log tells of a newer checkpoint than the newest that is there: checkpoints were removed");
    book.add({ ...end, kind: "unattested" });
  } else if (evidence.valid === 0)
    book.warn(
      "no checkpoint is signed with the key that was named yet: the log is younger than its first one is due, or the key was named just now",
    );
}
