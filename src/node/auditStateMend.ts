/** What is done about a log that does not end as it should, and what `log.recovered` says of it. Evidence is moved, never removed. Knows nothing of the chain. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Json, JsonObject } from "../core/audit/canonical";
import type { Head } from "../core/audit/verifyReport";
import { stampForName } from "./auditBytes";
import { checkpointsFile, lookAtLog } from "./auditPlace";
import { closedSegments } from "./auditSegment";
import type { Found } from "./auditStateLost";
import type { Tail } from "./auditTail";
import { digestOfPart, type SetAside, setAside } from "./auditTailAside";

/** Takes off what has no end, or what holds no record, once it is kept elsewhere. Throws the system's error, with nothing cut. */
export function cutTorn(
  torn: NonNullable<Tail["torn"]>,
  log: { readonly fd: number; readonly file: string; readonly now: number },
): { readonly data: JsonObject; readonly how: SetAside["how"] } {
  const { name, sha256, how } = setAside(log.fd, log, torn);
  const data: JsonObject = {
    what: torn.what,
    torn_offset: torn.offset,
    torn_bytes: torn.size,
    torn_sha256: sha256,
    kept: path.basename(name),
  };
  return { data: how === "cut" ? data : { ...data, kept_whole: true }, how };
}

/** Whole lines at the end that are no sound records stay where they are. */
export function damageOf(tail: Tail, fd: number): JsonObject[] {
  if (tail.damaged === undefined) return [];
  const { offset, size } = tail.damaged;
  return [{ what: "damaged", offset, bytes: size, sha256: digestOfPart(fd, tail.damaged) }];
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
