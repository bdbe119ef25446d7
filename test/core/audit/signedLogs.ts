/** Builds signed logs for tests, of one file or several, as a writer with a key would write them. */
import * as crypto from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import type { JsonObject } from "../../../src/core/audit/canonical";
import { type ChainHead, GENESIS, makeLine, type SignText } from "../../../src/core/audit/chain";
import { checkpointText, keyNameOf } from "../../../src/core/audit/checkpoint";
import { createMerkleTree } from "../../../src/core/audit/merkle";
import { handoverText } from "../../../src/core/audit/recordSignature";
import { formatNote, formatVerifierKey, verifierKey } from "../../../src/core/audit/signedNote";
import type { Head } from "../../../src/core/audit/verifyReport";
import { hashBytes, type SigningKey, signingKey } from "../../../src/node/auditKeysEd25519";
import { sha256 } from "./logs";

export interface TestKey {
  readonly signing: SigningKey;
  readonly sign: SignText;
  vkey(logId: string): string;
}

/** The same seed gives the same key. */
export function testKey(seed: number): TestKey {
  const signing = signingKey(crypto.createHash("sha256").update(`seed ${seed}`).digest());
  return {
    signing,
    sign: (text) => Buffer.from(signing.sign(Buffer.from(text))).toString("base64"),
    vkey: (logId) => formatVerifierKey(verifierKey(keyNameOf(logId), signing.publicKey, hashBytes)),
  };
}

export interface Chaining {
  readonly logId?: string;
  readonly before?: ChainHead;
  readonly key?: TestKey;
  /** Of the file, where the first body does not name it. */
  readonly segment?: number;
  /** Number of the first line's second. */
  readonly clock?: number;
}

/** Lines as a writer makes them; the kinds that need it are signed where a key is given. */
export function signedLines(bodies: readonly JsonObject[], chaining: Chaining = {}): string[] {
  let before = chaining.before ?? GENESIS;
  const segment = chaining.segment ?? segmentOf(bodies[0]);
  return bodies.map((body, index) => {
    const stamp = {
      ts: new Date(1_767_322_845_000 + ((chaining.clock ?? 0) + index) * 1000).toISOString(),
      logId: chaining.logId ?? "log_one",
      segment,
      writer: { pid: 7, version: "0.1.0", role: "extension" },
    };
    const sign = chaining.key?.sign;
    const line = makeLine(body, { before, stamp, hash: sha256, ...(sign === undefined ? {} : { sign }) });
    before = line.head;
    return line.line;
  });
}

function segmentOf(body: JsonObject | undefined): number {
  const data = body?.event === "log.segment" ? body.data : undefined;
  const named = typeof data === "object" && data !== null && "segment" in data ? data.segment : undefined;
  return typeof named === "number" ? named : 1;
}

/** Of the file that begins with this line. */
export function segmentNamedBy(lines: readonly string[]): number {
  return segmentOf(JSON.parse(lines[0] ?? "{}"));
}

export interface NoteAt {
  readonly size: number;
  readonly key: TestKey;
  readonly logId?: string;
  readonly segment?: number;
}

/** A signed note over the first `size` lines. */
export function noteOver(lines: readonly string[], at: NoteAt): string {
  const { logId = "log_one", segment = 1, size, key } = at;
  const tree = createMerkleTree(hashBytes);
  for (const line of lines.slice(0, size)) tree.add(Buffer.from(line));
  const text = checkpointText({ logId, segment, size, root: tree.root() });
  const { name, keyId } = verifierKey(keyNameOf(logId), key.signing.publicKey, hashBytes);
  const signature = key.signing.sign(Buffer.from(text));
  return formatNote({ text, signatures: [{ name, keyId, signature }] });
}

export function notesOver(
  lines: readonly string[],
  sizes: readonly number[],
  at: Omit<NoteAt, "size">,
): string {
  return sizes.map((size) => noteOver(lines, { ...at, size })).join("\n");
}

export function openBody(key: TestKey, logId = "log_one"): JsonObject {
  return { event: "log.open", data: { vkey: key.vkey(logId) }, error: null };
}

/** The next key, with its own word that it is held; `by` is the key that signs the record. */
export function keyBody(
  key: TestKey,
  at: { readonly by: TestKey; readonly segment: number; readonly proof?: string },
): JsonObject {
  const [vkey, by] = [key.vkey("log_one"), at.by.vkey("log_one")];
  const proof = at.proof ?? key.sign(handoverText({ logId: "log_one", segment: at.segment, vkey, by })) ?? "";
  return { event: "log.key", data: { vkey, proof }, error: null };
}

export function choiceBody(n: number): JsonObject {
  return {
    event: "human_choice",
    call_id: `call_${n}`,
    data: { choice: "allow", scope: "once" },
    error: null,
  };
}

export function headAt(lines: readonly string[], segment = 1, logId = "log_one"): Head {
  const last: { seq: number; record_hash: string } = JSON.parse(lines.at(-1) ?? "{}");
  const head = {
    log_id: logId,
    count: lines.length,
    seq: last.seq,
    head: last.record_hash,
    path: "audit.jsonl",
  };
  return segment === 1 ? head : { ...head, segment };
}

export const fileText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Writes a log's files into a folder that is emptied first. */
export function writeLog(folder: string, files: Readonly<Record<string, string>>): string {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, "audit.jsonl");
}
