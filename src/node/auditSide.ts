/** Small files beside the log: intents (a call has begun) and the spool (the log was locked). Written whole or not at all, sealed with the log's key; read as if anybody wrote them. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { JsonObject } from "../core/audit/canonical";
import { canonicalText, toRecordable } from "../core/audit/canonical";
import { parseObject } from "../core/audit/parse";
import type { AuditRecord } from "../core/audit/record";
import { sha256 } from "./auditBytes";
import { type Origin, parseOrigin } from "./auditOrigin";
import { writeWhole } from "./auditPlace";

const MAX_SIDE_FILE = 128 * 1024;
/** Taken in at once; the rest waits for the next time. */
const MAX_FILES = 500;
/** Looked into at once: whoever fills the folder with look-alikes costs a moment, and the next time begins behind them. */
const MAX_READ = 1000;
/** A draft that old has no writer any more. */
const DRAFT_MS = 10 * 60_000;
const SEAL_START = ',"seal":"';
const SEAL_UNITS = SEAL_START.length + 64 + '"}'.length;

type Kind = "intent" | "spool";
type Seal = (text: string) => string;

export interface NewSideFile {
  readonly folder: string;
  readonly id: string;
  readonly ts: string;
  readonly fields: JsonObject;
  readonly origin: Origin;
  readonly writer: AuditRecord["writer"];
  readonly seal: Seal;
}

/** A file that carries the log's seal. */
export interface SideFile {
  readonly file: string;
  /** The file's name without its ending. */
  readonly name: string;
  readonly ts: string;
  readonly fields: JsonObject;
  readonly origin: Origin;
  /** Only in the spool: counts the writer's waiting records, and names the one before by its hash. */
  readonly nth: number;
  readonly hash: string;
  readonly prev: string | null;
  readonly prevTs: string | null;
  readonly acknowledged: boolean;
}

export interface Sides {
  readonly own: readonly SideFile[];
  /** Names of what stands there and is not ours. */
  readonly foreign: readonly string[];
}

function safeName(id: string): string {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id) ? id : `h-${sha256(id).slice(0, 32)}`;
}

/** Outlives this process when it resolves, the system too with `flush` "now"; gives the path. */
export async function writeIntent(
  intent: NewSideFile & { readonly nth: number; readonly flush: "now" | "later" },
): Promise<string> {
  const { origin, nth } = intent;
  // Another process, thread or an earlier crash may have used this call id.
  const run = `${origin.pid}-${origin.started}-${nth}-${process.hrtime.bigint()}`;
  const name = `${safeName(intent.id)}.${run}`;
  const file = path.join(intent.folder, `${name}.json`);
  await writeWhole(file, sealed(intent, { kind: "intent" }), intent.flush);
  return file;
}

export type NewSpooled = NewSideFile & {
  readonly acknowledged: boolean;
  readonly nth: number;
  readonly prev: string | null;
  readonly prevTs: string | null;
};

/** On the disk when it resolves. The name ends with the hash of the content, so that who knows the name knows the record. */
export async function writeSpooled(spooled: NewSpooled): Promise<{ name: string; hash: string }> {
  const { acknowledged, nth, prev, prevTs } = spooled;
  const text = sealed(spooled, { kind: "spool", acknowledged, nth, prev, prev_ts: prevTs });
  const hash = sha256(text);
  const name = `${safeName(spooled.id).slice(0, 34)}-${hash}`;
  await writeWhole(path.join(spooled.folder, `${name}.json`), text, "now");
  return { name, hash };
}

function sealed(side: NewSideFile, more: JsonObject & { readonly kind: Kind }): string {
  const { id, ts, fields, origin, writer } = side;
  const text = canonicalText({
    v: 1,
    id: toRecordable(id),
    ts,
    fields,
    origin: { ...origin },
    writer: { ...writer },
    ...more,
  });
  return `${text.slice(0, -1)}${SEAL_START}${side.seal(text)}"}`;
}

/** How the names of ours look; what is named otherwise is none, however much of it there is. */
const NAMES: Readonly<Record<Kind, RegExp>> = {
  intent: /^[A-Za-z0-9_-]{1,100}\.\d{1,10}-[^/]{1,100}\.json$/,
  spool: /^[A-Za-z0-9_-]{1,34}-[0-9a-f]{64}\.json$/,
};
/** By folder: the last name looked at, where not all of them were. */
const lastLooked = new Map<string, string>();

/** What stands in a folder of side files, in the order of its writing. */
export function readSides(folder: string, kind: Kind, seal: Seal): Sides {
  const own: SideFile[] = [];
  const foreign: string[] = [];
  const names = namesIn(folder);
  for (const name of names) if (name.startsWith(".")) removeOld(path.join(folder, name));
  const visible = names.filter((name) => !name.startsWith("."));
  const ours = goRound(
    visible.filter((name) => NAMES[kind].test(name)),
    lastLooked.get(folder),
  );
  lastLooked.delete(folder);
  for (const [count, name] of ours.entries()) {
    if (own.length >= MAX_FILES || count >= MAX_READ) {
      lastLooked.set(folder, ours[count - 1] ?? "");
      break;
    }
    const file = path.join(folder, name);
    const side = parseSide(file, kind, seal);
    if (side !== undefined) own.push(side);
    // Its writer may have taken it away meanwhile.
    else if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) foreign.push(name);
  }
  foreign.push(...visible.filter((name) => !NAMES[kind].test(name)));
  own.sort((a, b) => (a.ts === b.ts ? a.nth - b.nth : a.ts < b.ts ? -1 : 1));
  return { own, foreign: foreign.slice(0, MAX_FILES) };
}

/** From the first name behind `last` on, and then those before it. A program that looks once begins anywhere, so that nobody is always last. */
function goRound(names: readonly string[], last: string | undefined): readonly string[] {
  if (last === undefined && names.length <= MAX_READ) return names;
  const at =
    last === undefined ? Math.floor(Math.random() * names.length) : names.findIndex((name) => name > last);
  return at === -1 ? names : [...names.slice(at), ...names.slice(0, at)];
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function removeOld(draft: string): void {
  const made = fs.lstatSync(draft, { throwIfNoEntry: false })?.mtimeMs;
  if (made !== undefined && Date.now() - made > DRAFT_MS) fs.rmSync(draft, { force: true, recursive: true });
}

function parseSide(file: string, kind: Kind, seal: Seal): SideFile | undefined {
  const text = readSmall(file);
  if (text === undefined) return undefined;
  const body = `${text.slice(0, -SEAL_UNITS)}}`;
  if (text !== `${body.slice(0, -1)}${SEAL_START}${seal(body)}"}`) return undefined;
  const value = parseObject(body);
  const origin = parseOrigin(value?.origin);
  const fields = parseObject(JSON.stringify(value?.fields ?? null));
  if (value === undefined || origin === undefined || fields === undefined) return undefined;
  const { ts, kind: stated, acknowledged, nth, prev, prev_ts } = value;
  if (stated !== kind || typeof ts !== "string" || typeof fields.event !== "string") return undefined;
  const name = path.basename(file, ".json");
  const hash = sha256(text);
  if (kind === "spool" && !name.endsWith(`-${hash}`)) return undefined;
  return {
    file,
    name,
    ts,
    // Our own seal stands on it: it was canonical when it was written.
    fields: fields as JsonObject,
    origin,
    nth: typeof nth === "number" ? nth : 0,
    hash,
    prev: typeof prev === "string" ? prev : null,
    prevTs: typeof prev_ts === "string" ? prev_ts : null,
    acknowledged: acknowledged === true,
  };
}

/** Undefined for a link, a folder, or something large. */
function readSmall(file: string): string | undefined {
  try {
    const stats = fs.lstatSync(file);
    if (!stats.isFile() || stats.size > MAX_SIDE_FILE) return undefined;
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
