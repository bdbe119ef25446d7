/** How far the reading of a log's files has come, in bytes. Knows nothing of what stands in them. */
import * as fs from "node:fs/promises";
import type { SegmentFile } from "./auditVerifyFiles";

export interface VerifyProgress {
  /** Bytes. */
  readonly done: number;
  readonly total: number;
}

export interface Progress {
  /** Bytes that will be read. */
  readonly total: number;
  at(done: number): void;
  next(): void;
}

/** `skipped` bytes of the first file are not read. */
export async function progressOver(
  segments: readonly SegmentFile[],
  skipped: number,
  onProgress: ((progress: VerifyProgress) => void) | undefined,
): Promise<Progress> {
  const sizes: number[] = [];
  for (const file of segments)
    sizes.push(
      await fs.stat(file.path).then(
        (s) => s.size,
        () => 0,
      ),
    );
  const total = sizes.reduce((sum, size) => sum + size, 0) - skipped;
  let before = -skipped;
  let index = 0;
  return {
    total,
    at: (done) => onProgress?.({ done: before + done, total }),
    next() {
      before += sizes[index] ?? 0;
      index += 1;
    },
  };
}
