/** What a file said, for as long as the file is the very same: read once, not once per call. Knows nothing of what is in it. */
import { lstat } from "node:fs/promises";

export interface RememberedFiles<T> {
  /** `read` is asked unless nothing about the file can have changed since it last answered for this path. Rejects as it does. */
  of(path: string, read: () => Promise<T>): Promise<T>;
}

/**
 * A file's times are as coarse as two seconds on some disks, so a younger change could be followed by another one under
 * the same times. Until then the file is read each time.
 */
const SETTLED_NS = 2_500_000_000n;

export interface RememberedOptions<T> {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How many files are remembered; the oldest goes. */
  readonly limit: number;
  /** False for what says more of the reading than of the file: it may be otherwise the next time. */
  readonly holds: (value: T) => boolean;
}

export function rememberedFiles<T>({ now, limit, holds }: RememberedOptions<T>): RememberedFiles<T> {
  const known = new Map<string, { readonly mark: string; readonly value: T }>();
  return {
    async of(path, read) {
      const before = await markOf(path);
      const last = known.get(path);
      if (last !== undefined && last.mark === before?.mark) return last.value;
      known.delete(path);
      const value = await read();
      if (!holds(value)) return value;
      const after = await markOf(path);
      if (after === undefined || after.mark !== before?.mark || !isSettled(after, now())) return value;
      known.set(path, { mark: after.mark, value });
      const [oldest] = known.keys();
      if (known.size > limit && oldest !== undefined) known.delete(oldest);
      return value;
    },
  };
}

interface Mark {
  readonly mark: string;
  readonly changedNs: bigint;
}

/** Undefined for what is not there, and for links: what they lead to may change without them. */
async function markOf(path: string): Promise<Mark | undefined> {
  // What is wrong with it is for whoever reads it to say.
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined || !found.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs, mode, uid } = found;
  // The time of change is the one that no program can set back; a disk that has none gives no proof.
  if (ctimeNs <= 0n) return undefined;
  return { mark: [dev, ino, size, mtimeNs, ctimeNs, mode, uid].join(" "), changedNs: ctimeNs };
}

const isSettled = ({ changedNs }: Mark, now: number): boolean =>
  BigInt(Math.floor(now)) * 1_000_000n - changedNs > SETTLED_NS;
