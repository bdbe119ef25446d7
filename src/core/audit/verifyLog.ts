/** Verifies a log, file by file and line by line, against all that is known of it. A step machine; knows nothing of how files are read. */
import type { Json } from "./canonical";
import type { Frontier } from "./merkle";
import { isSigned } from "./recordSignature";
import { formatVerifierKey } from "./signedNote";
import { type ChainCheck, type ChainStart, checkChain, type LogIdentity } from "./verifyChain";
import { type CheckpointCheck, checkCheckpoints, type KnownCheckpoint } from "./verifyCheckpoints";
import { hasUntrusted, judgePin, lookBeyond, type WholeLog } from "./verifyJudge";
import { type KeyPorts, trackKeys } from "./verifyKeys";
import { collectEvidence, GRACE_RECORDS, levelOf } from "./verifyLevel";
import { createLineReader, type LineAt, type LinePorts, parseLine, type Reading } from "./verifyLine";
import { createNoteSigns } from "./verifyNoteSigns";
import { damageBook, type Head, type SegmentSeen, type VerifyReport } from "./verifyReport";
import { compareSegments, parseSegmentLink, type SegmentRead } from "./verifySegments";
import { waitedNamesIn } from "./waited";

export interface VerifyPorts extends LinePorts, KeyPorts {}

export interface KnownOfLog {
  /** The newest record as kept elsewhere, in one place or in several. */
  readonly heads?: readonly Head[];
  /** Verifier key text that the reader trusts. */
  readonly vkey?: string;
  readonly checkpoints?: readonly KnownCheckpoint[];
  /** Name of the file of checkpoints. */
  readonly checkpointFile?: string;
  /** Where an earlier pass stopped. */
  readonly from?: Resume;
  /** One closed file is looked at without the others. */
  readonly alone?: boolean;
}

/** All that is needed to go on with a file that was read up to here. */
export interface Resume {
  readonly segment: number;
  readonly logId: string | undefined;
  readonly chain: ChainStart;
  /** Bytes. */
  readonly offset: number;
  /** Verifier key texts, oldest first. */
  readonly keys: readonly string[];
  readonly tree?: Frontier;
  /** The files before this one. */
  readonly seen: readonly SegmentSeen[];
  readonly before?: SegmentRead;
}

export interface LogVerifier {
  /** `file` is what damages are said to stand in; undefined where the log has only one. */
  begin(at: { readonly segment: number; readonly name: string; readonly file: string | undefined }): void;
  step(line: LineAt): void;
  /**
   * Takes lines that come next and of which it is known that they are in order: see `createAheadReader`. Returns how many it
   * took, from the first on; the one after them must be given to `step`.
   */
  follow(lines: LinesInOrder): number;
  /** Whether `follow` must be given hashes of leaves. */
  readonly wantsLeaves: boolean;
  /** `sha256` of the whole file; only looked at where a file follows. */
  end(at: { readonly size: number; readonly sha256: string }): void;
  /** A file that must be there and is not. */
  missing(file: string): void;
  finish(): VerifyReport;
  /** Where to go on another time: the newest checkpoint that holds, else the newest line. */
  position(): Resume;
}

/** Each follows the one before it, the first of them the line that `step` was given last. */
export interface LinesInOrder {
  readonly count: number;
  /** Byte offset in the file of the k-th one's LF, counting from 0. */
  endOf(k: number): number;
  /** Its `record_hash`. */
  hashOf(k: number): string;
  /** Its hash as a leaf, a copy of its own. */
  leafOf(k: number): Uint8Array;
}

export function createLogVerifier(ports: VerifyPorts, known: KnownOfLog = {}): LogVerifier {
  const { from, checkpoints = [] } = known;
  const read = createLineReader(ports);
  const book = damageBook(known.heads ?? []);
  const log: LogIdentity = { logId: from?.logId };
  const keys = trackKeys(ports, {
    ...(known.vkey === undefined ? {} : { pinned: known.vkey }),
    ...(from === undefined ? {} : { known: from.keys, unread: known.alone !== true }),
  });
  const seen: SegmentSeen[] = [...(from?.seen ?? [])];
  const evidence = collectEvidence();
  const signs = createNoteSigns(ports.verifySignature);
  const waited = new Set<string>();
  const needsTree = checkpoints.length > 0 || known.vkey !== undefined;
  let chain: ChainCheck = checkChain(book, log);
  let tree: CheckpointCheck | undefined;
  let segment = 0;
  let name = "";
  let before: SegmentRead | undefined = from?.before;
  let atCheckpoint: Resume | undefined;
  let resumed = false;
  let offset = 0;
  let numbered = from !== undefined;
  /** The line before is sound, and the chain stands at it. */
  let atSound = false;

  /** The file's checkpoints are known once its first line has said which log it is. */
  function startTree(): void {
    const own = checkpoints.filter(
      (one) => one.checkpoint.logId === log.logId && one.checkpoint.segment === segment,
    );
    tree = checkCheckpoints(ports, {
      checkpoints: own,
      book,
      key: keys.current,
      isTrusted: keys.isTrusted,
      signs,
      file: known.checkpointFile ?? "audit.checkpoints",
      ...(resumed && from?.tree !== undefined ? { from: from.tree } : {}),
    });
  }

  /** Every record under the reader's key is looked into. */
  const isYoung = (): boolean => keys.isPinned() && evidence.keyed <= GRACE_RECORDS;

  /** The chain goes on from this very record. */
  function isNewest({ ownHash, seq, stated, logId }: Reading): boolean {
    if (ownHash !== "right" || seq < 0) return false;
    return chain.seq === seq && chain.hash === stated && log.logId === logId;
  }

  /** How many lines in order may come without one that must be looked into. */
  function freeLines(): number {
    if (!atSound || isYoung() || (needsTree && tree === undefined)) return 0;
    return Math.min(book.nextHead(chain.seq) - chain.seq - 1, tree?.free ?? Number.POSITIVE_INFINITY);
  }

  /** Records that are more than an event of a call. */
  function lookInto(at: LineAt, reading: Reading, sound: boolean): void {
    const isFirst = chain.lines === 1;
    if (!isFirst && !sound) return;
    if (!isFirst && !isYoung() && !reading.mayHaveWaited && !isSigned(reading.event)) return;
    // The parse boundary: a line of the log is JSON, or undefined.
    const record = (parseLine(at) ?? {}) as Readonly<Record<string, Json>>;
    if (isFirst) {
      const link = reading.event === "log.segment" ? parseSegmentLink(record.data) : undefined;
      if (known.alone !== true) compareSegments(book, { segment, link, before });
    }
    if (sound) lookAtWaits(at, record.findings);
    if (sound && !keys.accepts(record, segment))
      book.add({ line: chain.lines, offset: at.offset, kind: "unattested" });
    else if (keys.isPinned() && sound) {
      evidence.underKey(record.ts);
      if (reading.event === "log.checkpoint") evidence.promise(record.data);
    }
  }

  /** What waited beside the locked log is written once: a second record of it is an old file put back. */
  function lookAtWaits(at: LineAt, findings: unknown): void {
    for (const name of waitedNamesIn(findings)) {
      if (waited.has(name)) book.add({ line: chain.lines, offset: at.offset, kind: "inserted" });
      waited.add(name);
    }
  }

  function here(): Resume {
    return {
      segment,
      logId: log.logId,
      chain: { lines: chain.lines, seq: chain.seq, hash: chain.hash },
      offset,
      keys: keys.texts(),
      ...(tree === undefined ? {} : { tree: tree.tree.frontier() }),
      seen: seen.map((one) => ({ ...one, unread: one.count })),
      ...(before === undefined ? {} : { before }),
    };
  }

  return {
    begin(at) {
      segment = at.segment;
      name = at.name;
      resumed = from?.segment === segment;
      atSound = false;
      offset = resumed ? (from?.offset ?? 0) : 0;
      tree = undefined;
      book.enter(at);
      chain = checkChain(book, log, resumed ? from?.chain : undefined);
      if (resumed && from !== undefined && typeof from.chain.hash === "string")
        book.sawRecord(from.chain.lines, from.offset, from.chain.seq, from.chain.hash);
    },
    step(at) {
      const reading = at.terminated ? read(at) : undefined;
      const sound = chain.step(at, reading);
      atSound = sound && reading !== undefined && isNewest(reading);
      if (!at.terminated) return;
      if (reading !== undefined) lookInto(at, reading, sound);
      if (needsTree && tree === undefined) startTree();
      offset = at.offset + at.end - at.start + 1;
      if (tree === undefined) return;
      const { valid } = tree;
      tree.step(at.bytes.subarray(at.start, at.end), { offset: at.offset, next: offset });
      if (tree.valid > valid) atCheckpoint = here();
    },
    wantsLeaves: needsTree,
    follow({ count, endOf, hashOf, leafOf }) {
      const lines = Math.min(count, freeLines());
      if (lines <= 0) return 0;
      if (tree !== undefined) for (let k = 0; k < lines; k += 1) tree.stepHashed(leafOf(k));
      chain.follow({
        lines,
        offset: lines === 1 ? offset : endOf(lines - 2) + 1,
        hash: hashOf(lines - 1),
      });
      offset = endOf(lines - 1) + 1;
      return lines;
    },
    end({ size, sha256 }) {
      if (needsTree && tree === undefined) startTree();
      const result = tree?.end({ lines: chain.lines, size });
      if (result !== undefined) evidence.count(segment, result);
      numbered = numbered || chain.numbered;
      before = {
        segment,
        file: name,
        lines: chain.lines,
        size,
        head: chain.hash,
        sha256,
        damaged: book.damagedHere(),
      };
      const unread = resumed ? (from?.chain.lines ?? 0) : 0;
      seen.push({ file: name, count: chain.lines, unread });
    },
    missing(gone) {
      book.enter({ segment, file: gone });
      book.add({ line: 1, offset: 0, kind: "missing_segment" });
      before = undefined;
    },
    finish: () => {
      const last = { lines: before?.lines ?? 0, size: before?.size ?? 0 };
      const count = seen.reduce((sum, one) => sum + one.count, 0);
      const whole: WholeLog = { book, keys, evidence, logId: log.logId, segment, count, last };
      lookBeyond(checkpoints, whole);
      judgePin(whole, {
        vkey: known.vkey,
        read: from === undefined || known.alone === true ? "all" : "what is new",
      });
      const headHolds = book.compareHeads({
        ...last,
        logId: log.logId,
        short: evidence.agreesWithItself ? "rolled_back" : "truncated",
      });
      const level = levelOf({
        isOurs: numbered || count === 0,
        wantsKey: known.vkey !== undefined,
        // A note kept outside that the log's own key signed names that key as well as the reader could.
        isSigned: evidence.valid > 0 && !hasUntrusted(whole) && (keys.isPinned() || evidence.outside),
        headHolds,
        outside: evidence.outside,
      });
      return withDetails(book.report({ count, level }));
    },
    position: () => atCheckpoint ?? here(),
  };

  function withDetails(report: VerifyReport): VerifyReport {
    const { skipped } = signs;
    const unseen = skipped === 0 ? [] : [`${skipped} more checkpoint(s) were not looked at`];
    const first = keys.first();
    const { lastValid } = evidence;
    const signed = first && {
      valid: evidence.valid,
      ...(lastValid === undefined ? {} : { last: lastValid }),
      vkey: formatVerifierKey(first),
      pinned: keys.isPinned(),
    };
    return {
      ...report,
      warnings: [...report.warnings, ...unseen],
      ...(seen.length > 1 || seen.some((one) => one.unread > 0) ? { segments: seen } : {}),
      ...(signed === undefined ? {} : { checkpoints: signed }),
    };
  }
}
