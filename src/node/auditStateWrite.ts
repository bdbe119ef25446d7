/** Lines to bytes on a file, whole or not at all. Knows nothing of records or of where a log ends. */
import * as fs from "node:fs";
import type { ChainLine } from "../core/audit/chain";
import { openLog, unwritable } from "./auditPlace";

export function bytesOf(lines: readonly ChainLine[]): Buffer {
  return Buffer.from(lines.map((line) => `${line.line}\n`).join(""));
}

/** A new file with these lines, on the disk; the caller closes it. */
export function writeDraft(
  draft: string,
  lines: readonly ChainLine[],
): { readonly fd: number; readonly size: number } {
  fs.rmSync(draft, { force: true });
  const fd = openLog(draft, { create: true });
  try {
    const bytes = bytesOf(lines);
    writeWhole(fd, bytes, { file: draft, size: 0 });
    fs.fdatasyncSync(fd);
    return { fd, size: bytes.length };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Writes every byte, or takes back what was written. */
export function writeWhole(
  fd: number,
  bytes: Buffer,
  at: { readonly file: string; readonly size: number },
): void {
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
