/** Whether anything under some files and folders can have changed: one text over what the system says of each. Reads no content. */
import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Stamp {
  readonly text: string;
  /** False while a further change could still carry the same times: a file's times are as coarse as two seconds on some disks. */
  readonly settled: boolean;
}

export interface Watched {
  readonly files: readonly string[];
  /** With all that lies in them, and the folders that lead to them from `top`. */
  readonly folders: readonly string[];
  readonly top: string;
}

const SETTLED_NS = 2_500_000_000n;
/** What has more is not worth looking at with every call: it is read instead. */
const MAX_ENTRIES = 300;

/** In one go, without a pause in which something could be swapped. Undefined = it cannot be told. */
export function stampOf({ files, folders, top }: Watched, now: number): Stamp | undefined {
  const lines: string[] = [];
  let newest = 0n;
  const add = (path: string): BigIntStats | undefined => {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) lines.push(`- ${path}`);
    else {
      const { dev, ino, size, mode, uid, mtimeNs, ctimeNs } = found;
      lines.push([dev, ino, size, mode, uid, mtimeNs, ctimeNs, path].join(" "));
      if (ctimeNs > newest) newest = ctimeNs;
    }
    return found;
  };
  try {
    for (const file of files) add(file);
    for (const folder of folders) {
      for (let above = dirname(folder); above.length >= top.length; above = dirname(above)) add(above);
      const waiting = [folder];
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        if (lines.length > MAX_ENTRIES) return undefined;
        const found = add(path);
        if (found?.isDirectory() === true)
          for (const name of readdirSync(path)) waiting.push(join(path, name));
      }
    }
    // A disk without times of change gives no proof.
    const settled = newest > 0n && BigInt(Math.floor(now)) * 1_000_000n - newest > SETTLED_NS;
    return { text: lines.join("\n"), settled };
  } catch {
    return undefined;
  }
}
