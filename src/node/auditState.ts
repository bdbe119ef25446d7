/** The log's file while the lock is held: where it ends, what is wrong with that end, and the write of new lines. Knows nothing of locks, queues or heads' storage. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Json, JsonObject } from "../core/audit/canonical";
import { type ChainHead, type ChainLine, GENESIS, makeLine, type Stamp } from "../core/audit/chain";
import type { Head } from "../core/audit/verifyReport";
import { CountersignError } from "../core/errors";
import { sha256, stampForName } from "./auditBytes";
import { lookAtLog, openLog, unwritable } from "./auditPlace";
import { completes, endsWith, firstRecord, readTail, setAside, type Tail } from "./auditTail";

export interface AuditStateOptions {
  readonly file: string;
  readonly newLogId: () => string;
  readonly stamp: (logId: string) => Stamp;
  readonly now: () => number;
  /** "existing" where a head says that there is a log: a missing file is then a loss, not a beginning. */
  readonly expect: "any" | "existing";
}

interface Position {
  readonly size: number;
  readonly head: ChainHead;
}

export interface AuditState {
  readonly logId: string;
  readonly fd: number;
  /** The newest record; undefined while the log is empty. */
  head(): Head | undefined;
  /** Looks where the log ends now and mends a torn end. Throws `audit.unreadable` when less is there than is known. */
  sync(known: Head | undefined): ChainLine[];
  /** Starts the log anew after a loss that a person has accepted. */
  restart(lost: Head): ChainLine[];
  /** Writes all lines in one write, or none. */
  write(fields: readonly JsonObject[]): ChainLine[];
  close(): void;
}

export function openAuditState(options: AuditStateOptions): AuditState {
  const { file } = options;
  let fd = openLog(file, { create: options.expect === "any" });
  let inode = fs.fstatSync(fd).ino;
  let logId = options.newLogId();
  let at: Position | undefined;

  function head(): Head | undefined {
    if (at?.head.hash === undefined || at.head.hash === null) return undefined;
    return { log_id: logId, count: at.head.seq, seq: at.head.seq, head: at.head.hash, path: file };
  }

  function write(fields: readonly JsonObject[]): ChainLine[] {
    const start = at ?? { size: 0, head: GENESIS };
    const stamp = options.stamp(logId);
    const lines: ChainLine[] = [];
    let before = start.head;
    for (const record of fields) {
      const line = makeLine(record, { before, stamp, hash: sha256 });
      lines.push(line);
      before = line.head;
    }
    const bytes = Buffer.from(lines.map((line) => `${line.line}\n`).join(""));
    writeWhole(fd, bytes, { file, size: start.size });
    at = { size: start.size + bytes.length, head: before };
    return lines;
  }

  /** The file that now stands at the path. */
  function reopen(): void {
    const stats = lookAtLog(file);
    if (stats !== undefined && stats.ino !== inode) openAgain("existing");
  }

  function openAgain(expect: AuditStateOptions["expect"]): void {
    const fresh = openLog(file, { create: expect === "any" });
    fs.closeSync(fd);
    fd = fresh;
    inode = fs.fstatSync(fd).ino;
    at = undefined;
  }

  function adopt(tail: Tail): void {
    logId = tail.logId ?? logId;
    at = { size: tail.size, head: tail.head };
  }

  function recovered(data: JsonObject): ChainLine[] {
    return write([{ event: "log.recovered", data, error: null }]);
  }

  function sync(known: Head | undefined): ChainLine[] {
    const own = head();
    const expected = newer(own, known);
    if (lookAtLog(file) === undefined) {
      if (expected !== undefined) throw lostLog(expected, file, "it is missing");
      // Nothing was written yet, so nothing is lost.
      openAgain("any");
    }
    reopen();
    const size = fs.fstatSync(fd).size;
    if (at !== undefined && own !== undefined && size === at.size && endsWith(fd, size, own.head)) {
      if (expected !== undefined && expected.seq > own.seq && expected.log_id === own.log_id) {
        throw lostLog(expected, file, "records are missing from its end");
      }
      return [];
    }
    const tail = readTail(fd, file);
    checkKnown(tail, { expected, isAnchored: known !== undefined, fd, file });
    adopt(tail);
    return [...mendTorn(tail), ...noteDamage(tail), ...noteDifference(tail, expected)];
  }

  function mendTorn(tail: Tail): ChainLine[] {
    if (tail.torn === undefined) return [];
    const { offset, bytes } = tail.torn;
    if (completes(tail, bytes)) {
      // A whole record that only lacks its LF may have been acknowledged: it stays.
      writeWhole(fd, Buffer.from("\n"), { file, size: offset + bytes.length });
      adopt(readTail(fd, file));
      return recovered({ what: "completed", offset, bytes: bytes.length });
    }
    const kept = setAside(file, tail.torn, options.now());
    fs.ftruncateSync(fd, offset);
    return recovered({
      what: "torn",
      torn_offset: offset,
      torn_bytes: bytes.length,
      torn_sha256: kept.sha256,
      kept: path.basename(kept.name),
    });
  }

  function noteDamage(tail: Tail): ChainLine[] {
    if (tail.damaged === undefined) return [];
    const { offset, bytes } = tail.damaged;
    return recovered({ what: "damaged", offset, bytes: bytes.length, sha256: sha256(bytes) });
  }

  /** The newest record is not the one that was written: the chain goes on, and the log itself says so. */
  function noteDifference(tail: Tail, expected: Head | undefined): ChainLine[] {
    if (expected === undefined || tail.damaged !== undefined || tail.logId !== expected.log_id) return [];
    if (tail.head.seq !== expected.seq || tail.head.hash === expected.head) return [];
    return recovered({
      what: "head_differs",
      seq: expected.seq,
      expected: expected.head,
      found: tail.head.hash,
    });
  }

  function restart(lost: Head): ChainLine[] {
    let kept: Json = null;
    if (lookAtLog(file) !== undefined) {
      const name = `${file}.lost-${stampForName(options.now())}`;
      fs.renameSync(file, name);
      kept = path.basename(name);
    }
    openAgain("any");
    logId = options.newLogId();
    const { log_id, count, seq, head: hash } = lost;
    return recovered({ what: "lost", lost: { log_id, count, seq, head: hash }, kept });
  }

  return {
    get logId() {
      return logId;
    },
    get fd() {
      return fd;
    },
    head,
    sync,
    restart,
    write,
    close: () => fs.closeSync(fd),
  };
}

/** Writes every byte, or takes back what was written. */
function writeWhole(fd: number, bytes: Buffer, at: { readonly file: string; readonly size: number }): void {
  let done = 0;
  try {
    while (done < bytes.length) done += fs.writeSync(fd, bytes, done, bytes.length - done);
  } catch (error) {
    if (done > 0) takeBack(fd, at.size);
    throw unwritable(error, at.file);
  }
}

function takeBack(fd: number, size: number): void {
  try {
    fs.ftruncateSync(fd, size);
  } catch {
    // The next holder of the lock finds a torn end and mends it.
  }
}

/** Of one log the higher number; of two logs the one that the store elsewhere knows. */
function newer(own: Head | undefined, known: Head | undefined): Head | undefined {
  if (own === undefined || known === undefined) return own ?? known;
  if (own.log_id !== known.log_id) return known;
  return own.seq >= known.seq ? own : known;
}

interface Checking {
  readonly expected: Head | undefined;
  readonly isAnchored: boolean;
  readonly fd: number;
  readonly file: string;
}

function checkKnown(tail: Tail, { expected, isAnchored, fd, file }: Checking): void {
  if (expected === undefined) return;
  if (tail.size === 0) throw lostLog(expected, file, "it is empty");
  if (tail.logId !== expected.log_id) {
    // Another process may have started it anew with a person's consent; a store elsewhere would know.
    const lost = isAnchored ? undefined : firstRecord(fd)?.data?.lost;
    const isSuccessor =
      typeof lost === "object" && lost !== null && "log_id" in lost && lost.log_id === expected.log_id;
    if (!isSuccessor) throw lostLog(expected, file, "another log stands in its place");
  } else if (tail.head.seq < expected.seq) {
    throw lostLog(expected, file, "records are missing from its end");
  }
}

/** The head that a loss is about, for the caller that may start anew. */
export class LostLogError extends CountersignError {
  readonly lost: Head;

  constructor(message: string, lost: Head) {
    super("audit.unreadable", message, {
      hint: "Put the file back, or let a person start a new log: its first record then names the one that was lost.",
    });
    this.lost = lost;
  }
}

function lostLog(expected: Head, file: string, why: string): LostLogError {
  const known = `${expected.count} record(s) of log ${expected.log_id} are known`;
  return new LostLogError(
    `The audit log ${file} is not the one that was written: ${why}, but ${known}.`,
    expected,
  );
}
