/** What `countersign export` does with each record: a JSON array, CSV lines, or requests to an OTLP receiver. Knows no files. */
import { CSV_HEADER, csvLine } from "../core/audit/exportCsv";
import { type JsonExport, jsonBefore, jsonBegin, jsonEnd } from "../core/audit/exportJson";
import { type OtelEntry, otelEntry } from "../core/audit/exportOtel";
import type { AuditRecord } from "../core/audit/record";
import { createRedactor } from "../core/audit/redact";
import { loadCodec, type Origin, type OtlpCodec } from "../node/otlp/encode";
import { backoffMs, LONGEST_WAIT_MS, post, type Target } from "../node/otlp/post";

export interface RecordWriter {
  begin(): Promise<void> | void;
  /** `line` is the record's own line where nothing was taken out of it. */
  write(record: AuditRecord, line: string | undefined): Promise<void> | void;
  /** How many records did not arrive, and why. `damagedLines` were no records. */
  end(damagedLines: number): Promise<{ readonly lost: number; readonly why?: string }>;
}

type Print = (text: string) => Promise<void> | void;

/** One record a line, inside an object that says what it holds. */
export function jsonWriter(print: Print, about: Pick<JsonExport, "at" | "filter">): RecordWriter {
  let records = 0;
  return {
    begin: () => print(jsonBegin({ ...about, upkeepLeftOut: 0 }, createRedactor())),
    write: (record, line) => print(jsonBefore(records++) + (line ?? JSON.stringify(record))),
    async end(damagedLines) {
      await print(jsonEnd({ records, damagedLines }));
      return { lost: 0 };
    },
  };
}

export function csvWriter(print: Print): RecordWriter {
  return {
    begin: () => print(CSV_HEADER),
    write: (record) => print(csvLine(record)),
    end: async () => ({ lost: 0 }),
  };
}

export interface OtlpWriterOptions {
  readonly target: Target;
  readonly origin: Origin;
  /** Tries per request before the export gives up. Default 6. */
  readonly tries?: number;
  readonly backoff?: (attempt: number) => number;
}

const BATCH_RECORDS = 200;
const BATCH_BYTES = 1024 * 1024;

/** Sends in requests of at most 200 records and about 1 MiB; stops at the first request that does not get through. */
export function otlpWriter(options: OtlpWriterOptions): RecordWriter {
  let codec: OtlpCodec | undefined;
  let batch: OtelEntry[] = [];
  let bytes = 0;
  let lost = 0;
  let why: string | undefined;
  let isDead = false;

  const flush = async (): Promise<void> => {
    if (batch.length === 0 || codec === undefined) return;
    const entries = batch;
    batch = [];
    bytes = 0;
    const sent = isDead ? { lost: entries.length, why } : await sendPatiently(codec, entries, options);
    lost += sent.lost;
    why ??= sent.why;
    isDead ||= sent.lost === entries.length;
  };
  return {
    async begin() {
      codec = await loadCodec(options.origin);
    },
    async write(record, line) {
      const entry = otelEntry(record, line);
      batch.push(entry);
      bytes += entry.body.length;
      if (batch.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) await flush();
    },
    async end() {
      await flush();
      return { lost, ...(why === undefined ? {} : { why }) };
    },
  };
}

async function sendPatiently(
  codec: OtlpCodec,
  entries: readonly OtelEntry[],
  { target, tries = 6, backoff = (attempt) => backoffMs(attempt, Math.random()) }: OtlpWriterOptions,
): Promise<{ lost: number; why?: string }> {
  const body = codec.encode(entries);
  for (let attempt = 0; ; attempt += 1) {
    const posted = await post(target, body);
    if (posted.kind === "taken") {
      const { count, why } = codec.rejected(posted.answer);
      return count === 0 ? { lost: 0 } : { lost: count, why: `the receiver rejected them: ${why}` };
    }
    if (posted.kind === "refused" || attempt + 1 >= tries) return { lost: entries.length, why: posted.why };
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(posted.afterMs ?? 0, backoff(attempt)));
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
