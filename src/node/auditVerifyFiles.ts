/** Which files belong to the log that somebody named, by file or by folder. Knows nothing of what stands in them. */
import * as fs from "node:fs";
import * as path from "node:path";
import { CountersignError } from "../core/errors";
import { closedFile, closedSegments, isSameFile } from "./auditSegment";

export interface SegmentFile {
  readonly segment: number;
  readonly path: string;
  /** Name without folder. */
  readonly name: string;
}

export interface LogFiles {
  /** The path of the active file, whether or not it is there. */
  readonly log: string;
  /** Oldest first. */
  readonly closed: readonly SegmentFile[];
  /** Undefined where it is missing. */
  readonly active: SegmentFile | undefined;
  /** Closed files that must have been there. */
  readonly gaps: readonly SegmentFile[];
  readonly checkpoints: string;
  /** The one closed file that was named; the others are not looked at. */
  readonly alone?: SegmentFile;
}

const CLOSED = /^(.*)-(\d{6,9})\.jsonl$/;

/** Throws `audit.unreadable` where no log is. */
export function findLog(named: string): LogFiles {
  const full = path.resolve(named);
  if (isFolder(full)) return filesOf(logIn(full));
  const [, stem = "", digits = ""] = CLOSED.exec(path.basename(full)) ?? [];
  const log = path.join(path.dirname(full), `${stem}.jsonl`);
  const isClosed = stem !== "" && closedFile(log, Number(digits)) === full;
  // A file of such a name may be a log of its own.
  if (!isClosed || !closedSegments(log).some(({ file }) => file === full) || !hasSiblings(log, full))
    return filesOf(full);
  const files = filesOf(log);
  const alone = files.closed.find((file) => file.path === full);
  return alone === undefined ? files : { ...files, alone };
}

function hasSiblings(log: string, full: string): boolean {
  return fs.existsSync(log) || closedSegments(log).some(({ file }) => file !== full);
}

function filesOf(log: string): LogFiles {
  const name = (file: string): string => path.basename(file);
  const all = closedSegments(log).map(({ segment, file }) => ({ segment, path: file, name: name(file) }));
  // A writer that was killed between the two names of one file leaves both.
  const closed = all.filter((file) => !isSameFile(file.path, log));
  const last = closed.at(-1)?.segment ?? 0;
  const isThere = fs.existsSync(log);
  const gaps: SegmentFile[] = [];
  for (let segment = 1; segment < last; segment += 1) {
    const file = closedFile(log, segment);
    if (!closed.some((one) => one.segment === segment)) gaps.push({ segment, path: file, name: name(file) });
    if (gaps.length >= 100) break;
  }
  return {
    log,
    closed,
    active: isThere || closed.length === 0 ? { segment: last + 1, path: log, name: name(log) } : undefined,
    gaps,
    checkpoints: log.replace(/\.jsonl$/, "").concat(".checkpoints"),
  };
}

function logIn(folder: string): string {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const logs = new Set(
    names.map((name) => {
      const stem = CLOSED.exec(name)?.[1];
      return stem === undefined ? name : `${stem}.jsonl`;
    }),
  );
  if (logs.has("audit.jsonl")) return path.join(folder, "audit.jsonl");
  const [only, other] = [...logs].sort();
  if (only !== undefined && other === undefined) return path.join(folder, only);
  const why =
    only === undefined ? "it holds no audit log" : `it holds several logs: ${[...logs].sort().join(", ")}`;
  throw new CountersignError("audit.unreadable", `The folder ${folder} cannot be verified: ${why}.`, {
    hint: "Give the path of a log's active file, mostly audit.jsonl.",
  });
}

function isFolder(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
