/** Results find their calls, and what never gets a result is written down. Knows nothing of payloads or answers; never rejects. */
import type { ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { Ended, Governor } from "../core/govern";
import type { RunOutcome } from "../core/hook";
import type { Clock, Log } from "../ports";
import type { CallTable, Joined, Seen, Sighting } from "./callTable";

/** Results may come in after the turn has ended. */
const LATE_RESULT_MS = 10_000;

export interface CallResults {
  /**
   * Hands the result over; nobody waits for its record. `tell` is handed once what rules have to say of it.
   * `callOf` makes the call of a result that has none.
   */
  report(sighting: Sighting, reported: Reported): void;
  /** A failed, cancelled or killed call reports nothing: some time after the end of its turn that is written down. */
  turnOver(sessionId: string): void;
  /** Calls that are no longer kept. */
  forget(lost: readonly Seen[]): void;
}

/** What the host says of a call that is over; `error` is null when it says of none. */
export interface Reported extends Required<Pick<Ended, "result" | "error" | "tell">> {
  readonly callOf: () => ToolCall;
}

export function createCallResults(deps: {
  readonly governor: Pick<Governor, "settle" | "ranUngoverned">;
  readonly table: CallTable;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when a call ran with other arguments than were let through; `approved` is the hash of those. */
  readonly onRanOther?: (call: ToolCall, approved: string) => void;
}): CallResults {
  const { governor, table, clock, log } = deps;
  const background = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.error(`hook: ${messageOf(error)}`));
  };

  /** The hash of what was let through, where something else ran. */
  function otherThan(joined: Exclude<Joined, { kind: "repeated" }>, sighting: Sighting): string | undefined {
    const { hash, toolName, toolUseId, sessionId } = sighting;
    if (joined.kind === "settle") {
      const { outcome, finalHash } = joined.seen;
      return outcome?.kind === "run" && finalHash !== hash ? finalHash : undefined;
    }
    // A host without ids: a call of this tool is under way, and what came back is not its arguments.
    if (toolUseId !== undefined) return undefined;
    return table.open(sessionId).find(({ first }) => first.toolName === toolName)?.finalHash;
  }

  async function settle(seen: Seen, { result, error, tell }: Reported, approved?: string): Promise<void> {
    seen.done = true;
    const durationMs = Math.max(0, Math.round(clock.monotonic() - seen.startedAt));
    const ended: Ended = { result, error, durationMs };
    if (seen.outcome?.kind === "run") {
      const outcome = approved === undefined ? seen.outcome : otherArguments(seen.outcome, approved);
      return governor.settle(seen.call, outcome, { ...ended, tell });
    }
    tell([]);
    log.error(
      `${seen.first.toolName} ran although it was ${seen.outcome === undefined ? "still held" : "denied"}`,
    );
    return governor.ranUngoverned(seen.call, ended);
  }

  async function endUnknown(seen: Seen): Promise<void> {
    if (seen.done || seen.outcome?.kind !== "run") return;
    seen.done = true;
    const error = "ended unknown: no result was reported";
    await governor.settle(seen.call, seen.outcome, { result: null, error });
  }

  async function closeTurn(open: readonly Seen[]): Promise<void> {
    if (open.length === 0) return;
    await clock.timer(LATE_RESULT_MS).done;
    for (const seen of open) await endUnknown(seen);
  }

  return {
    report(sighting, reported) {
      const { result, error, tell, callOf } = reported;
      const joined = table.join(sighting);
      const approved = joined.kind === "repeated" ? undefined : otherThan(joined, sighting);
      if (approved !== undefined) deps.onRanOther?.(callOf(), approved);
      if (joined.kind === "settle") background(settle(joined.seen, reported, approved));
      else tell([]);
      // What really ran has a record of its own.
      if (joined.kind === "ungoverned" || approved !== undefined)
        background(governor.ranUngoverned(callOf(), { result, error }));
    },
    turnOver: (sessionId) => background(closeTurn(table.open(sessionId))),
    forget(lost) {
      for (const seen of lost) background(endUnknown(seen));
    },
  };
}

function otherArguments(outcome: RunOutcome, approved: string): RunOutcome {
  const message = "the call ran with other arguments than were let through";
  const finding = {
    code: "ran_other_arguments",
    message,
    by: "ran_other_arguments",
    severity: "error" as const,
    details: { approved },
  };
  return { ...outcome, findings: [...outcome.findings, finding] };
}
