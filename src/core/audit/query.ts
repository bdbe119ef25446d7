/** What a reader of the log asks of it: one row per call, filters, counts of a day. Knows nothing of files, pages or languages. */
import type { Args } from "../call";
import type { AuditRecord, RecordDecision } from "./record";

/** What a row can be filtered by; absent = any. */
export interface RowFilter {
  readonly decision?: string;
  readonly agent?: string;
  readonly tool?: string;
  /** Event of the row's first record. */
  readonly event?: string;
  readonly session?: string;
  /** ISO 8601; time of the row's first record, inclusive. */
  readonly since?: string;
  /** ISO 8601, exclusive. */
  readonly until?: string;
  /** Case-insensitive, looked for in the whole lines of the row. */
  readonly text?: string;
}

/** One line of the log: its 1-based number, and its record, or null where it is damaged. */
export interface LogLine {
  readonly line: number;
  readonly record: AuditRecord | null;
}

/** A call with what belongs to it (question, choice, decision, result), or a record that stands alone. */
export interface AuditRow {
  /** Line of the row's first record, from 1. */
  readonly line: number;
  /** All lines of the row in the order of the log. */
  readonly lines: readonly number[];
  readonly seq: number;
  readonly ts: string;
  readonly event: string;
  readonly agent: string;
  readonly subagent?: string;
  readonly tool: string;
  /** The decision that stands; "damaged" where the line is no record, "" where an event decides nothing. */
  readonly decision: RecordDecision | "damaged" | "";
  readonly by: string;
  readonly reason: string;
  /** The argument that says most: the statement, command, path or address. */
  readonly summary: string;
  readonly durationMs?: number;
  readonly asked: boolean;
  /** What a person chose: allow, deny, dismissed, expired, cancelled. */
  readonly choice?: string;
  /** Whose consent let the call run: person, arguments. */
  readonly approver?: string;
  readonly rewritten: boolean;
  readonly error?: string;
  /** How many findings are warnings or errors. */
  readonly alerts: number;
}

const SUMMARY_KEYS = [
  "sql",
  "command",
  "query",
  "filePath",
  "file_path",
  "path",
  "file",
  "url",
  "pattern",
  "text",
  "code",
  "prompt",
  "input",
  "title",
  "subject",
  "message",
  "name",
] as const;
const SUMMARY_CHARS = 240;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SUMMARY_CHARS ? line : `${line.slice(0, SUMMARY_CHARS - 1)}…`;
}

/** The argument that says most, on one line; else all arguments as JSON; "" when there are none. */
export function summaryOf(args: Args | undefined): string {
  if (args === undefined) return "";
  for (const key of SUMMARY_KEYS) {
    const value = args[key];
    if (typeof value === "string" && value.trim() !== "") return oneLine(value);
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string")) {
      return oneLine(value.join(" "));
    }
  }
  const keys = Object.keys(args);
  return keys.length === 0 ? "" : oneLine(JSON.stringify(args));
}

/** What stands for an event that has no arguments of a call. */
function aloneSummary(record: AuditRecord): string {
  const { data } = record;
  if (data === undefined) return "";
  const isPlain = Object.values(data).every((value) => typeof value !== "object" || value === null);
  const named = SUMMARY_KEYS.some((key) => typeof data[key] === "string");
  if (!isPlain || named) return summaryOf(data);
  return oneLine(
    Object.entries(data)
      .map(([name, value]) => `${name}: ${String(value)}`)
      .join(", "),
  );
}

const DAMAGED: Omit<AuditRow, "line" | "lines"> = {
  seq: 0,
  ts: "",
  event: "damaged",
  agent: "",
  tool: "",
  decision: "damaged",
  by: "",
  reason: "",
  summary: "",
  asked: false,
  rewritten: false,
  alerts: 0,
};

/** The later record's value where it has one. */
function last<T>(
  records: readonly AuditRecord[],
  pick: (record: AuditRecord) => T | undefined,
): T | undefined {
  for (let i = records.length - 1; i >= 0; i -= 1) {
    const record = records[i];
    const value = record === undefined ? undefined : pick(record);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Joins the lines of one call (in log order, at least one) into the row a person reads. */
export function toRow(lines: readonly LogLine[]): AuditRow {
  const numbers = lines.map((line) => line.line);
  const first = numbers[0] ?? 0;
  const records = lines.flatMap((line) => (line.record === null ? [] : [line.record]));
  const head = records[0];
  if (head === undefined) return { line: first, lines: numbers, ...DAMAGED };
  const choice = last(records, (r) => (r.event === "human_choice" ? stringAt(r.data, "choice") : undefined));
  // A person's answer is told to the agent as the reason; what readers look for is why somebody was asked.
  const question = records.findLast((r) => r.decision === "asks_user");
  const isRefused = choice !== undefined && choice !== "allow" && question !== undefined;
  const said = isRefused ? [question] : records;
  const approver = last(records, (r) => r.approver);
  const subagent = last(records, (r) => r.subagent);
  const durationMs = last(records, (r) => r.duration_ms);
  const error = last(records, (r) => r.error ?? undefined);
  return {
    line: first,
    lines: numbers,
    seq: head.seq,
    ts: head.ts,
    event: head.event,
    agent: head.agent ?? "",
    ...(subagent === undefined ? {} : { subagent }),
    tool: head.tool ?? "",
    decision: last(records, (r) => r.decision) ?? "",
    by: last(said, (r) => r.by) ?? "",
    reason: last(said, (r) => r.reason) ?? "",
    summary: summaryOf(last(records, (r) => r.args)) || aloneSummary(head),
    ...(durationMs === undefined ? {} : { durationMs }),
    asked: records.some((r) => r.decision === "asks_user" || r.event === "human_choice"),
    ...(choice === undefined ? {} : { choice }),
    ...(approver === undefined ? {} : { approver }),
    rewritten: records.some((r) => r.rewritten === true || r.decision === "rewrite"),
    ...(error === undefined ? {} : { error }),
    alerts: alertsOf(records),
  };
}

function stringAt(data: Args | undefined, key: string): string | undefined {
  const value = data?.[key];
  return typeof value === "string" ? value : undefined;
}

/** A finding repeated by the result record counts once. */
function alertsOf(records: readonly AuditRecord[]): number {
  const seen = new Set<string>();
  for (const finding of records.flatMap((r) => r.findings ?? [])) {
    if (finding.severity !== "info") seen.add(`${finding.by} ${finding.code} ${finding.message}`);
  }
  return seen.size;
}

/** What belongs to one call has one key; "" = the record stands alone. */
export function joinKey(record: AuditRecord): string {
  return record.call_id === undefined || !["call", "result", "human_choice"].includes(record.event)
    ? ""
    : `${record.session_id ?? ""}\u0000${record.call_id}`;
}

/** Counts per decision, one for each decision on a call; an ask and what became of it are two decisions. */
export type DecisionCounts = Readonly<Partial<Record<RecordDecision, number>>>;

/** Whether this record is a decision on a call; results repeat theirs and do not count. */
export function countedDecision(record: AuditRecord): RecordDecision | null {
  return record.event === "call" ? (record.decision ?? null) : null;
}

/** A running count of one day: adding a record of a later day starts anew. `dayOf` gives a day's name in the reader's time zone. */
export function dayCounter(dayOf: (ts: string) => string): {
  add(record: AuditRecord): void;
  counts(today: string): DecisionCounts;
} {
  let day = "";
  let counts: Partial<Record<RecordDecision, number>> = {};
  return {
    add(record) {
      const decision = countedDecision(record);
      if (decision === null) return;
      const its = dayOf(record.ts);
      if (its < day) return;
      if (its > day) {
        day = its;
        counts = {};
      }
      counts[decision] = (counts[decision] ?? 0) + 1;
    },
    counts: (today) => (today === day ? { ...counts } : {}),
  };
}
