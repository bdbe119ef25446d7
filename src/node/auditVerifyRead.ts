/** Lends the lines of a file of any size, one after the other, from a buffer that is used again and again. Knows nothing of what they mean. */
import * as crypto from "node:crypto";
import * as fs from "node:fs/promises";
import { CountersignError, messageOf } from "../core/errors";
import { TO_READ } from "./auditBytes";

const CHUNK = 1024 * 1024;
const LF = 0x0a;
/** No record is longer; a file with such a line is no log. */
const MAX_LINE = 16 * 1024 * 1024;

export interface LentLine {
  /** Valid until the next line is lent. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  readonly terminated: boolean;
}

export interface LineReading {
  /** Byte offset of a line's start; default 0. */
  readonly from?: number;
  /** Takes the SHA-256 of the whole file too, also of what stands before `from`. */
  readonly digest?: "whole" | "none";
  /** Bytes of the file passed so far; called about once per MiB. */
  readonly onBytes?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface FileRead {
  /** Bytes. */
  readonly size: number;
  /** 64 hex digits; empty where it was not asked for. */
  readonly sha256: string;
}

/**
 * Calls `each` for every line. One that is too long to be a record is lent as an empty line.
 * Throws `audit.unreadable`, or the signal's reason.
 */
export async function eachLine(
  file: string,
  each: (line: LentLine) => void,
  reading: LineReading = {},
): Promise<FileRead> {
  const handle = await openToRead(file);
  try {
    const digest = await wholeDigest(handle, reading);
    const { onRead } = digest;
    const { offset } = await lend(handle, each, { ...reading, from: reading.from ?? 0, onRead });
    return { size: offset, sha256: digest.hex() };
  } finally {
    await handle.close();
  }
}

export interface Lending extends LineReading {
  readonly from: number;
  readonly onRead: WholeDigest["onRead"];
  /** Stops once some lines were lent, if only one. */
  readonly until?: "end" | "some lines";
}

/** Where it stopped: at the start of a line, or at the end of the file. */
export interface Lent {
  readonly offset: number;
  readonly ended: boolean;
}

export async function lend(
  handle: fs.FileHandle,
  each: (line: LentLine) => void,
  at: Lending,
): Promise<Lent> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  let kept = 0;
  let offset = at.from;
  /** What is kept is the tail of a line too long to be kept whole; this many bytes of it are gone. */
  let dropped = 0;
  for (;;) {
    if (kept === buffer.length && kept >= MAX_LINE) {
      dropped += kept;
      kept = 0;
    } else if (kept === buffer.length) buffer = grown(buffer);
    const position = offset + dropped + kept;
    const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept, position);
    at.signal?.throwIfAborted();
    const filled = kept + bytesRead;
    if (bytesRead === 0) {
      if (kept + dropped > 0) each({ bytes: buffer, start: 0, end: kept, offset, terminated: false });
      return { offset: position, ended: true };
    }
    at.onRead(buffer.subarray(kept, filled), position);
    let start = 0;
    const bytes = buffer.subarray(0, filled);
    // What was kept holds no LF.
    for (let end = bytes.indexOf(LF, kept); end !== -1; end = bytes.indexOf(LF, start)) {
      if (dropped > 0) {
        each({ bytes, start: end, end, offset, terminated: true });
        offset += dropped + end + 1 - start;
        dropped = 0;
        start = end + 1;
        continue;
      }
      each({ bytes, start, end, offset: offset, terminated: true });
      offset += end + 1 - start;
      start = end + 1;
    }
    kept = filled - start;
    buffer.copy(buffer, 0, start, filled);
    at.onBytes?.(offset);
    if (at.until === "some lines" && offset > at.from) return { offset, ended: false };
  }
}

/** The SHA-256 of a whole file while it is read. */
export interface WholeDigest {
  /** Bytes that stand at this offset; those that were taken already are not taken again. */
  onRead(bytes: Uint8Array, position: number): void;
  /** 64 hex digits; empty where it was not asked for. */
  hex(): string;
}

export async function wholeDigest(handle: fs.FileHandle, reading: LineReading): Promise<WholeDigest> {
  if (reading.digest !== "whole") return { onRead: () => undefined, hex: () => "" };
  const hash = crypto.createHash("sha256");
  let taken = reading.from ?? 0;
  await hashRange(handle, taken, hash);
  return {
    onRead(bytes, position) {
      const end = position + bytes.length;
      if (end <= taken) return;
      hash.update(bytes.subarray(taken - position));
      taken = end;
    },
    hex: () => hash.digest("hex"),
  };
}

function grown(buffer: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(buffer.length * 2);
  buffer.copy(larger);
  return larger;
}

async function hashRange(handle: fs.FileHandle, end: number, hash: crypto.Hash): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, end)));
  for (let at = 0; at < end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) return;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** SHA-256 of a whole file. Throws `audit.unreadable`. */
export async function fileDigest(file: string, reading: LineReading = {}): Promise<FileRead> {
  const handle = await openToRead(file);
  try {
    const hash = crypto.createHash("sha256");
    // Two buffers: one is read into while the other is hashed.
    const buffers = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)] as const;
    let size = 0;
    let pending = handle.read(buffers[0], 0, CHUNK, 0);
    for (let turn = 0; ; turn = 1 - turn) {
      const { bytesRead, buffer } = await pending;
      reading.signal?.throwIfAborted();
      if (bytesRead === 0) return { size, sha256: hash.digest("hex") };
      size += bytesRead;
      pending = handle.read(buffers[turn === 0 ? 1 : 0], 0, CHUNK, size);
      hash.update(buffer.subarray(0, bytesRead));
      reading.onBytes?.(size);
    }
  } finally {
    await handle.close();
  }
}

export async function openToRead(file: string): Promise<fs.FileHandle> {
  let handle: fs.FileHandle | undefined;
  try {
    handle = await fs.open(file, TO_READ);
    if ((await handle.stat()).isFile()) return handle;
  } catch (error) {
    await handle?.close();
    throw unreadable(file, messageOf(error));
  }
  await handle.close();
  throw unreadable(file, "it is not a file");
}

function unreadable(file: string, why: string): CountersignError {
  return new CountersignError("audit.unreadable", `The audit log ${file} cannot be read: ${why}.`, {
    hint: "Give the path of an audit.jsonl that you may read.",
  });
}
