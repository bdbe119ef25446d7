/** What the host tells the audit panel's page, and what both sides count by. Types alone, so that the page carries no schema: it takes messages from its own host and from nobody else. */

/** Raised when an older page or host could misread a message. */
export const PROTOCOL_VERSION = 2;

/** Rows of one answer at most. */
export const PAGE_ROWS = 500;

export const EXPORT_FORMATS = ["json", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Whether the log's own checkpoints and heartbeats are listed. */
export const UPKEEP_CHOICES = ["hidden", "shown"] as const;
export type UpkeepChoice = (typeof UPKEEP_CHOICES)[number];

export interface PanelRow {
  /** Lines count from 1 through all files of the log; below 0 they count back from the end, while a big log is still being read. */
  readonly line: number;
  readonly lines: readonly number[];
  readonly seq: number;
  readonly ts: string;
  readonly event: string;
  readonly agent: string;
  readonly subagent?: string;
  readonly tool: string;
  readonly decision: string;
  readonly by: string;
  readonly reason: string;
  readonly summary: string;
  readonly durationMs?: number;
  readonly asked: boolean;
  readonly choice?: string;
  /** Whose consent let the call run: person, arguments. */
  readonly approver?: string;
  readonly rewritten: boolean;
  readonly error?: string;
  readonly alerts: number;
}

/** What a jump looks for: a line, the first row at or after a time (ISO 8601), the newest row of a call. */
export type JumpTarget = { readonly line: number } | { readonly time: string } | { readonly callId: string };

export type ChainStateName = "ok" | "waiting" | "config-waiting" | "off" | "audit-broken" | "governance-off";

/** `line` and `offset` are within `file`; `row` is the line through all files, 0 where none can be shown. */
export interface PanelDamage {
  readonly line: number;
  readonly offset: number;
  readonly kind: string;
  readonly file?: string;
  readonly row: number;
}

export interface PanelReport {
  readonly ok: boolean;
  readonly firstBad: number | null;
  readonly count: number;
  readonly level: number;
  readonly damage: readonly PanelDamage[];
  readonly warnings: readonly string[];
  /** How many damages there are; `damage` holds the first of them. */
  readonly damages: number;
  readonly files: number;
  readonly checkpoints?: {
    readonly valid: number;
    readonly last?: { readonly segment: number; readonly size: number };
    readonly vkey: string;
    readonly pinned: boolean;
  };
}

/** Counts over time: ms since 1970, ms per bar, and per bar how many passed, were asked or changed, were stopped or failed. */
export interface PanelChart {
  readonly start: number;
  readonly step: number;
  readonly bars: readonly (readonly [passed: number, noted: number, stopped: number])[];
}

export interface PendingAsk {
  readonly askId: string;
  readonly title: string;
  readonly agent: string;
  readonly tool: string;
  readonly prompt: string;
  readonly by: readonly string[];
  readonly folder?: string;
  readonly args: readonly { readonly name: string; readonly value: string }[];
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface HostState {
  readonly type: "state";
  readonly version: typeof PROTOCOL_VERSION;
  /** Changes when the list was built anew: everything kept of it is void. */
  readonly epoch: number;
  /** Changes when the log is another one, or was written anew: what was found in the old one says nothing of it. */
  readonly log: number;
  readonly file: string;
  /** Lines read so far. */
  readonly lines: number;
  /** Null once the whole log is read. */
  readonly reading: Progress | null;
  /** Files of the log, oldest first, and how many lines stand before each. */
  readonly files: readonly { readonly file: string; readonly linesBefore: number }[];
  /** Number of the line that -1 stood for, once it is known. */
  readonly lastLine: number | null;
  readonly chain: { readonly state: ChainStateName; readonly message: string };
  /** Decisions of today. */
  readonly counts: Readonly<Record<string, number>>;
  readonly decisions: readonly string[];
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly events: readonly string[];
  /** The newest of them, where they are many. */
  readonly sessions: readonly string[];
  readonly pending: readonly PendingAsk[];
  readonly locale: string;
  readonly strings: Readonly<Record<string, string>>;
  /** What went wrong while reading, in words. */
  readonly problem: string | null;
}

/** A list as it is now: `total` rows, and how many checkpoints and heartbeats pass the filter, listed or not. */
interface ListSize {
  readonly token: number;
  readonly epoch: number;
  readonly total: number;
  readonly upkeep: number;
}

export type HostMessage =
  | HostState
  | ({ readonly type: "rows"; readonly offset: number; readonly rows: readonly PanelRow[] } & ListSize)
  | ({ readonly type: "searching"; readonly token: number } & Progress)
  | {
      readonly type: "details";
      readonly line: number;
      readonly row: PanelRow | null;
      readonly records: readonly { readonly line: number; readonly raw: string; readonly cut: boolean }[];
    }
  /** Position in the list of `token` counted from the oldest, and the line that was meant; null = not in it, and `hidden` says what keeps it out. */
  | {
      readonly type: "located";
      readonly token: number;
      readonly target: JumpTarget;
      readonly found: { readonly position: number; readonly line: number } | null;
      readonly hidden: "filter" | "upkeep" | null;
    }
  | { readonly type: "chart"; readonly token: number; readonly chart: PanelChart | null }
  | ({ readonly type: "verifying" } & Progress)
  | { readonly type: "verifyCancelled" }
  | ({ readonly type: "exporting" } & Progress)
  /** `file` is null where the person picked none or stopped it; `problem` says in words what went wrong. */
  | {
      readonly type: "exported";
      readonly file: string | null;
      readonly records: number;
      /** Lines that are no records. */
      readonly leftOut: number;
      /** Checkpoints and heartbeats that the list hides. */
      readonly upkeepLeftOut: number;
      readonly problem: string | null;
    }
  | {
      readonly type: "verifyResult";
      readonly at: string;
      readonly report: PanelReport | null;
      /** Set instead of the report when the log could not be read at all. */
      readonly problem: string | null;
    }
  /** The list of `token` has grown at its newest end to `total`; `changed` are rows already there, and the new ones unless they are many. */
  | ({
      readonly type: "appended";
      readonly changed: readonly { readonly position: number; readonly row: PanelRow }[];
    } & ListSize);

type MessageOf<T extends HostMessage["type"]> = Extract<HostMessage, { type: T }>;
export type DetailsMessage = MessageOf<"details">;
export type VerifyResult = MessageOf<"verifyResult">;
export type ExportedMessage = MessageOf<"exported">;

const KINDS: Readonly<Record<HostMessage["type"], true>> = {
  state: true,
  rows: true,
  searching: true,
  details: true,
  located: true,
  chart: true,
  verifying: true,
  verifyCancelled: true,
  exporting: true,
  exported: true,
  verifyResult: true,
  appended: true,
};

/** A message of this version's host; whatever else reaches the page is dropped. */
export function isHostMessage(value: unknown): value is HostMessage {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  if (typeof value.type !== "string" || !Object.hasOwn(KINDS, value.type)) return false;
  return value.type !== "state" || ("version" in value && value.version === PROTOCOL_VERSION);
}
