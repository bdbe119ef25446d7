/** Results find their calls, and what never gets a result is written down. Knows nothing of payloads or answers; never rejects. */
import type { ToolCall } from "../core/call";
import { messageOf } from "../core/errors";
import type { Ended, Governor } from "../core/govern";
import type { Clock, Log } from "../ports";
import type { CallTable, Seen, Sighting } from "./callTable";

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

export interface Reported extends Required<Pick<Ended, "result" | "tell">> {
  readonly callOf: () => ToolCall;
}

export function createCallResults(deps: {
  readonly governor: Pick<Governor, "settle" | "ranUngoverned">;
  readonly table: CallTable;
  readonly clock: Clock;
  readonly log: Log;
}): CallResults {
  const { governor, table, clock, log } = deps;
  const background = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.error(`hook: ${messageOf(error)}`));
  };

  async function settle(seen: Seen, { result, tell }: Reported): Promise<void> {
    seen.done = true;
    const durationMs = Math.max(0, Math.round(clock.monotonic() - seen.startedAt));
    const ended: Ended = { result, error: null, durationMs };
    if (seen.outcome?.kind === "run") return governor.settle(seen.call, seen.outcome, { ...ended, tell });
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
      const { result, tell, callOf } = reported;
      const joined = table.join(sighting);
      if (joined.kind === "settle") return background(settle(joined.seen, reported));
      tell([]);
      if (joined.kind === "ungoverned") background(governor.ranUngoverned(callOf(), { result, error: null }));
    },
    turnOver: (sessionId) => background(closeTurn(table.open(sessionId))),
    forget(lost) {
      for (const seen of lost) background(endUnknown(seen));
    },
  };
}
