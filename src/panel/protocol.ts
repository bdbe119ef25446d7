/** All that the audit panel's page and the host share: the messages of both sides, checked where they arrive. No message changes anything but what is shown. */
import * as z from "zod";

/** Raised when an older page or host could misread a message. */
export const PROTOCOL_VERSION = 1;

/** Rows of one answer at most. */
export const PAGE_ROWS = 500;

const count = z.int().min(0);
const short = z.string().max(1000);
const rowFilter = z.strictObject({
  decision: short.exactOptional(),
  agent: short.exactOptional(),
  tool: short.exactOptional(),
  event: short.exactOptional(),
  session: short.exactOptional(),
  /** ISO 8601: from this time on, and before that one. */
  since: z.iso.datetime().exactOptional(),
  until: z.iso.datetime().exactOptional(),
  text: short.exactOptional(),
});

/** Lines count from 1 through all files of the log; below 0 they count back from the end, while a big log is still being read. */
const line = z.int().refine((value) => value !== 0);

/** What a jump looks for: a line, the first row at or after a time, the newest row of a call. */
const target = z.union([
  z.strictObject({ line }),
  z.strictObject({ time: z.iso.datetime() }),
  z.strictObject({ callId: short }),
]);
export type JumpTarget = z.infer<typeof target>;

export const EXPORT_FORMATS = ["json", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const progress = { done: z.number(), total: z.number() };

export const pageMessage = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready"), version: z.literal(PROTOCOL_VERSION) }),
  /** `offset` counts from the oldest row of the filtered list. `token` comes back with the answer. */
  z.strictObject({
    type: z.literal("query"),
    token: count,
    filter: rowFilter,
    offset: count,
    limit: z.int().min(1).max(PAGE_ROWS),
  }),
  z.strictObject({ type: z.literal("details"), line }),
  z.strictObject({ type: z.literal("locate"), token: count, target }),
  /** Counts over time of the list; `offsetMinutes` east of Greenwich, so that days begin at midnight. */
  z.strictObject({ type: z.literal("chart"), token: count, offsetMinutes: z.int().min(-1440).max(1440) }),
  z.strictObject({ type: z.literal("verify") }),
  z.strictObject({ type: z.literal("cancelVerify") }),
  /** The records of the list, to a file that the person picks in the editor's own dialog. */
  z.strictObject({ type: z.literal("export"), token: count, format: z.enum(EXPORT_FORMATS) }),
  z.strictObject({ type: z.literal("cancelExport") }),
  z.strictObject({ type: z.literal("openLog") }),
  /** Brings the waiting question's dialog back; the dialog alone decides. */
  z.strictObject({ type: z.literal("answer"), askId: short }),
]);
export type PageMessage = z.infer<typeof pageMessage>;

const auditRow = z.object({
  line,
  lines: z.array(line),
  seq: z.number(),
  ts: z.string(),
  event: z.string(),
  agent: z.string(),
  subagent: z.string().exactOptional(),
  tool: z.string(),
  decision: z.string(),
  by: z.string(),
  reason: z.string(),
  summary: z.string(),
  durationMs: z.number().exactOptional(),
  asked: z.boolean(),
  choice: z.string().exactOptional(),
  /** Whose consent let the call run: person, arguments. */
  approver: z.string().exactOptional(),
  rewritten: z.boolean(),
  error: z.string().exactOptional(),
  alerts: count,
});
export type PanelRow = z.infer<typeof auditRow>;

export const CHAIN_STATES = [
  "ok",
  "waiting",
  "config-waiting",
  "off",
  "audit-broken",
  "governance-off",
] as const;

/** `line` and `offset` are within `file`; `row` is the line through all files, 0 where none can be shown. */
const damage = z.object({
  line: count,
  offset: z.number(),
  kind: z.string(),
  file: z.string().exactOptional(),
  row: count,
});
const verifyReport = z.object({
  ok: z.boolean(),
  firstBad: z.int().nullable(),
  count,
  level: z.number(),
  damage: z.array(damage),
  warnings: z.array(z.string()),
  /** How many damages there are; `damage` holds the first of them. */
  damages: count,
  files: count,
  checkpoints: z
    .object({
      valid: count,
      last: z.object({ segment: count, size: count }).exactOptional(),
      vkey: z.string(),
      pinned: z.boolean(),
    })
    .exactOptional(),
});
export type PanelReport = z.infer<typeof verifyReport>;

const chart = z.object({
  start: z.number(),
  step: z.number(),
  bars: z.array(z.tuple([count, count, count])),
});
export type PanelChart = z.infer<typeof chart>;

const pendingAsk = z.object({
  askId: z.string(),
  title: z.string(),
  agent: z.string(),
  tool: z.string(),
  prompt: z.string(),
  by: z.array(z.string()),
  folder: z.string().exactOptional(),
  args: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type PendingAsk = z.infer<typeof pendingAsk>;

export const hostMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("state"),
    version: z.literal(PROTOCOL_VERSION),
    /** Changes when the list was built anew: everything kept of it is void. */
    epoch: count,
    file: z.string(),
    /** Lines read so far. */
    lines: count,
    /** Null once the whole log is read. */
    reading: z.object(progress).nullable(),
    /** Files of the log, oldest first, and how many lines stand before each. */
    files: z.array(z.object({ file: z.string(), linesBefore: count })),
    /** Number of the line that -1 stood for, once it is known. */
    lastLine: count.nullable(),
    chain: z.object({ state: z.enum(CHAIN_STATES), message: z.string() }),
    counts: z.record(z.string(), z.number()),
    decisions: z.array(z.string()),
    agents: z.array(z.string()),
    tools: z.array(z.string()),
    events: z.array(z.string()),
    /** The newest of them, where they are many. */
    sessions: z.array(z.string()),
    pending: z.array(pendingAsk),
    locale: z.string(),
    strings: z.record(z.string(), z.string()),
    /** What went wrong while reading, in words. */
    problem: z.string().nullable(),
  }),
  z.object({
    type: z.literal("rows"),
    token: count,
    epoch: count,
    total: count,
    offset: count,
    rows: z.array(auditRow),
  }),
  z.object({ type: z.literal("searching"), token: count, ...progress }),
  z.object({
    type: z.literal("details"),
    line,
    row: auditRow.nullable(),
    records: z.array(z.object({ line, raw: z.string(), cut: z.boolean() })),
  }),
  /** Position in the list of `token` counted from the oldest, and the line that was meant; null = not in it. */
  z.object({
    type: z.literal("located"),
    token: count,
    target,
    found: z.object({ position: count, line }).nullable(),
  }),
  z.object({ type: z.literal("chart"), token: count, chart: chart.nullable() }),
  z.object({ type: z.literal("verifying"), ...progress }),
  z.object({ type: z.literal("verifyCancelled") }),
  z.object({ type: z.literal("exporting"), ...progress }),
  /** `file` is null where the person picked none or stopped it; `problem` says in words what went wrong. */
  z.object({
    type: z.literal("exported"),
    file: z.string().nullable(),
    records: count,
    leftOut: count,
    problem: z.string().nullable(),
  }),
  z.object({
    type: z.literal("verifyResult"),
    at: z.string(),
    report: verifyReport.nullable(),
    /** Set instead of the report when the log could not be read at all. */
    problem: z.string().nullable(),
  }),
  /** The list of `token` has grown at its newest end to `total`; `changed` are rows already there, and the new ones unless they are many. */
  z.object({
    type: z.literal("appended"),
    token: count,
    epoch: count,
    total: count,
    changed: z.array(z.object({ position: count, row: auditRow })),
  }),
]);
export type HostMessage = z.infer<typeof hostMessage>;
export type HostState = Extract<HostMessage, { type: "state" }>;
export type RowFilterMessage = z.infer<typeof rowFilter>;
