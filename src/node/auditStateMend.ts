/** What is done about a log that does not end as it should, and what `log.recovered` says of it. Evidence is moved, never removed. Knows nothing of the chain. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Json, JsonObject } from "../core/audit/canonical";
import type { Head } from "../core/audit/verifyReport";
import { sha256, stampForName } from "./auditBytes";
import { checkpointsFile, lookAtLog } from "./auditPlace";
import { closedSegments } from "./auditSegment";
import type { Found } from "./auditStateLost";
import { setAside, type Tail } from "./auditTail";

/** Cuts off what has no end, once a copy of it is on the disk. */
export function cutTorn(
  torn: NonNullable<Tail["torn"]>,
  log: { readonly fd: number; readonly file: string; readonly now: number },
): JsonObject {
  const kept = setAside(log.file, torn, log.now);
  fs.ftruncateSync(log.fd, torn.offset);
  return {
    what: "torn",
    torn_offset: torn.offset,
    torn_bytes: torn.bytes.length,
    torn_sha256: kept.sha256,
    kept: path.basename(kept.name),
  };
}

/** Whole lines at the end that are no sound records stay where they are. */
export function damageOf(tail: Tail): JsonObject[] {
  if (tail.damaged === undefined) return [];
  const { offset, bytes } = tail.damaged;
  return [{ what: "damaged", offset, bytes: bytes.length, sha256: sha256(bytes) }];
}

/** The newest record is not the one that was written: the chain goes on, and the log itself says so. */
export function differenceOf(found: Found | undefined): JsonObject[] {
  if (found === undefined) return [];
  const { seq, head, segment } = found.expected;
  const data = { what: "head_differs", seq, expected: head, found: found.hash };
  return [segment === undefined ? data : { ...data, segment }];
}

/** Gives all that stands in the log's place other names; closed parts and checkpoints would be taken for the new log's. */
export function moveLost(file: string, lost: Head, now: number): JsonObject {
  const suffix = `.lost-${stampForName(now)}`;
  let kept: Json = null;
  for (const closed of closedSegments(file)) fs.renameSync(closed.file, `${closed.file}${suffix}`);
  const notes = checkpointsFile(file);
  if (fs.existsSync(notes)) fs.renameSync(notes, `${notes}${suffix}`);
  if (lookAtLog(file) !== undefined) {
    fs.renameSync(file, `${file}${suffix}`);
    kept = path.basename(`${file}${suffix}`);
  }
  const { log_id, count, seq, head } = lost;
  return { what: "lost", lost: { log_id, count, seq, head }, kept };
}
