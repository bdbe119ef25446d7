/** Reads files of checkpoints, of any size, into a bounded number of them. Knows nothing of keys. */
import * as fs from "node:fs";
import { parseCheckpointFile } from "../core/audit/checkpoint";
import type { KnownCheckpoint } from "../core/audit/verifyCheckpoints";
import { CountersignError, messageOf } from "../core/errors";
import { TO_READ } from "./auditBytes";

export interface NotesRead {
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly warnings: readonly string[];
}

/** One slab is parsed at a time. */
const SLAB = 4 * 1024 * 1024;
/** What a file may have grown by meanwhile is read in such parts. */
const SMALL = 64 * 1024;
/** Beyond this every other one is let go: each that stays covers all lines before it. The newest stay. */
const MAX_KEPT = 20_000;
const NEWEST_KEPT = 100;

/** A missing file has none. Throws `audit.unreadable`. */
export function readCheckpoints(file: string, kept: KnownCheckpoint["kept"]): NotesRead {
  let all: KnownCheckpoint[] = [];
  const warnings: string[] = [];
  let line = 1;
  for (const { text, offset, isLast } of slabs(file)) {
    const parsed = parseCheckpointFile(text);
    const offsets = lineOffsets(text, offset);
    for (const filed of parsed.checkpoints)
      all.push({ ...filed, line: filed.line + line - 1, offset: offsets[filed.line - 1] ?? offset, kept });
    for (const strange of parsed.strange)
      warnings.push(`line ${strange + line - 1} of the checkpoints begins something that is none`);
    if (parsed.torn && isLast) warnings.push("the last checkpoint has no end: a write was cut short");
    if (all.length > MAX_KEPT) all = all.filter((_one, i) => i % 2 === 1 || i >= all.length - NEWEST_KEPT);
    line += offsets.length - 1;
  }
  return { checkpoints: all, warnings: warnings.slice(0, 20) };
}

interface Slab {
  readonly text: string;
  readonly offset: number;
  readonly isLast: boolean;
}

/** Cut where a note begins, or anywhere in what is too long for one. */
function* slabs(file: string): Generator<Slab> {
  let fd: number;
  try {
    if (!fs.existsSync(file)) return;
    fd = fs.openSync(file, TO_READ);
  } catch (error) {
    throw unreadable(file, messageOf(error));
  }
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw unreadable(file, "it is not a file");
    let rest = Buffer.alloc(0);
    for (let offset = 0; ; ) {
      // Mostly the file is far shorter than a slab, and read to its end at once.
      const left = stats.size - offset - rest.length;
      const chunk = Buffer.allocUnsafe(Math.min(SLAB, Math.max(left, SMALL)));
      const count = fs.readSync(fd, chunk, 0, chunk.length, offset + rest.length);
      const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
      const cut = count === 0 ? bytes.length : cutOf(bytes);
      if (cut > 0 || count === 0) yield { text: bytes.toString("utf8", 0, cut), offset, isLast: count === 0 };
      offset += cut;
      rest = bytes.subarray(cut);
      if (count === 0) return;
    }
  } finally {
    fs.closeSync(fd);
  }
}

const START = "\n\ncountersign/";

/** A note begins after a blank line, and with this word; no note is as long as a slab. */
function cutOf(bytes: Buffer): number {
  const at = bytes.lastIndexOf(START);
  if (at !== -1) return at + 2;
  return bytes.length <= SLAB ? 0 : bytes.length - START.length;
}

/** Byte offset of each line, and of the end. */
function lineOffsets(text: string, from: number): number[] {
  const offsets = [from];
  const bytes = Buffer.from(text);
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) offsets.push(from + at + 1);
  return offsets;
}

function unreadable(file: string, why: string): CountersignError {
  return new CountersignError("audit.unreadable", `The checkpoints ${file} cannot be read: ${why}.`);
}
