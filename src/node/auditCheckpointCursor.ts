/** Follows one segment as it grows and keeps the root over its lines, without reading anything twice. Knows nothing of keys or of when a checkpoint is due. */
import * as fs from "node:fs";
import * as z from "zod";
import { fromBase64, toBase64 } from "../core/audit/base64";
import { createMerkleTree, type Frontier } from "../core/audit/merkle";
import { parseRecord } from "../core/audit/parse";
import { TO_READ } from "./auditBytes";
import { hashBytes } from "./auditKeysEd25519";
import { lookAtLog } from "./auditPlace";
import { segmentOf } from "./auditSegment";
import { endsWith } from "./auditTail";

/** Small, so that a window that catches up stays usable: about a millisecond of work each. */
const CHUNK = 64 * 1024;
const MAX_LINE = 16 * 1024 * 1024;
const LF = 0x0a;

/** Where a cursor stood, to go on from there after a restart. */
export interface CursorPlace {
  readonly logId: string;
  readonly segment: number;
  readonly offset: number;
  /** `record_hash` of the last record read; "" before the first. */
  readonly head: string;
  readonly frontier: Frontier;
}

export interface SegmentCursor {
  readonly segment: number;
  readonly logId: string;
  readonly inode: number;
  /** Lines read; the root covers them. */
  readonly size: number;
  readonly head: string;
  /** Records read since `settle`, without the log's own of checkpoints. */
  readonly pending: number;
  /** Lines read since `settle`. */
  readonly lines: number;
  readToEnd(): Promise<void>;
  root(): Uint8Array;
  place(): CursorPlace;
  /** What was read so far is covered. */
  settle(): void;
  /** What was read is on the disk when it resolves. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The file became another, or shorter than what was read of it. */
export class CutError extends Error {}

/** Undefined for a file without a whole record of ours. `at` is told the root when exactly that many lines were read. */
export async function openCursor(
  file: string,
  options: {
    readonly from?: CursorPlace | undefined;
    readonly at?: { readonly size: number; check(root: Uint8Array): void } | undefined;
  } = {},
): Promise<SegmentCursor | undefined> {
  const handle = await fs.promises.open(file, TO_READ | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    const cursor = await cursorOver(handle, options);
    if (cursor === undefined) await handle.close();
    return cursor;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function cursorOver(
  handle: fs.promises.FileHandle,
  options: NonNullable<Parameters<typeof openCursor>[1]>,
): Promise<SegmentCursor | undefined> {
  const first = parseRecord(await firstLine(handle));
  if (first === null) return undefined;
  const { from, at } = options;
  const segment = segmentOf(handle.fd);
  const logId = first.log_id;
  const inode = (await handle.stat()).ino;
  const start = from !== undefined && goesOn(handle.fd, from, { segment, logId }) ? from : undefined;
  const tree = createMerkleTree(hashBytes, start?.frontier);
  let offset = start?.offset ?? 0;
  let head = start?.head ?? "";
  let pending = 0;
  let lines = 0;
  let buffer = Buffer.allocUnsafe(CHUNK);

  function take(line: Buffer): void {
    tree.add(line);
    lines += 1;
    const record = parseRecord(line.toString("utf8"));
    head = record?.record_hash ?? head;
    if (record?.event !== "log.checkpoint" && record?.event !== "log.heartbeat") pending += 1;
    if (tree.size === at?.size) at.check(tree.root());
  }

  /** Bytes of whole lines taken. */
  function takeLines(bytes: Buffer): number {
    let begin = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, begin)) {
      take(bytes.subarray(begin, end));
      begin = end + 1;
    }
    return begin;
  }

  async function readToEnd(): Promise<void> {
    if ((await handle.stat()).size < offset) throw new CutError("it became shorter");
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
      const taken = takeLines(buffer.subarray(0, bytesRead));
      offset += taken;
      if (bytesRead < buffer.length) return;
      if (taken > 0) continue;
      if (buffer.length >= MAX_LINE) throw new CutError("a line is too long for a record");
      buffer = Buffer.allocUnsafe(buffer.length * 2);
    }
  }

  return {
    segment,
    logId,
    inode,
    get size() {
      return tree.size;
    },
    get head() {
      return head;
    },
    get pending() {
      return pending;
    },
    get lines() {
      return lines;
    },
    readToEnd,
    root: () => tree.root(),
    place: () => ({ logId, segment, offset, head, frontier: tree.frontier() }),
    settle() {
      pending = 0;
      lines = 0;
    },
    flush: () => handle.datasync(),
    close: () => handle.close(),
  };
}

async function firstLine(handle: fs.promises.FileHandle): Promise<string> {
  const bytes = Buffer.alloc(2 * CHUNK);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  const end = bytes.subarray(0, bytesRead).indexOf(LF);
  return end === -1 ? "" : bytes.toString("utf8", 0, end);
}

function goesOn(
  fd: number,
  from: CursorPlace,
  file: { readonly segment: number; readonly logId: string },
): boolean {
  if (from.segment !== file.segment || from.logId !== file.logId) return false;
  return from.frontier.size > 0 && endsWith(fd, from.offset, from.head);
}

/** Whether the log's name still means the file that this cursor reads. */
export function isActive(cursor: SegmentCursor, log: string): boolean {
  return lookAtLog(log)?.ino === cursor.inode;
}

const placeSchema = z.object({
  logId: z.string(),
  segment: z.number().int().positive(),
  offset: z.number().int().nonnegative(),
  head: z.string(),
  size: z.number().int().nonnegative(),
  nodes: z.array(z.string()),
});

export function formatPlace({ frontier, ...place }: CursorPlace): string {
  return JSON.stringify({ ...place, size: frontier.size, nodes: frontier.nodes.map(toBase64) });
}

/** The place and the root there; undefined when the text is none, or its frontier cannot be one. */
export function parsePlace(text: string): { readonly place: CursorPlace; readonly root: string } | undefined {
  try {
    const { size, nodes, ...rest } = placeSchema.parse(JSON.parse(text));
    const frontier = { size, nodes: nodes.map((node) => fromBase64(node) ?? new Uint8Array()) };
    return { place: { ...rest, frontier }, root: toBase64(createMerkleTree(hashBytes, frontier).root()) };
  } catch {
    return undefined;
  }
}
