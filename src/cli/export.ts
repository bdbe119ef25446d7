/** `countersign export FILE|FOLDER`: the records of a log as JSON, CSV or OpenTelemetry, read as a stream. Verifies nothing: `verify` does. */
import * as fs from "node:fs";
import * as path from "node:path";
import { type ExportSpan, exportRecord, isWithin } from "../core/audit/exportRecord";
import { createRedactor } from "../core/audit/redact";
import { messageOf } from "../core/errors";
import { lineBlocks } from "../node/auditLines";
import { closedSegments } from "../node/auditSegment";
import { headersFromEnvironment, parseHeaders } from "../node/otlp/headers";
import { logsUrl } from "../node/otlp/post";
import { version } from "../version";
import {
  csvWriter,
  jsonWriter,
  type OtlpWriterOptions,
  otlpWriter,
  type RecordWriter,
} from "./exportWriters";
import type { Io } from "./io";
import { type Asked, answerUsage, readOptions } from "./options";

const USAGE = `usage: countersign export FILE|FOLDER --format json|csv|otlp [options]

Writes the records of an audit log to standard output, or sends them to an OpenTelemetry receiver (OTLP/HTTP).
FOLDER stands for all segments of the log in it. Secrets are taken out once more, by the rules of this version.
  --since TIME        from this time on, ISO 8601
  --until TIME        before this time
  --endpoint URL      otlp: the receiver, e.g. http://localhost:4318; default OTEL_EXPORTER_OTLP_LOGS_ENDPOINT
                      or OTEL_EXPORTER_OTLP_ENDPOINT
  --header N=V,N=V    otlp: headers; better OTEL_EXPORTER_OTLP_HEADERS, which other users cannot see

Exit: 0 done, 1 some lines are no records, 2 unreadable or wrong usage, 3 some records did not arrive.
`;

const LINE = {
  name: "export",
  usage: USAGE,
  texts: ["format", "since", "until", "endpoint", "header"],
  words: 1,
} as const;

type ExportIo = Pick<Io, "stdout" | "stderr"> & Partial<Pick<Io, "env" | "cwd">>;

interface Plan {
  readonly files: readonly string[];
  readonly span: ExportSpan;
  readonly writer: RecordWriter;
}

/** Exit code 0 done, 1 some lines are no records, 2 unreadable or wrong usage, 3 some records did not arrive. */
export async function runExport(
  argv: readonly string[],
  io: ExportIo,
  options: Partial<Pick<OtlpWriterOptions, "tries" | "backoff">> = {},
): Promise<number> {
  const asked = readOptions(argv, LINE);
  if (asked.kind !== "run") return answerUsage(asked, LINE, io);
  const plan = planOf(asked, io, options);
  if ("why" in plan) return answerUsage({ kind: "wrong", why: plan.why }, LINE, io);
  try {
    return await carryOut(plan, io);
  } catch (error) {
    io.stderr(`countersign export: ${messageOf(error)}\n`);
    return 2;
  }
}

async function carryOut({ files, span, writer }: Plan, io: ExportIo): Promise<number> {
  const redactor = createRedactor();
  let damaged = 0;
  await writer.begin();
  for (const file of files) {
    for await (const line of linesOf(file)) {
      const found = exportRecord(line, redactor);
      if (found === undefined) damaged += 1;
      else if (isWithin(found.record.ts, span))
        await writer.write(found.record, found.changed ? undefined : line);
    }
  }
  const { lost, why } = await writer.end(damaged);
  if (damaged > 0)
    io.stderr(`${damaged} line(s) are no records and were left out; run countersign verify.\n`);
  if (lost > 0) io.stderr(`${lost} record(s) did not arrive: ${why ?? "unknown"}.\n`);
  if (lost > 0) return 3;
  return damaged > 0 ? 1 : 0;
}

/** A last line without its break is still being written, or torn: it is no record yet. */
async function* linesOf(file: string): AsyncGenerator<string> {
  for await (const { bytes, offsets } of lineBlocks(file, { line: 1, offset: 0 })) {
    const base = offsets[0] ?? 0;
    for (let i = 0; i + 1 < offsets.length; i += 1)
      yield bytes.toString("utf8", (offsets[i] ?? 0) - base, (offsets[i + 1] ?? 0) - base - 1);
  }
}

function planOf(
  asked: Asked<(typeof LINE.texts)[number], never>,
  io: ExportIo,
  options: Partial<Pick<OtlpWriterOptions, "tries" | "backoff">>,
): Plan | { readonly why: string } {
  const { format, since, until } = asked.values;
  const [place] = asked.words;
  if (place === undefined) return { why: "which audit log? Give FILE or FOLDER" };
  for (const [name, time] of Object.entries({ since, until }))
    if (time !== undefined && Number.isNaN(Date.parse(time)))
      return { why: `--${name} needs a time such as 2026-01-31T12:00:00Z, not "${time}"` };
  const files = filesOf(path.resolve(io.cwd ?? process.cwd(), place));
  if ("why" in files) return files;
  const span = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  const writer = writerOf(format, asked, { io, options, span });
  if ("why" in writer) return writer;
  return { files: files.files, span, writer };
}

function filesOf(place: string): { readonly files: readonly string[] } | { readonly why: string } {
  try {
    if (!fs.statSync(place).isDirectory()) return { files: [place] };
    const active = path.join(place, "audit.jsonl");
    const closed = closedSegments(active).map(({ file }) => path.resolve(place, file));
    const files = [...closed, ...(fs.existsSync(active) ? [active] : [])];
    return files.length > 0 ? { files } : { why: `there is no audit log in ${place}` };
  } catch {
    return { why: `there is no file or folder ${place} that you may read` };
  }
}

interface Writing {
  readonly io: ExportIo;
  readonly options: Partial<Pick<OtlpWriterOptions, "tries" | "backoff">>;
  readonly span: ExportSpan;
}

function writerOf(
  format: string | undefined,
  asked: Asked<(typeof LINE.texts)[number], never>,
  { io, options, span }: Writing,
): RecordWriter | { readonly why: string } {
  const { endpoint, header } = asked.values;
  if (format !== "otlp" && (endpoint ?? header) !== undefined)
    return { why: "--endpoint and --header belong to --format otlp" };
  if (format === "json") return jsonWriter(io.stdout, { at: new Date().toISOString(), filter: span });
  if (format === "csv") return csvWriter(io.stdout);
  if (format !== "otlp") return { why: "--format must be json, csv or otlp" };
  const env = io.env ?? process.env;
  const address = endpoint ?? env.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = address === undefined ? undefined : logsUrl(address);
  if (address === undefined)
    return {
      why: "where to? Give --endpoint URL, such as http://localhost:4318, or set OTEL_EXPORTER_OTLP_ENDPOINT",
    };
  if (url === undefined) return { why: "--endpoint must be an http or https address" };
  const headers = parseHeaders(header ?? headersFromEnvironment(env));
  if (headers === undefined) return { why: "headers must be written NAME=VALUE,NAME=VALUE" };
  return otlpWriter({ target: { url, headers, timeoutMs: 30_000 }, origin: { version }, ...options });
}
