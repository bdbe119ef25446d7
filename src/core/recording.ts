/** What the audit log is told of a call. Knows the record's fields; knows nothing of files or hashes of lines. */
import type { AskAnswer, Hasher } from "../ports";
import type { RecordBody, RecordDecision } from "./audit/record";
import type { ToolCall } from "./call";
import type { Finding } from "./decision";
import type { Evaluation } from "./evaluation";
import type { HookFailure, Outcome } from "./hook";
import { stableText } from "./values";

export interface RecordFacts {
  readonly call: ToolCall;
  readonly hasher: Hasher;
  readonly policyDigest: string;
}

interface Ended {
  readonly result: unknown;
  readonly error: string | null;
  readonly durationMs?: number;
}

/** The record of a decision, and with `ended` of how the call went. */
export function decisionRecord(
  facts: RecordFacts,
  what: {
    outcome: Outcome;
    ended?: Ended;
    failures?: readonly HookFailure[];
    event?: "call" | "result";
  },
): RecordBody {
  const { outcome, ended } = what;
  const event = what.event ?? "call";
  const findings = [...outcome.findings, ...(what.failures ?? []).map(failedHook)];
  const ran = outcome.kind === "run" && ended !== undefined;
  return {
    ...identity(facts),
    event,
    // The decision's own record holds the arguments already.
    ...(event === "call" ? { args: outcome.args, ...detailsOf(outcome) } : {}),
    decision: ran && ended.error !== null ? "error" : decisionOf(outcome),
    ...(outcome.by === null ? {} : { by: outcome.by }),
    ...(findings.length === 0 ? {} : { findings }),
    ...(ran ? { result: fingerprintOf(facts.hasher, ended.result) } : {}),
    error: ended?.error ?? null,
    ...(ended?.durationMs === undefined ? {} : { duration_ms: ended.durationMs }),
  };
}

export function askRecord(facts: RecordFacts, asked: { askId: string; evaluation: Evaluation }): RecordBody {
  const { evaluation } = asked;
  return {
    ...identity(facts),
    event: "call",
    args: evaluation.args,
    decision: "asks_user",
    ...(evaluation.ask === undefined ? {} : { by: evaluation.ask.by, reason: evaluation.ask.prompt }),
    ask_id: asked.askId,
    ...(evaluation.findings.length === 0 ? {} : { findings: evaluation.findings }),
    trail: evaluation.trail,
    error: null,
  };
}

/** `late` = the call had already ended when the person answered; the answer changed nothing. */
export function answerRecord(
  facts: RecordFacts,
  answered: { askId: string; answer: AskAnswer; late?: true },
): RecordBody {
  const { answer } = answered;
  return {
    ...identity(facts),
    event: "human_choice",
    ask_id: answered.askId,
    data: {
      choice: answer.kind,
      ...(answered.late === undefined ? {} : { late: true }),
      ...(answer.kind === "allow" ? { scope: answer.scope } : {}),
      ...(answer.kind === "deny" && answer.sentence !== undefined ? { sentence: answer.sentence } : {}),
      ...(answer.kind === "deny" && answer.pauseAgent === true ? { pause_agent: true } : {}),
    },
    error: null,
  };
}

export function ungovernedRecord(facts: RecordFacts, ended: Ended): RecordBody {
  const finding: Finding = {
    code: "ran_ungoverned",
    message: "a result arrived for a call that no hook announced",
    by: "security",
    severity: "error",
  };
  return {
    ...identity(facts),
    event: "result",
    args: facts.call.input,
    findings: [finding],
    result: fingerprintOf(facts.hasher, ended.result),
    error: ended.error,
  };
}

function identity({ call, policyDigest }: RecordFacts): Omit<RecordBody, "event" | "error"> {
  return {
    call_id: call.callId,
    trace_id: call.traceId,
    session_id: call.sessionId,
    profile: call.profile,
    agent: call.agent,
    ...(call.subagent === undefined ? {} : { subagent: call.subagent }),
    tool: call.toolName,
    policy_digest: policyDigest,
  };
}

function detailsOf(outcome: Outcome): Partial<RecordBody> {
  return {
    ...(outcome.kind === "denied" ? { reason: outcome.reason } : {}),
    ...(outcome.kind === "asks_user" ? { reason: outcome.prompt } : {}),
    ...(outcome.rewritten ? { rewritten: true } : {}),
    ...(outcome.askId === undefined ? {} : { ask_id: outcome.askId }),
    ...(outcome.kind === "run" && outcome.consent !== undefined
      ? { approver: outcome.consent === "args" ? "arguments" : "person", data: { consent: outcome.consent } }
      : {}),
    trail: outcome.trail,
  };
}

function decisionOf(outcome: Outcome): RecordDecision {
  switch (outcome.kind) {
    case "run":
      return outcome.decision;
    case "denied":
      return "denied";
    case "asks_user":
      return "asks_user";
    default:
      return outcome satisfies never;
  }
}

/** A result is never stored: its SHA-256 and its size in characters are. */
function fingerprintOf(hasher: Hasher, result: unknown): { hash: string; size: number } {
  const text = typeof result === "string" ? result : safeText(result);
  return { hash: hasher(text), size: text.length };
}

function safeText(value: unknown): string {
  try {
    return stableText(value);
  } catch {
    return "<unprintable>";
  }
}

function failedHook(failure: HookFailure): Finding {
  return { code: "hook_failed", message: failure.message, by: failure.by, severity: "error" };
}
