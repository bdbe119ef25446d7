/** Reads the text of a file that a command would run, within bounds. Judges nothing. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { ReadText } from "../core/guards/writtenFilesTexts";

/** A longer text is one that nobody can read through. */
const MAX_BYTES = 1024 * 1024;

/** Never rejects: what cannot be read is "unreadable", and its hash then changes with its size and time. */
export const scriptText: ReadText = async (path) => {
  try {
    // A pipe that nobody writes to would be waited for, and one of the few threads for all files with it.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      const unreadable = { kind: "unreadable", hash: `${path} ${stats.size} ${stats.mtimeMs}` } as const;
      if (stats.isDirectory()) return { kind: "missing" };
      if (stats.size > MAX_BYTES || !stats.isFile()) return unreadable;
      const bytes = await file.readFile();
      const hash = createHash("sha256").update(bytes).digest("hex");
      const text = bytes.toString("utf8");
      return text.includes("\0") ? { kind: "unreadable", hash } : { kind: "text", text, hash };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR"
      ? { kind: "missing" }
      : { kind: "unreadable", hash: `${path} ${String(code)}` };
  }
};
