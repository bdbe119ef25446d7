/** Reads the text of a file that a command would run, within bounds. Judges nothing. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { ReadText } from "../core/guards/writtenFilesTexts";

/** A longer text is one that nobody can read through. */
const MAX_BYTES = 1024 * 1024;

/** Never rejects: what cannot be read is "unreadable", and its hash then changes with its size and time. */
export const scriptText: ReadText = async (path) => {
  try {
    const file = await open(path, "r");
    try {
      const { size, mtimeMs } = await file.stat();
      const unreadable = { kind: "unreadable", hash: `${path} ${size} ${mtimeMs}` } as const;
      if (size > MAX_BYTES) return unreadable;
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
