/** Whether each file of a log names the one before it. Knows nothing of lines or signatures. */
import type { DamageBook } from "./verifyReport";

/** A file as it was read. */
export interface SegmentRead {
  readonly segment: number;
  readonly file: string;
  readonly lines: number;
  readonly size: number;
  /** `record_hash` of its last record. */
  readonly head: string | null;
  readonly sha256: string;
  readonly damaged: boolean;
}

/** What `log.segment` says of the file before. */
export interface SegmentLink {
  readonly segment: number;
  readonly file: string;
  readonly count: number;
  readonly head: string;
  readonly sha256: string;
}

/** Undefined when the value is not the data of a `log.segment` record. */
export function parseSegmentLink(data: unknown): SegmentLink | undefined {
  if (typeof data !== "object" || data === null || !("segment" in data) || !("previous" in data))
    return undefined;
  const { segment, previous } = data;
  if (typeof segment !== "number" || typeof previous !== "object" || previous === null) return undefined;
  if (!("file" in previous && "count" in previous && "head" in previous && "sha256" in previous))
    return undefined;
  const { file, count, head, sha256 } = previous;
  if (typeof file !== "string" || typeof count !== "number") return undefined;
  if (typeof head !== "string" || typeof sha256 !== "string") return undefined;
  return { segment, file, count, head, sha256 };
}

/** Books what does not agree between the first record of a file and the file before. */
export function compareSegments(
  book: DamageBook,
  at: {
    readonly segment: number;
    readonly link: SegmentLink | undefined;
    readonly before: SegmentRead | undefined;
  },
): void {
  const { segment, link, before } = at;
  const first = { line: 1, offset: 0 } as const;
  if (link === undefined) {
    if (segment > 1) book.add({ ...first, kind: "rewritten" });
    return;
  }
  if (before === undefined || link.segment !== segment) {
    const missing = before === undefined ? "before it" : "between the two";
    book.warn(`this file says that it is number ${link.segment} of its log; a file ${missing} is missing`);
    book.add({ ...first, kind: "missing_segment" });
    return;
  }
  // What is wrong inside the file before was booked there.
  if (before.damaged) return;
  const { file, lines, size } = before;
  if (link.count > lines) book.add({ line: lines + 1, offset: size, kind: "truncated", file });
  else if (link.count < lines) book.add({ line: link.count + 1, offset: size, kind: "inserted", file });
  else if (link.head !== before.head || link.sha256 !== before.sha256)
    book.add({ line: Math.max(1, lines), offset: size, kind: "rewritten", file });
  else if (link.file !== file) book.warn(`the file ${file} was called ${link.file} when it was closed`);
}
