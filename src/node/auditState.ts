/** The log's file while the lock is held: where it ends, what is wrong with that end, and the write of new lines. Knows nothing of locks, queues or heads' storage. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { JsonObject } from "../core/audit/canonical";
import { type ChainHead, type ChainLine, GENESIS, makeLine, type SignText } from "../core/audit/chain";
import type { Head } from "../core/audit/verifyReport";
import { sha256 } from "./auditBytes";
import { lookAtLog, openLog, unwritable } from "./auditPlace";
import {
  closedFile,
  closedSegments,
  digestOf,
  isSameFile,
  seal,
  segmentOf,
  stepInto,
  stepOver,
} from "./auditSegment";
import { checkKnown, headSegment, lostLog, newer } from "./auditStateLost";
import { cutTorn, damageOf, differenceOf, moveLost } from "./auditStateMend";
import type { AuditState, AuditStateOptions } from "./auditStateTypes";
import { bytesOf, writeDraft, writeWhole } from "./auditStateWrite";
import { completes, endsWith, readTail, type Tail } from "./auditTail";

interface Position {
  readonly size: number;
  readonly head: ChainHead;
}

export function openAuditState(options: AuditStateOptions): AuditState {
  const { file } = options;
  let fd = openLog(file, { create: options.expect === "any" });
  let inode = fs.fstatSync(fd).ino;
  let logId = options.newLogId();
  let at: Position | undefined;
  let segment = segmentOf(fd);
  let halfClosed = isSameFile(file, closedFile(file, segment));
  if (segment > 1) seal(closedFile(file, segment - 1));

  function head(): Head | undefined {
    if (at?.head.hash === undefined || at.head.hash === null) return undefined;
    const known = { log_id: logId, count: at.head.seq, seq: at.head.seq, head: at.head.hash, path: file };
    return segment === 1 ? known : { ...known, segment };
  }

  function linesAfter(
    start: ChainHead,
    fields: readonly JsonObject[],
    sign: SignText | undefined,
  ): ChainLine[] {
    const stamp = { ...options.stamp(logId), segment };
    let before = start;
    return fields.map((record) => {
      const line = makeLine(record, { before, stamp, hash: sha256, ...(sign === undefined ? {} : { sign }) });
      before = line.head;
      return line;
    });
  }

  function write(fields: readonly JsonObject[], how: "signed" | "unsigned" = "signed"): ChainLine[] {
    const start = at ?? { size: 0, head: GENESIS };
    const lines = linesAfter(start.head, fields, how === "signed" ? options.sign : undefined);
    const bytes = bytesOf(lines);
    writeWhole(fd, bytes, { file, size: start.size });
    at = { size: start.size + bytes.length, head: lines.at(-1)?.head ?? start.head };
    return lines;
  }

  function rotate(digest: string): ChainLine[] {
    const closed = closedFile(file, segment);
    const put = (draft: string): void => stepOver(file, { draft, closed, now: options.now() });
    return beginSegment(closed, { digest, head: at?.head ?? GENESIS, next: segment + 1, put });
  }

  /** The first record stands in the new file before the file has the log's name. */
  function beginSegment(
    closed: string,
    before: {
      readonly digest: string;
      readonly head: ChainHead;
      readonly next: number;
      readonly put: (draft: string) => void;
    },
  ): ChainLine[] {
    const { digest, head: last, next, put } = before;
    const previous = { file: path.basename(closed), count: last.seq, head: last.hash, sha256: digest };
    const data = { segment: next, previous };
    const lines = linesAfter(GENESIS, [{ event: "log.segment", data, error: null }], undefined);
    const draft = `${file}.next`;
    const fresh = writeDraft(draft, lines);
    try {
      fs.fdatasyncSync(fd);
      put(draft);
      use(fresh.fd);
      at = { size: fresh.size, head: lines.at(-1)?.head ?? GENESIS };
    } catch (error) {
      if (fd !== fresh.fd) fs.closeSync(fresh.fd);
      throw error;
    }
    return lines;
  }

  function use(fresh: number): void {
    fs.closeSync(fd);
    fd = fresh;
    inode = fs.fstatSync(fd).ino;
    segment = segmentOf(fd);
    halfClosed = isSameFile(file, closedFile(file, segment));
    at = undefined;
  }

  /** The file that now stands at the path. */
  function reopen(stats: fs.Stats | undefined, expected: Head | undefined): void {
    if (stats?.ino === inode) return;
    if (stats === undefined && expected !== undefined) throw lostLog(expected, file, "it is missing");
    // Where nothing was written yet, nothing is lost.
    use(openLog(file, { create: stats === undefined }));
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
    const stats = lookAtLog(file);
    const continued = stats === undefined || stats.size === 0 ? continueClosed(expected) : [];
    if (continued.length === 0) reopen(stats, expected);
    const size = fs.fstatSync(fd).size;
    if (at !== undefined && own !== undefined && size === at.size && endsWith(fd, size, own.head)) {
      const isBehind = expected !== undefined && expected !== own && expected.log_id === own.log_id;
      if (isBehind && headSegment(expected) >= segment) {
        throw lostLog(expected, file, "records are missing from its end");
      }
      return continued;
    }
    const tail = readTail(fd, file);
    const anchored = known === undefined ? "no" : "yes";
    const found = checkKnown(tail, { expected, anchored, fd, file, segment });
    adopt(tail);
    const mended = mendTorn(tail, expected);
    const noted = [...damageOf(tail, fd), ...differenceOf(found)].flatMap(recovered);
    return [...continued, ...mended, ...noted];
  }

  /** A writer was killed after it gave the log its closed name and before the next segment stood there. */
  function continueClosed(expected: Head | undefined): ChainLine[] {
    const last = closedSegments(file).at(-1);
    if (last === undefined) return [];
    if (expected !== undefined && headSegment(expected) > last.segment) return [];
    const from = fs.openSync(last.file, "r");
    try {
      const tail = readTail(from, last.file);
      if (tail.logId === undefined || tail.torn !== undefined) return [];
      checkKnown(tail, { expected, anchored: "yes", fd: from, file, segment: last.segment });
      logId = tail.logId;
      const put = (draft: string): void => stepInto(file, { draft, closed: last.file });
      const next = last.segment + 1;
      return beginSegment(last.file, { digest: digestOf(from), head: tail.head, next, put });
    } finally {
      fs.closeSync(from);
    }
  }

  function mendTorn(tail: Tail, expected: Head | undefined): ChainLine[] {
    if (tail.torn === undefined) return [];
    const { offset, size } = tail.torn;
    if (completes(tail, fd)) {
      // A whole record that only lacks its LF may have been acknowledged: it stays.
      writeWhole(fd, Buffer.from("\n"), { file, size: offset + size });
      adopt(readTail(fd, file));
      return recovered({ what: "completed", offset, bytes: size });
    }
    const { data, how } = cut(tail.torn);
    if (how === "swapped") use(openLog(file, { create: false }));
    adopt(tail);
    // Without its first record the file still goes on from the closed one before it, and is no new log.
    const begun = tail.size === 0 ? continueClosed(expected) : [];
    return [...begun, ...recovered(data)];
  }

  function cut(torn: NonNullable<Tail["torn"]>): ReturnType<typeof cutTorn> {
    try {
      return cutTorn(torn, { fd, file, now: options.now() });
    } catch (error) {
      throw unwritable(error, file);
    }
  }

  function restart(before: Head, what: "lost" | "set_aside"): ChainLine[] {
    const data = { ...moveLost(file, before, options.now()), what };
    use(openLog(file, { create: true }));
    logId = options.newLogId();
    return recovered(data);
  }

  return {
    get logId() {
      return logId;
    },
    get fd() {
      return fd;
    },
    get segment() {
      return segment;
    },
    get inode() {
      return inode;
    },
    get size() {
      return at?.size ?? 0;
    },
    isFull: (limits) =>
      at !== undefined && (halfClosed || at.size >= limits.bytes || at.head.seq >= limits.records),
    rotate,
    head,
    sync,
    restart,
    write,
    close: () => fs.closeSync(fd),
  };
}
