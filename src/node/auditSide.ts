/** Small files beside the log: intents (a call has begun) and the spool (the log was locked). Written whole or not at all; read as if anybody wrote them. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { JsonObject } from "../core/audit/canonical";
import { canonicalText, toRecordable } from "../core/audit/canonical";
import { parseObject } from "../core/audit/parse";
import type { AuditRecord, RecordBody } from "../core/audit/record";
import { sha256 } from "./auditBytes";
import { writeWhole } from "./auditPlace";

const MAX_SIDE_FILE = 128 * 1024;
/** Taken in at once; the rest waits for the next time. */
const MAX_FILES = 500;

type Writer = AuditRecord["writer"];

/** Says which process wrote a file, so that a number used again is not mistaken for it. */
interface Origin {
  readonly pid: number;
  readonly started: string;
  readonly host: string;
}

interface SideFile {
  readonly file: string;
  readonly id: string;
  readonly ts: string;
  readonly fields: JsonObject;
  readonly origin: Origin;
}

export type Intent = SideFile;
export interface Spooled extends SideFile {
  readonly acknowledged: boolean;
}

export function ownOrigin(): Origin {
  return { pid: process.pid, started: startOf(process.pid) ?? "", host: os.hostname() };
}

/** Start time in ticks since boot, where the system tells; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function isAlive(origin: Origin): boolean {
  if (origin.host !== os.hostname()) return true;
  try {
    process.kill(origin.pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const started = startOf(origin.pid);
  return started === undefined || origin.started === "" || started === origin.started;
}

function safeName(id: string): string {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id) ? id : `h-${sha256(id).slice(0, 32)}`;
}

export interface NewSideFile {
  readonly folder: string;
  readonly id: string;
  readonly ts: string;
  readonly fields: JsonObject;
  readonly origin: Origin;
  readonly writer: Writer;
}

/** Kept by the system when it resolves, on the disk as `flush` says; gives the path. */
export async function writeIntent(
  intent: NewSideFile & { readonly nth: number; readonly flush: "now" | "later" },
): Promise<string> {
  const suffix = intent.nth === 0 ? "" : `.${intent.origin.pid}-${intent.nth}`;
  const text = sideText(intent, {});
  try {
    const file = path.join(intent.folder, `${safeName(intent.id)}${suffix}.json`);
    await writeWhole(file, text, intent.flush);
    return file;
  } catch (error) {
    // The same call id in another process or from an earlier crash.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const unique = `${safeName(intent.id)}.${intent.origin.pid}-${intent.origin.started}-${intent.nth}-${process.hrtime.bigint()}`;
    const file = path.join(intent.folder, `${unique}.json`);
    await writeWhole(file, text, intent.flush);
    return file;
  }
}

/** On the disk when it resolves. Names sort by time, so the next holder drains in order. */
export async function writeSpooled(
  spooled: NewSideFile & { readonly acknowledged: boolean; readonly prev: string | null },
): Promise<string> {
  const file = path.join(spooled.folder, `${safeName(spooled.id)}.json`);
  await writeWhole(
    file,
    sideText(spooled, { acknowledged: spooled.acknowledged, prev: spooled.prev }),
    "now",
  );
  return file;
}

/** Hash of the file's own content, by which the next one of this writer names it. */
export function spoolHash(
  spooled: NewSideFile & { readonly acknowledged: boolean; readonly prev: string | null },
): string {
  return sha256(sideText(spooled, { acknowledged: spooled.acknowledged, prev: spooled.prev }));
}

function sideText(side: NewSideFile, more: JsonObject): string {
  const { id, ts, fields, origin, writer } = side;
  return canonicalText({
    v: 1,
    id: toRecordable(id),
    ts,
    fields,
    origin: { ...origin },
    writer: { ...writer },
    ...more,
  });
}

/** Intents whose writer is no more. */
export function deadIntents(folder: string): Intent[] {
  return readSide(folder).filter((intent) => !isAlive(intent.origin));
}

export function readSpool(folder: string): Spooled[] {
  return readSide(folder).map((side) => ({ ...side, acknowledged: side.acknowledged !== false }));
}

function readSide(folder: string): (SideFile & { readonly acknowledged: unknown })[] {
  let names: string[];
  try {
    names = fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .slice(0, MAX_FILES)
    .map((name) => parseSide(path.join(folder, name)))
    .filter((side) => side !== undefined);
}

function parseSide(file: string): (SideFile & { readonly acknowledged: unknown }) | undefined {
  const text = readSmall(file);
  const value = text === undefined ? undefined : parseObject(text);
  const origin = value === undefined ? undefined : parseObject(JSON.stringify(value.origin ?? null));
  const fields = value === undefined ? undefined : parseObject(JSON.stringify(value.fields ?? null));
  if (value === undefined || origin === undefined || fields === undefined) return undefined;
  const { id, ts, acknowledged } = value;
  const { pid, started, host } = origin;
  if (typeof id !== "string" || typeof ts !== "string" || typeof fields.event !== "string") return undefined;
  if (typeof pid !== "number" || typeof started !== "string" || typeof host !== "string") return undefined;
  return { file, id, ts, fields: fields as JsonObject, origin: { pid, started, host }, acknowledged };
}

/** Undefined for a link, a folder, something large, or a write that is still under way. */
function readSmall(file: string): string | undefined {
  try {
    const stats = fs.lstatSync(file);
    if (!stats.isFile() || stats.size > MAX_SIDE_FILE) return undefined;
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** The body that a side file stands for, with a finding that says how it came into the log. */
export function bodyOf(
  side: SideFile,
  finding: { readonly code: string; readonly message: string; readonly hash?: string },
): RecordBody {
  const known = side.fields as unknown as RecordBody;
  const findings = Array.isArray(known.findings) ? known.findings : [];
  const details = {
    id: side.id,
    ts: side.ts,
    pid: side.origin.pid,
    ...(finding.hash === undefined ? {} : { hash: finding.hash }),
  };
  return {
    ...known,
    error: typeof known.error === "string" ? known.error : null,
    findings: [
      ...findings,
      { code: finding.code, message: finding.message, by: "audit_log", severity: "warning", details },
    ],
  };
}
