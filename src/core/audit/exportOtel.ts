/** A record as an OpenTelemetry log entry, with the names of the GenAI conventions for an executed tool. Knows no encoding and no network. */
import type { AuditRecord } from "./record";

/** Numbers of the OpenTelemetry log model. */
const SEVERITY = { INFO: 9, WARN: 13, ERROR: 17 } as const;
type Severity = keyof typeof SEVERITY;

export type OtelValue = string | number | boolean | readonly string[];

export interface OtelEntry {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly severityText: Severity;
  readonly severityNumber: number;
  readonly eventName: string;
  /** The whole record as JSON: its hash can be checked where it arrives. */
  readonly body: string;
  readonly attributes: Readonly<Record<string, OtelValue>>;
}

/** GenAI attributes are still in development; this is the version of the conventions that the names follow. */
export const SEMCONV_SCHEMA = "https://opentelemetry.io/schemas/1.37.0";

/** `line` is the record's own line where nothing was taken out of it. */
export function otelEntry(record: AuditRecord, line?: string): OtelEntry {
  const severity = severityOf(record);
  return {
    timeMs: timeOf(record.ts),
    severityText: severity,
    severityNumber: SEVERITY[severity],
    eventName: `countersign.${record.event}`,
    body: line ?? JSON.stringify(record),
    attributes: attributesOf(record, line === undefined),
  };
}

function timeOf(ts: string): number {
  const at = Date.parse(ts);
  return Number.isFinite(at) ? at : 0;
}

const ALARMING = new Set(["log.recovered", "log.export", "switch", "governance"]);

/** A denial is a warning, a failure an error; a question and what people accept are information. */
export function severityOf(record: AuditRecord): Severity {
  if (record.decision === "error" || (record.error ?? null) !== null) return "ERROR";
  if (record.decision === "denied" || ALARMING.has(record.event)) return "WARN";
  const findings = record.findings ?? [];
  return findings.some(({ severity }) => severity === "error") ? "WARN" : "INFO";
}

const TOOL_EVENTS = new Set(["call", "result", "human_choice"]);

function attributesOf(record: AuditRecord, isChanged: boolean): Record<string, OtelValue> {
  const isTool = TOOL_EVENTS.has(record.event) && record.tool !== undefined;
  const known: Record<string, OtelValue | undefined> = {
    ...(isTool ? toolAttributes(record) : {}),
    "gen_ai.agent.name": record.agent,
    "gen_ai.conversation.id": record.session_id,
    "error.type": record.error === null || record.error === undefined ? undefined : "_OTHER",
    "error.message": record.error ?? undefined,
    "countersign.event": record.event,
    "countersign.decision": record.decision,
    "countersign.by": record.by,
    "countersign.reason": record.reason,
    "countersign.approver": record.approver,
    "countersign.ask_id": record.ask_id,
    "countersign.rewritten": record.rewritten,
    "countersign.subagent": record.subagent,
    "countersign.profile": record.profile,
    "countersign.trace_id": record.trace_id,
    "countersign.policy_digest": record.policy_digest,
    "countersign.duration_ms": record.duration_ms,
    "countersign.findings": record.findings?.map(({ code }) => String(code)),
    "countersign.log_id": record.log_id,
    "countersign.seq": record.seq,
    "countersign.prev_hash": record.prev_hash ?? undefined,
    "countersign.record_hash": record.record_hash,
    "countersign.redacted_on_export": isChanged ? true : undefined,
    "process.pid": record.writer?.pid,
  };
  const entries = Object.entries(known).filter(
    (entry): entry is [string, OtelValue] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

function toolAttributes(record: AuditRecord): Record<string, OtelValue | undefined> {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": record.tool,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": record.call_id,
    "gen_ai.tool.call.arguments": record.args === undefined ? undefined : JSON.stringify(record.args),
  };
}
