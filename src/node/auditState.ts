/** The log's file while the lock is held: where it ends, what is wrong with that end, and the write of new lines. Knows nothing of locks, queues or heads' storage. */
import * as fs from "node:fs";
import { type ChainHead, type ChainLine, GENESIS, type Stamp, makeLine } from "../core/audit/chain";
import type { Json, JsonObject } from "../core/audit/canonical";
import { parseRecord } from "../core/audit/parse";
import type { Head } from "../core/audit/verifyReport";
import { CountersignError } from "../core/errors";
import { sha256, stampForName } from "./auditBytes";
import { lookAtLog, openLog, unwritable } from "./auditPlace";
import { type Tail, endsWith, readTail, setAside } from "./auditTail";

export interface AuditStateOptions {
  readonly file: string;
  readonly newLogId: () => string;
  readonly stamp: (logId: string) => Stamp;
  readonly now: () => number;
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
  let fd = openLog(file, { create: false_if_known() });
  let inode = fs.fstatSync(fd).ino;
  let logId = options.newLogId();
  let isNamed = false;
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
    isNamed = true;
    return lines;
  }

  /** The file that now stands at the path. */
  function reopen(): void {
    const stats = lookAtLog(file);
    if (stats === undefined || stats.ino === inode) return;
    fs.closeSync(fd);
    fd = openLog(file, { create: false });
    inode = fs.fstatSync(fd).ino;
    at = undefined;
  }

  function adopt(tail: Tail): void {
    if (tail.logId !== undefined) {
      logId = tail.logId;
      isNamed = true;
    }
    at = { size: tail.size, head: tail.head };
  }

  function recovered(data: JsonObject): ChainLine[] {
    return write([{ event: "log.recovered", data, error: null }]);
  }

  function sync(known: Head | undefined): ChainLine[] {
    const own = head();
    const expected = newer(own, known);
    if (lookAtLog(file) === undefined) throw lostLog(expected, file, "it is missing");
    reopen();
    const size = fs.fstatSync(fd).size;
    if (at !== undefined && own !== undefined && size === at.size && endsWith(fd, size, own.head)) {
      if (expected !== undefined && expected.seq > own.seq && expected.log_id === own.log_id) {
        throw lostLog(expected, file, "records are missing from its end");
      }
      return [];
    }
    const tail = readTail(fd, file);
    checkKnown(tail, expected, { fd, file });
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
      kept: baseName(kept.name),
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
    return recovered({ what: "head_differs", seq: expected.seq, expected: expected.head, found: tail.head.hash });
  }

  function restart(lost: Head): ChainLine[] {
    let kept: Json = null;
    if (lookAtLog(file) !== undefined) {
      const name = `${file}.lost-${stampForName(options.now())}`;
      fs.renameSync(file, name);
      kept = baseName(name);
    }
    fs.closeSync(fd);
    fd = openLog(file, { create: true });
    inode = fs.fstatSync(fd).ino;
    logId = options.newLogId();
    at = { size: 0, head: GENESIS };
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
