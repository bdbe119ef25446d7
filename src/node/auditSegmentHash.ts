/** SHA-256 of a growing file, mostly taken before it is asked for, so that closing a segment holds nobody up. Knows nothing of records. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import { TO_READ } from "./auditBytes";

const CHUNK = 1024 * 1024;

export interface PrefixHash {
  readonly inode: number;
  /** Bytes taken so far. */
  readonly offset: number;
  /** Goes on in the background to where the file ends now; one run at a time. */
  start(): void;
  /** Takes everything up to `size`, in chunks that let others run. Rejects when the file is shorter or another. */
  upTo(size: number): Promise<string>;
  stop(): void;
}

export function createPrefixHash(file: string, inode: number): PrefixHash {
  const hash = crypto.createHash("sha256");
  let offset = 0;
  let running: Promise<void> | undefined;
  let stopped = false;

  async function take(size: number): Promise<void> {
    const handle = await fs.promises.open(file, TO_READ);
    try {
      if ((await handle.stat()).ino !== inode) throw new Error("another file stands in its place");
      const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size - offset)));
      while (offset < size && !stopped) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - offset), offset);
        if (bytesRead === 0) throw new Error("it became shorter");
        hash.update(buffer.subarray(0, bytesRead));
        offset += bytesRead;
      }
      if (offset < size) throw new Error("the log was closed");
    } finally {
      await handle.close();
    }
  }

  return {
    inode,
    get offset() {
      return offset;
    },
    start() {
      running ??= fs.promises
        .stat(file)
        .then((stats) => take(stats.size))
        // Whoever closes the segment meets the same error, and reports it.
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
        });
    },
    async upTo(size) {
      await running;
      await take(size);
      return hash.copy().digest("hex");
    },
    stop() {
      stopped = true;
    },
  };
}
