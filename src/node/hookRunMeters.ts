/** What a run counts and keeps: calls, refusals, failures. Decides nothing. */
import type { Finding } from "../core/decision";
import type { HookEventName } from "../core/hookRules/types";
import type { Refusal } from "./hookRunErrors";

export interface At {
  readonly event: HookEventName;
  /** Absent for requests and at the end of a run. */
  readonly tool_name?: string;
}

export type DenialRecord = At & Refusal;

export interface ErrorRecord extends At {
  /** Name of the handler, "" where none is to blame. */
  readonly handler: string;
  readonly message: string;
}

export interface RunSummary {
  readonly calls: number;
  readonly requests: number;
  readonly denials: number;
  /** Calls that a guard held back for a person. */
  readonly asks: number;
  readonly rewrites: number;
  readonly hook_errors: number;
  readonly findings: number;
  /** The alias door's work; 0 as long as no alias handler is there. */
  readonly substitutions: number;
  readonly leaks: number;
}

export interface Meters {
  readonly denials: readonly DenialRecord[];
  readonly errors: readonly ErrorRecord[];
  readonly findings: readonly Finding[];
  count(what: "calls" | "requests" | "asks" | "rewrites"): void;
  found(findings: readonly Finding[]): void;
  denied(at: At, refusal: Refusal): void;
  failed(at: At, failure: Omit<ErrorRecord, keyof At>): void;
  summary(): RunSummary;
}

const placeOf = ({ event, tool_name }: At): At => ({
  event,
  ...(tool_name === undefined ? {} : { tool_name }),
});

export function createMeters(): Meters {
  const counted = { calls: 0, requests: 0, asks: 0, rewrites: 0 };
  const denials: DenialRecord[] = [];
  const errors: ErrorRecord[] = [];
  const findings: Finding[] = [];
  return {
    denials,
    errors,
    findings,
    count(what) {
      counted[what] += 1;
    },
    found(more) {
      // A handler's failure has its own meter.
      findings.push(...more.filter(({ code }) => code !== "handler_failed"));
    },
    denied(at, { reason, handler, findings: found }) {
      denials.push({ ...placeOf(at), reason, handler, findings: found });
    },
    failed(at, { handler, message }) {
      errors.push({ ...placeOf(at), handler, message });
    },
    summary: () => ({
      ...counted,
      denials: denials.length,
      hook_errors: errors.length,
      findings: findings.length,
      substitutions: 0,
      leaks: 0,
    }),
  };
}
