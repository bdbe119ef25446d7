/** The files of a log in order, closed segments first, and whether they are still those that were read. Knows nothing of records. */
import { stat } from "node:fs/promises";
import * as path from "node:path";
import { readSpans } from "./auditLines";
import { errorCode } from "./auditPlace";
import { closedSegments } from "./auditSegment";

/** A file as it is now. */
export interface FileSeen {
  readonly path: string;
  /** Device and inode: a closed segment keeps them when it gets its name. */
  readonly place: string;
  readonly size: number;
  /** Its first bytes; a file that begins otherwise is another one. */
  readonly head: string;
}

/** A file as far as it was read. Offsets run through all files as if they were one. */
export interface LogPart {
  path: string;
  readonly place: string;
  head: string;
  /** Lines and bytes of the files before it. */
  readonly linesBefore: number;
  readonly bytesBefore: number;
  /** Bytes read of this file. */
  end: number;
}

const HEAD_BYTES = 256;

async function look(file: string): Promise<FileSeen | null> {
  try {
    const { size, dev, ino } = await stat(file);
    const [head] = await readSpans(file, [{ offset: 0, end: Math.min(size, HEAD_BYTES) + 1 }]);
    return { path: file, place: `${dev}:${ino}`, size, head: head ?? "" };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Closed segments and the active file, oldest first; none where there is no log. A file with two names is listed once. */
export async function filesOfLog(log: string): Promise<FileSeen[]> {
  const paths = [...closedSegments(path.resolve(log)).map(({ file }) => file), log];
  const seen = (await Promise.all(paths.map(look))).flatMap((file) => file ?? []);
  return seen.filter((file, at) => seen.findIndex((one) => one.place === file.place) === at);
}

/** True where every file that was read is still there in its order, and no shorter. */
export function continues(parts: readonly LogPart[], files: readonly FileSeen[]): boolean {
  return parts.every((part, at) => {
    const file = files[at];
    return (
      file !== undefined &&
      file.place === part.place &&
      file.size >= part.end &&
      file.head.startsWith(part.head)
    );
  });
}

/** The file that holds a line (counted through all files), or the last one. */
export function partOfLine(parts: readonly LogPart[], line: number): LogPart | undefined {
  return parts.findLast((part) => part.linesBefore < line) ?? parts[0];
}
