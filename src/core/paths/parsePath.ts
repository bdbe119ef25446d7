/** Text to an absolute path of one system, nothing looked up. What cannot be read for sure is refused, never guessed. */
import type { Os } from "./canonicalPath";
import { readFileUrl } from "./fileUrl";
import { parseWindowsPath } from "./windowsPath";

/**
 * malformed: no system could mean a file by it, or it was made to deceive.
 * unjudgeable: it may be a file, but nobody here can tell which.
 */
export interface Refusal {
  readonly ok: false;
  readonly kind: "malformed" | "unjudgeable";
  readonly reason: string;
}

export interface ParsedPath {
  readonly ok: true;
  /** "" on POSIX. */
  readonly volume: string;
  /** `.` gone, `..` kept. */
  readonly segments: readonly string[];
}

export interface ParseContext {
  readonly os: Os;
  /** Absolute. */
  readonly home: string;
  /** Absolute; absent = relative paths are refused. */
  readonly cwd?: string | undefined;
}

/** Stands for an argument that should be a path and is none; always refused. */
export const NOT_A_PATH = "\0not a path";

/** Stands for the files of a command that is too long or too deep to be read through. */
export const UNREAD_COMMAND = "\0unread command";

const MAX_POSIX = 4096;
const MAX_WIN32 = 32_767;

export function malformed(reason: string): Refusal {
  return { ok: false, kind: "malformed", reason };
}

export function unjudgeable(reason: string): Refusal {
  return { ok: false, kind: "unjudgeable", reason };
}

export function parsePath(text: string, context: ParseContext): ParsedPath | Refusal {
  const bad = refuseText(text, context.os);
  if (bad !== null) return bad;
  if (/^file:/i.test(text)) {
    const url = readFileUrl(text, context.os);
    return url.ok ? parseNative(url.path, context) : url;
  }
  // A cell lies in its notebook.
  const cell = /^vscode-notebook-cell:(?:\/\/)?(\/[^?#]*)/i.exec(text);
  if (cell !== null) return parsePath(`file://${cell[1]}`, context);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) || /^vscode-[a-z-]+:/i.test(text))
    return unjudgeable("an address of another kind than file: names no file that can be judged");
  return parseNative(text, context);
}

function refuseText(text: string, os: Os): Refusal | null {
  if (text === "") return malformed("the path is empty");
  if (text === NOT_A_PATH) return malformed("the argument that names the file is no text");
  if (text === UNREAD_COMMAND)
    return unjudgeable("the command is too long or too deeply nested to find every file in it");
  if (text.includes("\0")) return malformed("the path holds a NUL character");
  if (/\p{Surrogate}/u.test(text)) return malformed("the path is no well-formed text");
  if (text.length > (os === "win32" ? MAX_WIN32 : MAX_POSIX)) return malformed("the path is too long");
  return null;
}

function parseNative(text: string, context: ParseContext): ParsedPath | Refusal {
  const { home } = context;
  const tilde = /^~([^/\\]*)/.exec(text);
  if (tilde !== null && tilde[1] !== "")
    return unjudgeable(`"${tilde[0]}" may be another user's home folder or a file of that name`);
  const expanded = tilde === null ? text : `${home}${text.slice(1) === "" ? "" : `/${text.slice(1)}`}`;
  if (expanded.includes("\0")) return malformed("the path holds a NUL character");
  return context.os === "win32" ? parseWindowsPath(expanded, context.cwd) : parsePosix(expanded, context.cwd);
}

function parsePosix(text: string, cwd: string | undefined): ParsedPath | Refusal {
  let full = text;
  if (!text.startsWith("/")) {
    if (cwd === undefined || !cwd.startsWith("/"))
      return unjudgeable("the path is relative and the working folder is not known");
    full = `${cwd}/${text}`;
  }
  const segments = full.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.some((segment) => segment.length > 255)) return malformed("a name in the path is too long");
  return { ok: true, volume: "", segments };
}
