/** What a verification found: damages in order, moved records told from missing ones, the head compared. Knows nothing of bytes. */

export type DamageKind =
  /** The record's own hash is wrong: its bytes changed. */
  | "modified"
  /** One or more records before this line are gone. */
  | "deleted"
  /** A line that does not belong here: an old record again, or one made up. */
  | "inserted"
  | "reordered"
  /** The chain does not continue, or it is not the one that was signed: records were replaced and hashed anew. */
  | "rewritten"
  /** The key signed two histories of this log. */
  | "forked"
  /** The content is right, the bytes are not those that a writer writes. */
  | "respelt"
  /** A line of another log, or no record at all. */
  | "foreign"
  /** The last line has no end: a write was cut short. */
  | "torn"
  /** Records that a checkpoint or a head kept elsewhere knows of are gone from the end. */
  | "truncated"
  /** Log and checkpoints agree with each other and are older than what is known elsewhere: an old copy was put back. */
  | "rolled_back"
  /** A whole file of the log is gone. */
  | "missing_segment"
  /** An approval, a grant or a checkpoint without a valid signature of the log's key. */
  | "unattested"
  /** A log without numbers whose chain does not continue here. */
  | "unlinked"
  /** A record that was accepted while the log was locked has vanished. */
  | "spool_lost";

export interface Damage {
  /** Counts from 1. */
  readonly line: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly kind: DamageKind;
  /** Name of the file, where a log has more than one. */
  readonly file?: string;
}

/** The newest record as known outside the log's own folder. */
export interface Head {
  readonly log_id: string;
  readonly count: number;
  readonly seq: number;
  /** `record_hash` of record `seq`. */
  readonly head: string;
  readonly path: string;
  /** The file that holds it, counting from 1; absent = 1. */
  readonly segment?: number;
  /** Ids of records that wait in the spool. */
  readonly spooled?: readonly string[];
}

export interface VerifyReport {
  readonly ok: boolean;
  /** Line of the first damage, counting from 1 in its file; null when ok. */
  readonly firstBad: number | null;
  /** Lines of all files of the log. */
  readonly count: number;
  /**
   * 0 = chain of another writer, 1 = chain of ours in strict bytes, 2 = and the checkpoints signed by a known key agree,
   * 3 = and the head kept elsewhere agrees, 4 = and a checkpoint kept outside this machine agrees. A broken log reaches 0.
   */
  readonly level: number;
  readonly damage: readonly Damage[];
  readonly warnings: readonly string[];
  /** Only where the log has more than one file, or not all was read. */
  readonly segments?: readonly SegmentSeen[];
  /** Only where the log names a key. */
  readonly checkpoints?: CheckpointsSeen;
}

export interface SegmentSeen {
  readonly file: string;
  /** Lines; what the next file states of it where only its digest was compared. */
  readonly count: number;
  /** Lines that were not read: vouched for by the file's digest, or by an earlier pass. */
  readonly unread: number;
}

export interface CheckpointsSeen {
  /** Whose root was found in the log and whose signature is the log's key's. */
  readonly valid: number;
  /** The newest of them. */
  readonly last?: { readonly segment: number; readonly size: number };
  /** The verifier key text that the log names first. */
  readonly vkey: string;
  /** True when that key, or one that it handed over to, is the one that the reader named. */
  readonly pinned: boolean;
}

interface Gap {
  readonly from: number;
  readonly to: number;
  /** Line at which the gap was noticed. */
  readonly line: number;
}

/** The record that the head names, as it stands in the log. */
interface Found {
  readonly line: number;
  readonly offset: number;
  readonly hash: string;
  readonly file: string | undefined;
}

const MAX_DAMAGE = 1000;
const MAX_GAPS = 1000;

/** Where a file ended. */
export interface EndOfFile {
  readonly lines: number;
  readonly size: number;
}

interface ComparedEnd extends EndOfFile {
  readonly logId: string | undefined;
  /** What it is called when less is there than is known. */
  readonly short: DamageKind;
}

function segmentOf(head: Head): number {
  return head.segment ?? 1;
}

export type DamageBook = ReturnType<typeof damageBook>;

/** `heads` were kept in different places: each of them must hold. */
export function damageBook(heads: readonly Head[]) {
  const damage: Damage[] = [];
  const warnings = new Set<string>();
  let gaps: Gap[] = [];
  let more = 0;
  let segment = 1;
  let file: string | undefined;
  /** The newest record; segment 0 = none. */
  let lastSegment = 0;
  let lastSeq = 0;
  const atHead = new Map<Head, Found>();
  let respelt = 0;
  let respeltFirst = 0;

  function add(found: Damage): void {
    const named = found.file ?? file;
    if (damage.length < MAX_DAMAGE) damage.push(named === undefined ? found : { ...found, file: named });
    else more += 1;
  }

  function warn(text: string): void {
    if (warnings.size < 100) warnings.add(text);
  }

  /** A missing number turned up later: what looked deleted was moved. */
  function fillGap(seq: number): boolean {
    const index = gaps.findIndex((gap) => seq >= gap.from && seq <= gap.to);
    const gap = gaps[index];
    if (gap === undefined) return false;
    const rest = [
      { ...gap, to: seq - 1 },
      { ...gap, from: seq + 1 },
    ].filter((part) => part.from <= part.to);
    gaps.splice(index, 1, ...rest);
    const noted = damage.findIndex((d) => d.line === gap.line && d.kind === "deleted" && d.file === file);
    const found = damage[noted];
    if (found !== undefined) damage[noted] = { ...found, kind: "reordered" };
    return true;
  }

  const isShort = (known: Head): boolean =>
    lastSegment === segmentOf(known) ? lastSeq < known.seq : lastSegment < segmentOf(known);

  /** True when there are heads, and the record that each of them names stands in the log. */
  function compareHeads(at: ComparedEnd): boolean {
    const hold = heads.map((head) => compareHead(head, at));
    if (hold.length === 0 || hold.includes(false)) return false;
    const newest = heads.toSorted((a, b) => segmentOf(b) - segmentOf(a) || b.seq - a.seq)[0];
    if (newest !== undefined && lastSegment > segmentOf(newest))
      warn("the newest file of the log is newer than the known head");
    else if (newest !== undefined && lastSeq > newest.seq)
      warn(`the newest ${lastSeq - newest.seq} record(s) are newer than the known head`);
    return true;
  }

  function compareHead(head: Head, at: ComparedEnd): boolean {
    const found = atHead.get(head);
    if (at.logId !== undefined && at.logId !== head.log_id) {
      add({ line: 1, offset: 0, kind: "rewritten" });
      warn("this is another log than the one whose head is known");
    } else if (isShort(head)) {
      const line = at.lines + 1;
      if (!damage.some((d) => d.line === line && d.file === file))
        add({ line, offset: at.size, kind: at.short });
    } else if (found !== undefined && found.hash !== head.head) {
      const { line, offset, file: named } = found;
      if (!damage.some((d) => d.line === line && d.file === named))
        add({ line, offset, kind: "rewritten", ...(named === undefined ? {} : { file: named }) });
    } else return found !== undefined;
    return false;
  }

  return {
    add,
    warn,
    /** What is added from here on stands in this file. */
    enter(at: { readonly segment: number; readonly file: string | undefined }): void {
      segment = at.segment;
      file = at.file;
      gaps = [];
    },
    warnRespelt(line: number): void {
      respelt += 1;
      if (respelt === 1) respeltFirst = line;
    },
    openGap(gap: Gap): void {
      if (gaps.length < MAX_GAPS) gaps.push(gap);
    },
    fillGap,
    sawRecord(line: number, offset: number, seq: number, hash: string): void {
      if (segment > lastSegment || seq > lastSeq) {
        lastSegment = segment;
        lastSeq = seq;
      }
      for (const head of heads)
        if (seq === head.seq && segment === segmentOf(head)) atHead.set(head, { line, offset, hash, file });
    },
    /** The next record after `seq` in this file that a head names. */
    nextHead: (seq: number): number =>
      heads.reduce(
        (next, head) => (segmentOf(head) === segment && head.seq > seq ? Math.min(next, head.seq) : next),
        Number.POSITIVE_INFINITY,
      ),
    compareHeads,
    damaged: (): boolean => damage.length > 0,
    /** True where this file is already known to be damaged. */
    damagedHere: (): boolean => damage.some((d) => d.file === file),
    report(at: { readonly count: number; readonly level: number }): VerifyReport {
      if (more > 0) warn(`${more} more damaged line(s) are not listed`);
      if (respelt > 0)
        warn(`${respelt} record(s) are not written in canonical bytes, first at line ${respeltFirst}`);
      if (at.count === 0) warn("the log is empty");
      const ok = damage.length === 0;
      const sorted = damage.toSorted((a, b) => order(a.file, b.file) || a.line - b.line);
      return {
        ok,
        firstBad: sorted[0]?.line ?? null,
        count: at.count,
        level: ok ? at.level : 0,
        damage: sorted,
        warnings: [...warnings],
      };
    },
  };
}

/** Files of the log in their order, `audit-000001.jsonl` before `audit.jsonl`; then its checkpoints. */
function order(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  const [isLogA, isLogB] = [a, b].map((file) => file === undefined || file.endsWith(".jsonl"));
  if (isLogA !== isLogB) return isLogA ? -1 : 1;
  return (a ?? "") < (b ?? "") ? -1 : 1;
}
