/** The audit record: its fields, and what is left out. The audit format is a public border (version 1). */
import type { Args } from "../call";
import type { Finding } from "../decision";
import type { TrailEntry } from "../hook";

export type RecordEvent =
  | "call"
  | "result"
  /** The rules' verdict on an agent's run. */
  | "run_end"
  /** What an async handler of a rule found after its call was recorded. */
  | "late_finding"
  | "human_choice"
  | "grant"
  | "trust"
  | "config_accepted"
  | "switch"
  | "governance"
  | "log.open"
  | "log.key"
  | "log.segment"
  | "log.checkpoint"
  | "log.heartbeat"
  | "log.export"
  | "log.recovered";

export type RecordDecision = "allow" | "rewrite" | "denied" | "asks_user" | "log_only" | "error";

/** What a writer is given; the store adds v, seq, ts, log_id, writer, prev_hash and record_hash, and redacts args, prompt, reason and error. */
export interface RecordBody {
  readonly event: RecordEvent;
  readonly call_id?: string;
  readonly trace_id?: string;
  readonly session_id?: string;
  readonly profile?: string;
  readonly agent?: string;
  readonly subagent?: string;
  readonly tool?: string;
  readonly args?: Args;
  readonly decision?: RecordDecision;
  readonly by?: string;
  readonly reason?: string;
  readonly rewritten?: boolean;
  readonly ask_id?: string;
  readonly approver?: string;
  readonly policy_digest?: string;
  readonly findings?: readonly Finding[];
  readonly trail?: readonly TrailEntry[];
  readonly result?: { readonly hash: string; readonly size: number };
  readonly error: string | null;
  readonly duration_ms?: number;
  /** Event-specific data: `human_choice {choice, scope, sentence}`, `config_accepted {digest, diff}`, ... */
  readonly data?: Args;
}

export interface AuditRecord extends RecordBody {
  readonly v: 1;
  /** Counts from 1 within a segment. */
  readonly seq: number;
  /** UTC, ISO 8601 with milliseconds. */
  readonly ts: string;
  readonly log_id: string;
  readonly redactions?: readonly { readonly path: string; readonly type: string; readonly len: number }[];
  readonly writer: { readonly pid: number; readonly version: string; readonly role: string };
  /** Ed25519 over the canonical record without sig, prev_hash and record_hash, base64; see recordSignature.ts. */
  readonly sig?: string;
  readonly prev_hash: string | null;
  readonly record_hash: string;
}
