/** Checks the lines of one file in order: own hash, link, number, log. Knows nothing of files before or after, or of signatures. */
import { parseRecord } from "./parse";
import { decodeLine, type LineAt, type Reading } from "./verifyLine";
import type { DamageBook, DamageKind } from "./verifyReport";

export const RECOVERED = "log.recovered";

/** Where a chain goes on. */
export interface ChainStart {
  readonly lines: number;
  readonly seq: number;
  readonly hash: string | null;
}

export interface ChainCheck {
  /** Books the damage of this line. True when the record is sound and in its place. */
  step(at: LineAt, reading: Reading | undefined): boolean;
  /** So many sound records, each in its place after the one before; the newest of them is told. */
  follow(many: { readonly lines: number; readonly offset: number; readonly hash: string }): void;
  readonly lines: number;
  /** Hash that the next record must name. */
  readonly hash: string | null;
  readonly seq: number;
  /** False for chains of writers that do not number their records. */
  readonly numbered: boolean;
}

/** What all files of a log have in common. */
export interface LogIdentity {
  logId: string | undefined;
}

export function checkChain(
  book: DamageBook,
  log: LogIdentity,
  from: ChainStart = { lines: 0, seq: 0, hash: null },
): ChainCheck {
  let line = from.lines;
  let seq = from.seq;
  /** Hashes that the next record may name; two after a record whose own hash is wrong. */
  let link = from.hash;
  let otherLink: string | null | undefined;
  let numbered = from.seq > 0;
  let lastOffset = 0;

  function follows(hash: string): void {
    link = hash;
    otherLink = undefined;
  }

  function check(at: LineAt, reading: Reading): DamageKind | undefined {
    const unknown = reading.seq < 0;
    // Only writers that number their records name a log.
    if (unknown && (numbered || reading.logId !== undefined))
      return reading.ownHash === "wrong" ? modified(reading) : "foreign";
    if (!numbered && !unknown) {
      numbered = true;
      log.logId ??= reading.logId;
      // Records without numbers may come before, from another writer of the same chain.
      if (line > 1) seq = reading.seq - 1;
    }
    if (reading.ownHash === "wrong") return modified(reading);
    const { prevHash } = reading;
    const linked = prevHash !== undefined && (prevHash === link || prevHash === otherLink);
    if (!unknown) return checkNumbered(at, reading, linked);
    follows(reading.stated);
    if (reading.ownHash === "respelt") book.warnRespelt(line);
    return linked ? undefined : "unlinked";
  }

  function checkNumbered(at: LineAt, reading: Reading, linked: boolean): DamageKind | undefined {
    book.sawRecord(line, at.offset, reading.seq, reading.stated);
    if (reading.logId !== log.logId) return "foreign";
    if (reading.seq <= seq) return book.fillGap(reading.seq) ? undefined : "inserted";
    const gap = reading.seq - seq - 1;
    if (gap > 0) book.openGap({ from: seq + 1, to: reading.seq - 1, line });
    seq = reading.seq;
    follows(reading.stated);
    if (gap > 0) return linked ? "rewritten" : "deleted";
    if (!linked) return "rewritten";
    return reading.ownHash === "respelt" ? "respelt" : undefined;
  }

  /** The record counts as the next one, whatever its bytes now say. */
  function modified(reading: Reading): DamageKind {
    seq += 1;
    link = reading.stated;
    otherLink = reading.computed;
    return "modified";
  }

  /** The writer itself met damage and went on: it says so in the log. */
  function noteRecovery(at: LineAt): void {
    const what = parseRecord(decodeLine(at))?.data?.what;
    book.warn(`line ${line} records a recovery (${typeof what === "string" ? what : "unknown"})`);
    if (what === "head_differs") book.add({ line: line - 1, offset: lastOffset, kind: "rewritten" });
  }

  return {
    step(at, reading) {
      line += 1;
      if (!at.terminated) {
        book.add({ line, offset: at.offset, kind: "torn" });
        return false;
      }
      if (reading?.stated.length === 16) book.warn("some record_hash values are shortened to 16 digits");
      if (reading?.event === RECOVERED) noteRecovery(at);
      const kind = reading === undefined ? "foreign" : check(at, reading);
      if (kind !== undefined) book.add({ line, offset: at.offset, kind });
      lastOffset = at.offset;
      return kind === undefined;
    },
    follow({ lines, offset, hash }) {
      line += lines;
      seq += lines;
      lastOffset = offset;
      follows(hash);
      book.sawRecord(line, offset, seq, hash);
    },
    get lines() {
      return line;
    },
    get hash() {
      return link;
    },
    get seq() {
      return seq;
    },
    get numbered() {
      return numbered;
    },
  };
}
