/** What a verification found: damages in order, moved records told from missing ones, the head compared. Knows nothing of bytes. */

export type DamageKind =
  /** The record's own hash is wrong: its bytes changed. */
  | "modified"
  /** One or more records before this line are gone. */
  | "deleted"
  /** A line that does not belong here: an old record again, or one made up. */
  | "inserted"
  | "reordered"
  /** The chain does not continue: this record or the one before was replaced and hashed anew. */
  | "rewritten"
  /** The content is right, the bytes are not those that a writer writes. */
  | "respelt"
  /** A line of another log, or no record at all. */
  | "foreign"
  /** The last line has no end: a write was cut short. */
  | "torn"
  /** Records that a head kept elsewhere knows of are gone from the end. */
  | "truncated"
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
}

/** The newest record as known outside the log's own folder. */
export interface Head {
  readonly log_id: string;
  readonly count: number;
  readonly seq: number;
  /** `record_hash` of record `seq`. */
  readonly head: string;
  readonly path: string;
  /** Ids of records that wait in the spool. */
  readonly spooled?: readonly string[];
}

export interface VerifyReport {
  readonly ok: boolean;
  /** Line of the first damage, counting from 1; null when ok. */
  readonly firstBad: number | null;
  readonly count: number;
  /** 0 = chain of another writer, 1 = chain of ours in strict bytes, 3 = and the head kept elsewhere agrees. A broken log reaches 0. */
  readonly level: number;
  readonly damage: readonly Damage[];
  readonly warnings: readonly string[];
}

interface Gap {
  readonly from: number;
  readonly to: number;
  /** Line at which the gap was noticed. */
  readonly line: number;
}

interface Seen {
  readonly line: number;
  readonly offset: number;
  readonly seq: number;
  readonly hash: string;
}

const MAX_DAMAGE = 1000;
const MAX_GAPS = 1000;

export function damageBook(head: Head | undefined) {
  const damage: Damage[] = [];
  const warnings = new Set<string>();
  const gaps: Gap[] = [];
  let more = 0;
  let last: Seen | undefined;
  let atHead: Seen | undefined;
  let respelt = 0;
  let respeltFirst = 0;

  function add(found: Damage): void {
    if (damage.length < MAX_DAMAGE) damage.push(found);
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
    const noted = damage.findIndex((d) => d.line === gap.line && d.kind === "deleted");
    const found = damage[noted];
    if (found !== undefined) damage[noted] = { ...found, kind: "reordered" };
    return true;
  }

  function compareHead(lines: number, size: number, logId: string | undefined): void {
    if (head === undefined) return;
    if (logId !== undefined && logId !== head.log_id) {
      add({ line: 1, offset: 0, kind: "rewritten" });
      warn("this is another log than the one whose head is known");
    } else if (last === undefined || last.seq < head.seq) {
      add({ line: lines + 1, offset: size, kind: "truncated" });
    } else if (atHead !== undefined && atHead.hash !== head.head) {
      if (!damage.some((d) => d.line === atHead?.line))
        add({ line: atHead.line, offset: atHead.offset, kind: "rewritten" });
    } else if (last.seq > head.seq) {
      warn(`the newest ${last.seq - head.seq} record(s) are newer than the known head`);
    }
  }

  return {
    add,
    warn,
    warnRespelt(line: number): void {
      respelt += 1;
      if (respelt === 1) respeltFirst = line;
    },
    openGap(gap: Gap): void {
      if (gaps.length < MAX_GAPS) gaps.push(gap);
    },
    fillGap,
    sawRecord(seen: Seen): void {
      if (last === undefined || seen.seq >= last.seq) last = seen;
      if (seen.seq === head?.seq) atHead = seen;
    },
    report(at: {
      readonly lines: number;
      readonly size: number;
      readonly level: number;
      readonly logId: string | undefined;
    }): VerifyReport {
      compareHead(at.lines, at.size, at.logId);
      if (more > 0) warn(`${more} more damaged line(s) are not listed`);
      if (respelt > 0)
        warn(`${respelt} record(s) are not written in canonical bytes, first at line ${respeltFirst}`);
      if (at.lines === 0) warn("the log is empty");
      const ok = damage.length === 0;
      const sorted = damage.toSorted((a, b) => a.line - b.line);
      const level = !ok ? 0 : head !== undefined ? Math.max(at.level, 3) : at.level;
      return {
        ok,
        firstBad: sorted[0]?.line ?? null,
        count: at.lines,
        level,
        damage: sorted,
        warnings: [...warnings],
      };
    },
  };
}
