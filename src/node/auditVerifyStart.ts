/** Remembers, in a private folder, up to where a log was verified, so that the next pass reads only what is new. Knows nothing of how a log is verified. */
import * as fs from "node:fs";
import * as path from "node:path";
import * as z from "zod";
import { fromBase64, toBase64 } from "../core/audit/base64";
import type { Resume } from "../core/audit/verifyLog";
import { sha256 } from "./auditBytes";

export interface StartStore {
  /** Undefined where nothing is known, or it cannot be read. */
  load(): Resume | undefined;
  save(position: Resume): void;
}

const count = z.int().nonnegative();
const hex = z.string().regex(/^[0-9a-f]{64}$/);

const schema = z.strictObject({
  v: z.literal(1),
  segment: z.int().positive(),
  logId: z.string().optional(),
  chain: z.strictObject({ lines: count, seq: count, hash: hex.nullable() }),
  offset: count,
  keys: z.array(z.string()),
  tree: z.strictObject({ size: count, nodes: z.array(z.string()) }).optional(),
  seen: z.array(z.strictObject({ file: z.string(), count, unread: count })),
  before: z
    .strictObject({
      segment: z.int().positive(),
      file: z.string(),
      lines: count,
      size: count,
      head: z.string().nullable(),
      sha256: z.string(),
      damaged: z.boolean(),
    })
    .optional(),
});

/** `folder` stands outside the workspace; one serves many logs. */
export function startStore(folder: string, log: string): StartStore {
  const file = path.join(folder, `${sha256(path.resolve(log)).slice(0, 32)}.json`);
  return {
    load() {
      try {
        return fromText(fs.readFileSync(file, "utf8"));
      } catch {
        // The pass then reads everything.
        return undefined;
      }
    },
    save(position) {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = `${file}.${process.pid}`;
      fs.writeFileSync(draft, toText(position), { mode: 0o600 });
      fs.renameSync(draft, file);
    },
  };
}

function toText(position: Resume): string {
  const { tree } = position;
  const coded = tree === undefined ? {} : { tree: { size: tree.size, nodes: tree.nodes.map(toBase64) } };
  return JSON.stringify({ v: 1, ...position, ...coded });
}

function fromText(text: string): Resume | undefined {
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) return undefined;
  const { v: _v, logId, tree, before, ...rest } = parsed.data;
  const nodes = tree?.nodes.map(fromBase64);
  if (nodes?.some((node) => node?.length !== 32)) return undefined;
  return {
    ...rest,
    logId,
    ...(tree === undefined
      ? {}
      : { tree: { size: tree.size, nodes: (nodes ?? []).filter((n) => n !== undefined) } }),
    ...(before === undefined ? {} : { before }),
  };
}
