/** What a checkpoint says: which segment, how many records, which root; and the notes of a file one after the other. Knows nothing of keys or files. */
import { fromBase64, toBase64 } from "./base64";
import { parseObject } from "./parse";
import { parseNote, type SignedNote } from "./signedNote";
import type { Head } from "./verifyReport";

export interface Checkpoint {
  readonly logId: string;
  /** Counts from 1. */
  readonly segment: number;
  /** Records of the segment that the root covers. */
  readonly size: number;
  /** RFC 6962 root over the bytes of these lines without their LF; 32 bytes. */
  readonly root: Uint8Array;
}

/** The newest checkpoint, as kept where whoever changes the log cannot write. */
export interface Anchor {
  readonly log_id: string;
  readonly segment: number;
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** `record_hash` of record `size` of the segment. */
  readonly head: string;
  /** UTC, ISO 8601. */
  readonly ts: string;
}

/** The record that the newest checkpoint ends with. */
export function headOfAnchor({ log_id, segment, size, head }: Anchor): Head {
  return { log_id, count: size, seq: size, head, path: "", ...(segment === 1 ? {} : { segment }) };
}

/** The name that keys of a log have in notes. */
export function keyNameOf(logId: string): string {
  return `countersign/${logId}`;
}

/** The text that is signed: origin, size, root, each on a line. */
export function checkpointText({ logId, segment, size, root }: Checkpoint): string {
  return `${keyNameOf(logId)}/${segment}\n${size}\n${toBase64(root)}\n`;
}

/** Undefined when the text is not a checkpoint of ours, spelt in the one way. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const match = /^countersign\/([^\s/]+)\/([1-9]\d{0,8})\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/.exec(
    text,
  );
  const [, logId = "", segment = "", size = "", coded = ""] = match ?? [];
  const root = match === null ? undefined : fromBase64(coded);
  if (root === undefined || !Number.isSafeInteger(Number(size))) return undefined;
  return { logId, segment: Number(segment), size: Number(size), root };
}

/** One checkpoint of a file: where it stands, and what it says. */
export interface FiledCheckpoint {
  /** 1-based line at which the note begins. */
  readonly line: number;
  readonly note: SignedNote;
  readonly checkpoint: Checkpoint;
}

export interface CheckpointFile {
  readonly checkpoints: readonly FiledCheckpoint[];
  /** 1-based lines at which something begins that is no checkpoint; a last note cut short is not among them. */
  readonly strange: readonly number[];
  /** A write of the last note was cut short. */
  readonly torn: boolean;
}

/** A note of ours: three lines, a blank one, signatures. */
const NOTE = /^(?:[^\n]+\n){3}\n(?:\u2014 [^\n]*(?:\n|$))+/u;

/** Reads notes that follow each other, separated by one blank line. What is strange or cut short hides none of the others. */
export function parseCheckpointFile(text: string): CheckpointFile {
  const checkpoints: FiledCheckpoint[] = [];
  const strange: number[] = [];
  let torn = false;
  let line = 1;
  const parts = text.split(/^(?=countersign\/)/m);
  for (const [index, part] of parts.entries()) {
    const own = NOTE.exec(part)?.[0] ?? "";
    const rest = part.slice(own.length);
    const note = own.endsWith("\n") ? parseNote(own) : undefined;
    const checkpoint = note === undefined ? undefined : parseCheckpoint(note.text);
    if (note !== undefined && checkpoint !== undefined) {
      checkpoints.push({ line, note, checkpoint });
      if (/[^\n]/.test(rest)) strange.push(line + linesIn(own));
    } else if (index === parts.length - 1 && part !== "" && !part.endsWith("\n")) torn = true;
    else if (part !== "") strange.push(line);
    line += linesIn(part);
  }
  return { checkpoints, strange, torn };
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** True when `a` stands further on in the same log than `b`. */
export function isFurther(
  a: { readonly segment: number; readonly size: number },
  b: { readonly segment: number; readonly size: number },
): boolean {
  return a.segment > b.segment || (a.segment === b.segment && a.size > b.size);
}

/** Undefined when the text is no anchor. */
export function parseAnchor(text: string): Anchor | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const { log_id, segment, size, root, head, ts } = value;
  if (typeof log_id !== "string" || typeof root !== "string" || fromBase64(root)?.length !== 32)
    return undefined;
  if (typeof head !== "string" || typeof ts !== "string") return undefined;
  if (typeof segment !== "number" || !Number.isSafeInteger(segment) || segment < 1) return undefined;
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return undefined;
  return { log_id, segment, size, root, head, ts };
}
