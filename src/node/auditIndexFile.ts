/**
 * An index kept on disk, so that a log of millions is not read again at each opening. It is believed only where the files
 * it was made of are still there, begin and end as they did, and its own digest holds. Knows nothing of what rows mean.
 */
import * as crypto from "node:crypto";
import * as fs from "node:fs/promises";
import { endianness } from "node:os";
import * as path from "node:path";
import * as z from "zod";
import type { Numbers } from "../core/audit/columns";
import type { KeptCalls } from "../core/audit/openCalls";
import { KEPT_COLUMNS, type KeptIndex } from "../core/audit/rowIndex";
import { readSpans } from "./auditLines";
import type { LogPart } from "./auditParts";

export interface KeptReading {
  readonly index: KeptIndex;
  readonly offsets: Float64Array;
  readonly parts: readonly LogPart[];
}

/** Raised when what is kept changes its meaning. */
const VERSION = 2;
const TAIL_BYTES = 256;
const DIGEST = 32;

function isOpenCall(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  const [key, row, settled] = value;
  return typeof key === "string" && Number.isSafeInteger(row) && (settled === 0 || settled === 1);
}

const count = z.int().min(0);
const list = z.array(z.string());
const header = z.object({
  version: z.literal(VERSION),
  order: z.literal(endianness()),
  names: z.object({ decision: list, event: list, agent: list, tool: list, session: list }),
  // There may be a hundred thousand: looked at by hand, since a schema for each takes too long.
  open: z.custom<KeptCalls>((value) => Array.isArray(value) && value.every(isOpenCall)),
  parts: z.array(
    z.object({
      path: z.string(),
      place: z.string(),
      head: z.string(),
      tail: z.string(),
      linesBefore: count,
      bytesBefore: count,
      end: count,
    }),
  ),
  lengths: z.record(z.string(), count),
});

/** The last bytes that were read of a file. */
async function tailOf(part: LogPart, file: string): Promise<string> {
  const [tail] = await readSpans(file, [{ offset: Math.max(0, part.end - TAIL_BYTES), end: part.end + 1 }]);
  return crypto.hash("sha256", tail ?? "");
}

const bytesOf = (values: Numbers): Buffer => Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** Digest, length of the header, header, columns (each at a multiple of 8). Rejects with the system's error. */
export async function keepIndex(file: string, { index, offsets, parts }: KeptReading): Promise<void> {
  const columns = KEPT_COLUMNS.map(([name]) => [name, index.columns[name]] as const);
  const lengths = Object.fromEntries(
    [...columns, ["offsets", offsets] as const].map(([n, v]) => [n, v.length]),
  );
  const tails = await Promise.all(parts.map((part) => tailOf(part, part.path)));
  const kept = parts.map((part, at) => ({ ...part, tail: tails[at] ?? "" }));
  const { names, open } = index;
  const text = JSON.stringify({ version: VERSION, order: endianness(), names, open, parts: kept, lengths });
  const head = Buffer.from(text);
  const size = Buffer.alloc(8);
  size.writeUInt32LE(head.length);
  // Copied: the columns go on growing while they are written.
  const body = Buffer.concat([
    size,
    padded(head),
    ...[...columns.map(([, v]) => v), offsets].map((v) => padded(bytesOf(v))),
  ]);
  const digest = crypto.createHash("sha256").update(body).digest();
  const draft = `${file}.${process.pid}`;
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    await fs.writeFile(draft, [digest, body], { mode: 0o600 });
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % 8;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(8 - rest)]);
}

/** What was kept, or undefined where there is none, or none to believe. */
export async function readIndex(file: string): Promise<KeptReading | undefined> {
  let stored: Buffer;
  try {
    stored = await fs.readFile(file);
  } catch {
    return undefined;
  }
  const body = stored.subarray(DIGEST);
  const digest = crypto.createHash("sha256").update(body).digest();
  if (body.length < 8 || !digest.equals(stored.subarray(0, DIGEST))) return undefined;
  const size = body.readUInt32LE(0);
  const parsed = header.safeParse(jsonOf(body.toString("utf8", 8, 8 + size)));
  if (!parsed.success) return undefined;
  const { names, open, parts, lengths } = parsed.data;
  for (const part of parts)
    if ((await tailOf(part, part.path).catch(() => "")) !== part.tail) return undefined;
  const columns: Record<string, Numbers> = {};
  let at = 8 + size + ((8 - (size % 8)) % 8);
  for (const [name, make] of [...KEPT_COLUMNS, ["offsets", (n: number) => new Float64Array(n)] as const]) {
    const values = make(lengths[name] ?? 0);
    bytesOf(values).set(body.subarray(at, at + values.byteLength));
    columns[name] = values;
    at += values.byteLength + ((8 - (values.byteLength % 8)) % 8);
  }
  const { offsets, ...rest } = columns;
  if (!(offsets instanceof Float64Array)) return undefined;
  const index = { names, open, columns: rest as KeptIndex["columns"] };
  return { index, offsets, parts: parts.map(({ tail: _tail, ...part }) => part) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
