/** Writes the records of one call, and says what follows when one cannot be written. Knows no file. */
import type { AskAnswer, AuditStore, Hasher, Log } from "../ports";
import type { ToolCall } from "./call";
import type { GrantEnd, GrantState } from "./consent";
import { messageOf } from "./errors";
import type { Evaluation } from "./evaluation";
import { grantRecord } from "./grantRecord";
import type { Outcome, RunOutcome } from "./hook";
import { answerRecord, askRecord, decisionRecord, type RecordFacts, ungovernedRecord } from "./recording";

export interface CallRecordsDeps {
  readonly audit: () => AuditStore | undefined;
  readonly auditRequired: () => boolean;
  readonly decide: () => { policyDigest(): string };
  readonly hasher: Hasher;
  readonly log: Log;
}

type Write = () => Promise<unknown> | undefined;

export interface CallRecords {
  /** Doors that hold the call: written before the answer leaves. A record that cannot be written makes a denial. */
  decided(outcome: Outcome): Promise<Outcome>;
  /** Doors where we run the tool: a durable intent before the handler. */
  intended(outcome: RunOutcome): Promise<Outcome>;
  /** Rejects when it cannot be written: nobody is asked off the record. */
  asked(asked: { askId: string; evaluation: Evaluation }): Promise<void>;
  answered(answered: { askId: string; answer: AskAnswer }): Promise<void>;
  granted(grant: GrantState, ended: GrantEnd | undefined): Promise<void>;
  ranUngoverned(ended: { readonly result: unknown; readonly error: string | null }): Promise<void>;
}

export function callRecords(deps: CallRecordsDeps, call: ToolCall): CallRecords {
  const facts: RecordFacts = { call, hasher: deps.hasher, policyDigest: deps.decide().policyDigest() };
  const failed = (error: unknown): string => {
    deps.log.error(`the audit record could not be written: ${messageOf(error)}`);
    return messageOf(error);
  };
  const orDenied = async (outcome: Outcome, write: Write): Promise<Outcome> => {
    try {
      await write();
      return outcome;
    } catch (error) {
      const message = failed(error);
      return deps.auditRequired() ? unrecorded(outcome, message) : outcome;
    }
  };
  const orThrow = async (write: Write): Promise<void> => {
    try {
      await write();
    } catch (error) {
      failed(error);
      if (deps.auditRequired()) throw error;
    }
  };
  return {
    decided: (outcome) => orDenied(outcome, () => deps.audit()?.append(decisionRecord(facts, { outcome }))),
    intended: (outcome) => orDenied(outcome, () => deps.audit()?.intend(decisionRecord(facts, { outcome }))),
    asked: (asked) => orThrow(() => deps.audit()?.append(askRecord(facts, asked))),
    answered: (answered) => orThrow(() => deps.audit()?.append(answerRecord(facts, answered))),
    granted: (grant, ended) =>
      orThrow(() =>
        deps.audit()?.append(grantRecord(grant, { policyDigest: facts.policyDigest, call, ended })),
      ),
    async ranUngoverned(ended) {
      await deps.audit()?.append(ungovernedRecord(facts, ended)).catch(failed);
    },
  };
}

function unrecorded(outcome: Outcome, message: string): Outcome {
  const { args, contexts, findings, trail, rewritten } = outcome;
  const reason = `guard broken: the audit record could not be written: ${message}`;
  return {
    kind: "denied",
    reason,
    by: "audit_log",
    broken: true,
    args,
    contexts,
    findings,
    trail,
    rewritten,
  };
}
