/** What the audit log is told of rules beside the records of calls: verdicts on runs, and findings that come after their call. Writes nothing. */
import type { Hasher } from "../../ports";
import type { RecordBody } from "../audit/record";
import type { Finding } from "../decision";
import type { LateAnswer } from "./ruleRun";
import type { EndedRun, RunVerdict } from "./runEnd";

export interface RuleRecordFacts {
  readonly policyDigest: string;
  readonly profile: string;
}

/** The report itself is not recorded, only what it was: its hash and size. */
export function runEndRecord(
  run: EndedRun,
  verdict: RunVerdict,
  facts: Pick<RuleRecordFacts, "policyDigest"> & {
    readonly hasher: Hasher;
    /** Calls of the run whose ends were still under way when its rules were asked. */
    readonly openCalls: number;
  },
): RecordBody {
  const { ran, left } = verdict;
  const { deny } = ran;
  const { report } = run;
  const findings = [
    ...ran.findings,
    ...(left === 0 ? [] : [unfinished(left)]),
    ...(facts.openCalls === 0 ? [] : [callsOpen(facts.openCalls)]),
  ];
  const context = ran.contexts.map(({ name, text }) => ({ name, text }));
  return {
    event: "run_end",
    trace_id: run.sessionId,
    session_id: run.sessionId,
    profile: run.profile,
    agent: run.agent,
    decision: deny === undefined ? "allow" : "denied",
    ...(deny === undefined ? {} : { by: deny.by, reason: deny.reason }),
    policy_digest: facts.policyDigest,
    ...(findings.length === 0 ? {} : { findings }),
    ...(ran.trail.length === 0 ? {} : { trail: ran.trail }),
    ...(report === null ? {} : { result: { hash: facts.hasher(report), size: report.length } }),
    error: null,
    data: { passed: deny === undefined, ...(context.length === 0 ? {} : { context }) },
  };
}

const unfinished = (left: number): Finding => ({
  code: "async_unfinished",
  message: `${left} async handlers were still at work when the run ended; what they find gets records of its own`,
  by: "rules",
  severity: "warning",
});

const callsOpen = (count: number): Finding => ({
  code: "calls_unfinished",
  message: `rules were still at work on the results of ${count === 1 ? "a call" : `${count} calls`} when the run ended; what they say is on those calls' own records`,
  by: "rules",
  severity: "warning",
});

/** Names the call by its id: the call's own record is written already. Undefined = there is nothing to record. */
export function lateRecord(late: LateAnswer, facts: RuleRecordFacts): RecordBody | undefined {
  const { event, findings, error } = late;
  const [first] = findings;
  if (first === undefined) return undefined;
  const { call_id, session_id, agent, tool_name } = event;
  return {
    event: "late_finding",
    ...(call_id === undefined ? {} : { call_id }),
    ...(session_id === undefined ? {} : { session_id }),
    profile: facts.profile,
    ...(agent === undefined ? {} : { agent }),
    ...(tool_name === undefined ? {} : { tool: tool_name }),
    by: first.by,
    policy_digest: facts.policyDigest,
    findings,
    error: error?.message ?? null,
    data: { on: event.event },
  };
}
