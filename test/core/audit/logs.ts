/** Builds small logs for tests, as a writer would write them. */
import * as crypto from "node:crypto";
import { canonicalText, type Json, type JsonObject } from "../../../src/core/audit/canonical";
import { type ChainHead, GENESIS, makeLine } from "../../../src/core/audit/chain";
import { createVerifier } from "../../../src/core/audit/verify";
import type { Head, VerifyReport } from "../../../src/core/audit/verifyReport";
import { verifyPorts } from "../../../src/node/auditBytes";

export const sha256 = (text: string | Uint8Array): string =>
  crypto.createHash("sha256").update(text).digest("hex");

export function linesOf(
  bodies: readonly JsonObject[],
  options: { readonly logId?: string; readonly before?: ChainHead } = {},
): string[] {
  let before = options.before ?? GENESIS;
  return bodies.map((body, index) => {
    const stamp = {
      ts: new Date(1_767_322_845_000 + index * 1000).toISOString(),
      logId: options.logId ?? "log_one",
      writer: { pid: 7, version: "0.1.0", role: "library" },
    };
    const line = makeLine(body, { before, stamp, hash: sha256 });
    before = line.head;
    return line.line;
  });
}

export function sampleBodies(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, i) => ({
    event: "call",
    call_id: `call_${i}`,
    tool: i % 2 === 0 ? "db_query_sql" : "kb_add_file",
    args: { sql: `SELECT ${i} FROM "t"`, note: "naïve 😀\n\t\u0001" },
    decision: i % 3 === 0 ? "denied" : "allow",
    error: null,
  }));
}

export function textOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

/** Feeds a file's bytes as the reader would. */
export function verifyBytes(bytes: Buffer, head?: Head): VerifyReport {
  const verifier = createVerifier(verifyPorts, head === undefined ? {} : { head });
  const copy = Buffer.from(bytes);
  let start = 0;
  for (let end = copy.indexOf(10); end !== -1; end = copy.indexOf(10, start)) {
    verifier.step({ bytes: copy, start, end, offset: start, terminated: true });
    start = end + 1;
  }
  if (start < copy.length)
    verifier.step({ bytes: copy, start, end: copy.length, offset: start, terminated: false });
  return verifier.finish(copy.length);
}

/** The same record with its own hash right again: what an attacker without the chain can do. */
export function rehashed(line: string, change: (record: Record<string, Json>) => void): string {
  const record: Record<string, Json> = JSON.parse(line);
  delete record.record_hash;
  change(record);
  const text = canonicalText(record);
  return `${text.slice(0, -1)},"record_hash":"${sha256(text)}"}`;
}

export function headOf(lines: readonly string[], logId = "log_one"): Head {
  const last: { seq: number; record_hash: string } = JSON.parse(lines.at(-1) ?? "{}");
  return { log_id: logId, count: lines.length, seq: last.seq, head: last.record_hash, path: "audit.jsonl" };
}
