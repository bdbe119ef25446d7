/** Under the lock: what other writers left beside the log becomes records, waiting records and calls without an end; what only looks like it is set aside and named. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Json, JsonObject } from "../core/audit/canonical";
import type { ChainLine } from "../core/audit/chain";
import { type PrepareOptions, withFinding } from "../core/audit/prepare";
import { sha256, stampForName } from "./auditBytes";
import { createSeal } from "./auditKey";
import { isAlive } from "./auditOrigin";
import type { AuditPlace } from "./auditPlace";
import { type Recent, recentRecords } from "./auditRecent";
import { closedFile } from "./auditSegment";
import { readSides, type SideFile } from "./auditSide";
import { mayWait } from "./auditSpool";
import type { AuditState } from "./auditStateTypes";

export interface CollectFrom {
  readonly place: AuditPlace;
  readonly prepare: PrepareOptions;
}

const SPOOLED = "the log was locked; this record waited beside it";
const REFUSED = "the log was locked; whoever asked for this record was told that it failed";
const ENDED = "the program ended while this call ran; nobody knows how it ended";
const GAP = "; a record that waited before it is gone";

interface Found {
  readonly spooled: readonly SideFile[];
  readonly dead: readonly SideFile[];
  /** Paths. */
  readonly foreign: readonly string[];
}

/** Gives the lines written. What they stand for is on the disk before the files that held it go. */
export function collectSides(state: AuditState, from: CollectFrom): ChainLine[] {
  const found = find(from.place);
  const files = [...found.spooled, ...found.dead];
  if (files.length === 0 && found.foreign.length === 0) return [];
  const oldest = files.map(({ ts }) => ts).sort()[0];
  // A program that was killed between its record and the removal of the file leaves both.
  const closed = state.segment > 1 ? { closed: closedFile(from.place.log, state.segment - 1) } : {};
  const recent = recentRecords(state.fd, { since: oldest, ...closed });
  const fields = [
    ...foreignFields(found.foreign, from),
    ...found.spooled
      .filter((side) => !recent.waited(side))
      .map((side) => fieldsOf(side, spoolFinding(side, found.spooled, recent), from)),
    ...found.dead
      .filter((side) => !recent.hasEnded(side) && !found.spooled.some((waited) => isEndOf(waited, side)))
      .map((side) => fieldsOf(side, { code: "ended_unknown", message: ENDED }, from)),
  ];
  const lines = fields.length === 0 ? [] : state.write(fields);
  if (lines.length > 0) fs.fdatasyncSync(state.fd);
  // The folders stay: another writer may be about to put a file there.
  for (const { file } of files) fs.rmSync(file, { force: true });
  return lines;
}

/** Killed after its record was put aside and before the intent went. */
function isEndOf(waited: SideFile, intent: SideFile): boolean {
  const isSameCall = waited.fields.call_id === intent.fields.call_id && waited.fields.event === "call";
  return isSameCall && waited.origin.pid === intent.origin.pid && waited.ts >= intent.ts;
}

function find(place: AuditPlace): Found {
  // A link in a folder's place would make us read, and set aside, what lies elsewhere.
  const linked = [place.spool, place.intents].filter((folder) => kindOf(folder) === "other");
  const hasAny = [place.spool, place.intents].some((folder) => kindOf(folder) === "filled");
  if (!hasAny || linked.length > 0) return { spooled: [], dead: [], foreign: linked };
  const seal = createSeal(place.key);
  const isOurs = (side: SideFile): boolean => mayWait(side.fields.event);
  // The dead before what waits: whoever is dead by then has put aside all that it ever will.
  const intents = readSides(place.intents, "intent", seal);
  const dead = intents.own.filter((side) => isOurs(side) && !isAlive(side.origin));
  const spool = readSides(place.spool, "spool", seal);
  const strange = [...spool.own, ...intents.own].filter((side) => !isOurs(side));
  return {
    spooled: spool.own.filter(isOurs),
    dead,
    foreign: [
      ...spool.foreign.map((name) => path.join(place.spool, name)),
      ...intents.foreign.map((name) => path.join(place.intents, name)),
      ...strange.map(({ file }) => file),
    ],
  };
}

function kindOf(folder: string): "empty" | "filled" | "other" {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return "empty";
  if (!stats.isDirectory()) return "other";
  // One name tells; there may be very many.
  const names = fs.opendirSync(folder);
  try {
    return names.readSync() === null ? "empty" : "filled";
  } finally {
    names.closeSync();
  }
}

function fieldsOf(
  side: SideFile,
  finding: { readonly code: string; readonly message: string },
  { prepare }: CollectFrom,
): JsonObject {
  const { name, ts, origin, hash, prev } = side;
  const details: JsonObject = { id: name, ts, pid: origin.pid, hash, prev };
  return withFinding(side.fields, { ...finding, details }, prepare);
}

function spoolFinding(
  side: SideFile,
  all: readonly SideFile[],
  recent: Recent,
): { code: string; message: string } {
  const gap = isAfterGap(side, all, recent) ? GAP : "";
  if (!side.acknowledged) return { code: "spooled_unacknowledged", message: `${REFUSED}${gap}` };
  return { code: gap === "" ? "spooled" : "spooled_after_gap", message: `${SPOOLED}${gap}` };
}

/** Only where the log was read back far enough to know. */
function isAfterGap({ prev, prevTs }: SideFile, all: readonly SideFile[], recent: Recent): boolean {
  if (prev === null || prevTs === null || all.some(({ hash }) => hash === prev)) return false;
  return recent.reaches(prevTs) && !recent.hashes.has(prev);
}

const MAX_NAMED = 20;

/** One record for all of them: nobody can make the log long with many. */
function foreignFields(files: readonly string[], from: CollectFrom): JsonObject[] {
  const folder =
    files.length === 0 ? undefined : foreignFolder(`${from.place.spool.replace(/\.spool$/, "")}.foreign`);
  if (folder === undefined) return [];
  const kept = files.map((file) => setAside(file, folder)).filter((one) => one !== undefined);
  // What cannot be moved is met again each time; the log must not grow by it.
  if (kept.length === 0) return [];
  const named: Json[] = kept.slice(0, MAX_NAMED).map((one) => ({ ...one }));
  const data = { what: "foreign_files", files: named, count: kept.length };
  const finding = {
    code: "spool_foreign",
    message: `${kept.length} file(s) beside the log pass for a writer's and carry no seal of the log; they were set aside`,
    details: { count: kept.length },
  };
  return [withFinding({ event: "log.recovered", data, error: null }, finding, from.prepare)];
}

interface KeptFile {
  readonly name: string;
  readonly kept: string;
  readonly bytes: number;
  readonly sha256: string | null;
}

/** Something else may stand where the evidence goes. */
const MAX_FOLDERS = 10;

/** Evidence is moved, not read into the log: whoever wrote it chose its text. Undefined when it went by itself, or cannot be moved. */
function setAside(file: string, folder: string): KeptFile | undefined {
  try {
    const stats = fs.lstatSync(file);
    const bytes = stats.isFile() ? stats.size : 0;
    const hash = stats.isFile() && bytes <= 1 << 20 ? sha256(fs.readFileSync(file)) : null;
    const kept = `${stampForName(Date.now())}-${sha256(file).slice(0, 16)}`;
    fs.renameSync(file, path.join(folder, freeName(folder, kept)));
    return { name: asciiName(path.basename(file)), kept, bytes, sha256: hash };
  } catch {
    return undefined;
  }
}

/** `audit.foreign`, or `audit.foreign-2` where that is no folder of ours. */
function foreignFolder(first: string): string | undefined {
  for (let n = 1; n <= MAX_FOLDERS; n += 1) {
    const folder = n === 1 ? first : `${first}-${n}`;
    try {
      fs.mkdirSync(folder, { mode: 0o700 });
    } catch {
      // It is there, or cannot be made: the look tells.
    }
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  }
  return undefined;
}

function freeName(folder: string, name: string): string {
  for (let n = 0; ; n += 1) {
    const free = n === 0 ? name : `${name}-${n}`;
    if (fs.lstatSync(path.join(folder, free), { throwIfNoEntry: false }) === undefined) return free;
  }
}

function asciiName(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, "?").slice(0, 120);
}
