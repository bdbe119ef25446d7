/** Verifies an audit log, all its files, against all that is known of it. Writes nothing, locks nothing, needs no node:sqlite. */
import { existsSync, statSync } from "node:fs";
import * as path from "node:path";
import { type Anchor, headOfAnchor } from "../core/audit/checkpoint";
import type { KnownCheckpoint } from "../core/audit/verifyCheckpoints";
import { createLogVerifier, type KnownOfLog, type LogVerifier, type Resume } from "../core/audit/verifyLog";
import type { Head, VerifyReport } from "../core/audit/verifyReport";
import { verifyPorts } from "./auditBytes";
import { digestStart, keysOf, logIdOf } from "./auditVerifyDigest";
import { findLog, type LogFiles, type SegmentFile } from "./auditVerifyFiles";
import { readCheckpoints } from "./auditVerifyNotes";
import { type Progress, progressOver, type VerifyProgress } from "./auditVerifyProgress";
import { eachLine } from "./auditVerifyRead";
import { endsWithRecord } from "./auditVerifyResume";
import { withSpool } from "./auditVerifySpool";

export type { VerifyProgress, VerifyReport };

export interface VerifyOptions {
  /** The newest record as kept elsewhere. */
  readonly head?: Head;
  /** The newest checkpoint as kept where whoever changes the log cannot write. */
  readonly kept?: Anchor;
  /** Verifier key text that the reader trusts. */
  readonly vkey?: string;
  /** The key that this machine knows a log by; asked where `vkey` is not given. */
  readonly knownKey?: (logId: string) => Promise<string | undefined>;
  /** File of checkpoints that was kept outside this machine. */
  readonly anchor?: string;
  /**
   * Closed files: "lines" (default) reads them all. "digest" compares their SHA-256 with what the next file says: it was
   * taken of whatever stood there when the file was closed, so that this shows no more than level 1.
   */
  readonly closed?: "digest" | "lines";
  /** Where an earlier pass stopped: goes on from there. Ignored where the log is not the one that was read. */
  readonly from?: Resume;
  readonly onProgress?: (progress: VerifyProgress) => void;
  readonly signal?: AbortSignal;
}

export interface Verified {
  readonly report: VerifyReport;
  /** Where another pass may go on; only of a log that is ok. */
  readonly position: Resume | undefined;
}

/** A writer goes on meanwhile: so often is a log read again whose files changed under the reading. */
const TRIES = 3;

/** `named` is a log's file or its folder. Throws `audit.unreadable`, or the signal's reason. */
export async function verifyLog(named: string, options: VerifyOptions = {}): Promise<Verified> {
  for (let tries = 1; ; tries += 1) {
    const before = namesAndNotes(named);
    const verified = await verifyOnce(named, options);
    // A checkpoint that was signed, or a file that was closed, after we had looked is not missing.
    if (verified.report.ok || tries === TRIES || namesAndNotes(named) === before) return verified;
  }
}

function namesAndNotes(named: string): string {
  const { closed, checkpoints } = findLog(named);
  const size = statSync(checkpoints, { throwIfNoEntry: false })?.size ?? -1;
  return `${closed.length} ${size}`;
}

async function verifyOnce(named: string, asked: VerifyOptions): Promise<Verified> {
  const files = findLog(named);
  const options = await withKnownKey(files, asked);
  const notes = files.alone === undefined ? readCheckpoints(files.checkpoints, "beside") : notesOf(files);
  const anchor = options.anchor === undefined ? undefined : readCheckpoints(options.anchor, "outside");
  const checkpoints = [...notes.checkpoints, ...(anchor?.checkpoints ?? [])];
  const pass: Pass = { files, checkpoints, options };
  const verified = (await shortPass(pass)) ?? (await digestPass(pass)) ?? (await wholePass(pass));
  const warnings = [...notes.warnings, ...(anchor?.warnings ?? []), ...verified.report.warnings];
  if (files.active === undefined && files.alone === undefined)
    warnings.push(
      `the active file ${path.basename(files.log)} is missing; only a head or a checkpoint can tell what it held`,
    );
  const report = await withSpool({ ...verified.report, warnings }, files, options.head);
  return { report, position: report.ok ? verified.position : undefined };
}

/** Verifies a whole log. `head` is what is known of it elsewhere. Throws `audit.unreadable`. */
export async function verifyFile(named: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  return (await verifyLog(named, options)).report;
}

/** `firstBad` is the 1-based line of the first damage, null when ok; `count` the lines read. Throws `audit.unreadable`. */
export async function verifyAuditLog(file: string): Promise<Pick<VerifyReport, "ok" | "firstBad" | "count">> {
  const { ok, firstBad, count } = await verifyFile(file);
  return { ok, firstBad, count };
}

async function withKnownKey(files: LogFiles, options: VerifyOptions): Promise<VerifyOptions> {
  if (options.vkey !== undefined || options.knownKey === undefined) return options;
  const first = files.closed[0] ?? files.active;
  const logId = first === undefined || !existsSync(first.path) ? undefined : await logIdOf(first);
  const vkey = logId === undefined ? undefined : await options.knownKey(logId);
  return vkey === undefined ? options : { ...options, vkey };
}

interface Pass {
  readonly files: LogFiles;
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly options: VerifyOptions;
}

function notesOf(files: LogFiles) {
  const read = readCheckpoints(files.checkpoints, "beside");
  return {
    ...read,
    checkpoints: read.checkpoints.filter((one) => one.checkpoint.segment === files.alone?.segment),
  };
}

/** Goes on where an earlier pass stopped. */
async function shortPass(pass: Pass): Promise<Verified | undefined> {
  const { files, options } = pass;
  const { from } = options;
  const file = [...files.closed, files.active].find((one) => one?.segment === from?.segment);
  if (from === undefined || file === undefined || !(await endsWithRecord(file.path, from))) return undefined;
  const verified = await passFrom(pass, from);
  // What was not read is vouched for by a signature over what was; without signatures by the earlier pass alone.
  const isVouchedFor = from.tree === undefined || (verified?.report.checkpoints?.valid ?? 0) > 0;
  return isVouchedFor ? verified : undefined;
}

/** Closed files by their digests, where the key that the reader named has signed the file that names them. */
async function digestPass(pass: Pass): Promise<Verified | undefined> {
  const { files, checkpoints, options } = pass;
  if (options.closed !== "digest" || options.vkey === undefined || checkpoints.length === 0) return undefined;
  const from = await digestStart(files, options);
  const verified = from === undefined ? undefined : await passFrom(pass, from);
  const signed = verified?.report.checkpoints;
  if (verified === undefined || signed?.pinned !== true || signed.valid === 0) return undefined;
  const { report } = verified;
  const warnings = [...report.warnings, DIGESTS_ONLY];
  // Another pass must not go on from lines that none has read.
  return { report: { ...report, level: Math.min(report.level, 1), warnings }, position: undefined };
}

const DIGESTS_ONLY =
  "closed files were compared by their digests alone: what was changed before a file was closed does not show";

/** Part of the lines only. Whatever it does not find in order is for the whole pass to name: undefined. */
async function passFrom(pass: Pass, from: Resume): Promise<Verified | undefined> {
  const { files } = pass;
  if (files.alone !== undefined || files.active === undefined || files.gaps.length > 0) return undefined;
  if (!reaches(pass, from)) return undefined;
  const checkpoints = pass.checkpoints.filter(({ checkpoint }) => checkpoint.segment >= from.segment);
  const verified = await readThrough({ ...pass, checkpoints }, [...files.closed, files.active], from);
  const { report } = verified;
  if (!report.ok) return undefined;
  return { ...verified, report: { ...report, warnings: [...report.warnings, ...unreadNotes(report)] } };
}

/** False where something that must be compared lies in what would not be read. */
function reaches({ checkpoints, options }: Pass, from: Resume): boolean {
  const { lines } = from.chain;
  const needsTree = options.vkey !== undefined || checkpoints.length > 0;
  if (lines > 0 && needsTree && from.tree === undefined) return false;
  const outside = checkpoints.filter((one) => one.kept === "outside").map((one) => one.checkpoint);
  if (
    outside.some(({ segment, size }) => segment < from.segment || (segment === from.segment && size < lines))
  )
    return false;
  return headsOf(options).every(
    ({ segment = 1, seq }) => segment > from.segment || (segment === from.segment && seq >= from.chain.seq),
  );
}

function unreadNotes(report: VerifyReport): string[] {
  return (report.segments ?? [])
    .filter((one) => one.unread > 0)
    .map((one) => `${one.file}: ${one.unread} of ${one.count} record(s) were not read again`);
}

async function wholePass(pass: Pass): Promise<Verified> {
  const { files } = pass;
  if (files.alone !== undefined)
    return readThrough(pass, [files.alone], await startAlone(files, files.alone));
  return readThrough(
    pass,
    [...files.closed, ...(files.active === undefined ? [] : [files.active])],
    undefined,
  );
}

/** A closed file of its own: what came before it is known by the keys it named. */
async function startAlone(files: LogFiles, { segment }: SegmentFile): Promise<Resume> {
  const earlier = files.closed.filter((file) => file.segment < segment);
  const chain = { lines: 0, seq: 0, hash: null };
  return { segment, logId: undefined, chain, offset: 0, keys: await keysOf(earlier), seen: [] };
}

async function readThrough(
  pass: Pass,
  all: readonly SegmentFile[],
  from: Resume | undefined,
): Promise<Verified> {
  const { files, checkpoints, options } = pass;
  const segments = all.filter((file) => file.segment >= (from?.segment ?? 1));
  const verifier = createLogVerifier(verifyPorts, {
    ...knownOf(options),
    checkpoints,
    checkpointFile: path.basename(files.checkpoints),
    alone: files.alone !== undefined,
    ...(from === undefined ? {} : { from }),
  });
  const progress = await progressOver(segments, from?.offset ?? 0, options.onProgress);
  const isMany = all.length > 1 || files.gaps.length > 0;
  for (const file of segments) {
    for (const gap of files.gaps) if (gap.segment === file.segment - 1) verifier.missing(gap.name);
    await readSegment(verifier, file, { isMany, from, options, progress });
    progress.next();
  }
  return { report: verifier.finish(), position: verifier.position() };
}

function knownOf(options: VerifyOptions): KnownOfLog {
  const { vkey } = options;
  return { heads: headsOf(options), ...(vkey === undefined ? {} : { vkey }) };
}

function headsOf({ head, kept }: VerifyOptions): Head[] {
  const heads = head === undefined ? [] : [head];
  return kept === undefined || kept.size === 0 ? heads : [...heads, headOfAnchor(kept)];
}

interface ReadingSegment {
  /** Damages name their file. */
  readonly isMany: boolean;
  readonly from: Resume | undefined;
  readonly options: VerifyOptions;
  readonly progress: Progress;
}

async function readSegment(verifier: LogVerifier, file: SegmentFile, at: ReadingSegment): Promise<void> {
  const { signal } = at.options;
  verifier.begin({ segment: file.segment, name: file.name, file: at.isMany ? file.name : undefined });
  const end = await eachLine(file.path, (line) => verifier.step(line), {
    from: at.from?.segment === file.segment ? at.from.offset : 0,
    digest: at.isMany ? "whole" : "none",
    onBytes: at.progress.at,
    ...(signal === undefined ? {} : { signal }),
  });
  verifier.end(end);
}
