/** Compares the lines of one segment with the checkpoints that were signed over it. Knows nothing of the chain or of files. */
import type { FiledCheckpoint } from "./checkpoint";
import { createMerkleTree, type Frontier, type HashBytes, type MerkleTree } from "./merkle";
import type { VerifierKey } from "./signedNote";
import type { NoteSigns } from "./verifyNoteSigns";
import type { DamageBook, DamageKind } from "./verifyReport";

/** A checkpoint to compare with: beside the log, or kept outside this machine by the reader. */
export interface KnownCheckpoint extends FiledCheckpoint {
  readonly kept: "beside" | "outside";
  /** Bytes from the start of the file of checkpoints. */
  readonly offset: number;
}

export interface CheckpointPorts {
  readonly digest: HashBytes;
}

export interface CheckpointOptions {
  /** Of this log and segment, in any order. */
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly book: DamageBook;
  /** The key in force where the segment has been read up to. */
  readonly key: () => VerifierKey | undefined;
  /** False for a key before the one that the reader named: what it signed proves nothing. */
  readonly isTrusted: (key: VerifierKey) => boolean;
  /** Shared by all files of a log. */
  readonly signs: NoteSigns;
  /** Name of the file of checkpoints, for damages in it. */
  readonly file: string;
  readonly from?: Frontier;
}

export interface CheckpointCheck {
  /** `line` counts from 1, its bytes are only lent. */
  step(line: Uint8Array, at: { readonly offset: number; readonly next: number }): void;
  /** A line of which only the leaf's hash is at hand: one of the next `free`. */
  stepHashed(leaf: Uint8Array): void;
  /** So many lines come before the one that a checkpoint waits for. */
  readonly free: number;
  /** Checkpoints that were found to hold so far. */
  readonly valid: number;
  /** What the lines of the segment gave. */
  end(at: { readonly lines: number; readonly size: number }): CheckpointResult;
  readonly tree: MerkleTree;
}

export interface CheckpointResult {
  readonly valid: number;
  /** Notes beside the log that hold, under a key that is not trusted. */
  readonly untrusted: number;
  /** Size of the newest that holds, beside the log and outside. */
  readonly beside: number;
  readonly outside: number;
  /** The checkpoints beside the log end where the log does, or before. */
  readonly besideFits: boolean;
}

interface Place {
  readonly line: number;
  readonly offset: number;
}

/** A checkpoint whose size was reached. */
interface Compared {
  readonly known: KnownCheckpoint;
  readonly matches: boolean;
  /** Where lines begin that no checkpoint before it covers, and where those begin that it does not cover. */
  readonly good: Place;
  readonly next: Place;
}

interface Broken extends Place {
  readonly known: KnownCheckpoint;
  readonly signed: boolean;
}

export function checkCheckpoints(ports: CheckpointPorts, options: CheckpointOptions): CheckpointCheck {
  const { book } = options;
  const tree = createMerkleTree(ports.digest, options.from);
  const waiting = options.checkpoints.toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
  let next = waiting.findIndex((known) => known.checkpoint.size >= Math.max(tree.size, 1));
  // One of size 0 says nothing.
  if (next === -1) next = waiting.length;
  let valid = 0;
  const sizes = { beside: 0, outside: 0 };
  /** Up to here the newest checkpoint that holds reaches. */
  let good: Place = { line: tree.size + 1, offset: 0 };
  let broken: Broken | undefined;
  const doubtful: Compared[] = [];
  let unattested = 0;
  let untrusted = 0;

  function isSigned(known: KnownCheckpoint): boolean {
    const key = options.key();
    return key !== undefined && options.signs.isSigned(known.note, key);
  }

  function unsigned(known: KnownCheckpoint): void {
    if (known.kept === "outside") {
      book.warn("a checkpoint kept outside is not signed by a key of this log");
      return;
    }
    unattested += 1;
    const { line, offset } = known;
    // One stands for all: after a lost key none of the later ones can be checked.
    if (unattested === 1) book.add({ line, offset, kind: "unattested", file: options.file });
  }

  function compare(known: KnownCheckpoint, root: Uint8Array, after: number): void {
    const compared: Compared = {
      known,
      matches: equal(root, known.checkpoint.root),
      good,
      next: { line: tree.size + 1, offset: after },
    };
    if (isSigned(known)) judge(compared);
    // The next key may be named a few lines on, and have signed this already.
    else doubtful.push(compared);
  }

  function judge({ known, matches, good: from, next: after }: Compared): void {
    if (!matches) {
      broken ??= { ...from, known, signed: true };
      return;
    }
    const key = options.key();
    // What the reader brought along is as it was then, whoever signed it.
    if (known.kept === "beside" && key !== undefined && !options.isTrusted(key)) {
      untrusted += 1;
      return;
    }
    valid += 1;
    sizes[known.kept] = Math.max(sizes[known.kept], known.checkpoint.size);
    if (after.line > good.line) good = after;
  }

  function judgeDoubtful(): void {
    for (const compared of doubtful) {
      const { known, matches, good: from } = compared;
      if (isSigned(known)) judge(compared);
      // Of what nobody of this log signed, only what the reader brought along counts.
      else if (known.kept === "outside" && !matches) broken ??= { ...from, known, signed: false };
      else unsigned(known);
    }
  }

  /** Damage of the chain in the same file explains a root that differs. */
  function report(): void {
    if (broken === undefined || book.damagedHere()) return;
    const { line, offset, known, signed } = broken;
    const later = Math.max(sizes.beside, sizes.outside) >= known.checkpoint.size;
    const kind: DamageKind = later && signed ? "forked" : "rewritten";
    book.add({ line, offset, kind });
  }

  /** All that cover exactly what the tree holds now. */
  function compareHere(after: number): void {
    if (waiting[next]?.checkpoint.size !== tree.size) return;
    const root = tree.root();
    for (; waiting[next]?.checkpoint.size === tree.size; next += 1) {
      const known = waiting[next];
      if (known !== undefined) compare(known, root, after);
    }
  }

  compareHere(0);
  return {
    tree,
    get valid() {
      return valid;
    },
    get free() {
      // The first line says where what no checkpoint covers begins.
      if (good.offset === 0 && good.line === tree.size + 1) return 0;
      return (waiting[next]?.checkpoint.size ?? Number.POSITIVE_INFINITY) - tree.size - 1;
    },
    stepHashed: tree.addHashed,
    step(line, at) {
      if (good.offset === 0 && good.line === tree.size + 1) good = { line: good.line, offset: at.offset };
      tree.add(line);
      compareHere(at.next);
    },
    end({ lines, size }) {
      judgeDoubtful();
      report();
      const beyond = waiting.slice(next);
      for (const known of beyond.filter((one) => one.kept === "beside" && !isSigned(one))) unsigned(known);
      if (unattested > 1) book.warn(`${unattested} checkpoint(s) are not signed by the key in force`);
      const missed = beyond.filter((one) => one.kept === "outside" || isSigned(one));
      const besideFits = !missed.some((one) => one.kept === "beside");
      if (missed.length > 0)
        book.add({ line: lines + 1, offset: size, kind: besideFits ? "rolled_back" : "truncated" });
      return { valid, untrusted, ...sizes, besideFits };
    },
  };
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
