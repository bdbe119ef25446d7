/** When a run of an agent ends, and what it handed in. Knows nothing of rules; told by several observers of one program, it ends a run once. */
import type { EndedRun } from "../core/hookRules/runEnd";

export interface Stopped extends Omit<EndedRun, "runId"> {
  /** Which installation of ours saw it. */
  readonly observer: string;
}

export interface RunEnds {
  /** The run that ended; undefined where another observer told of this end before. */
  ended(stopped: Stopped, now: number): EndedRun | undefined;
}

/** Two hooks of one end run within it. */
const SHARE_MS = 10_000;
const MAX_SESSIONS = 1000;

/**
 * A session has no end that its program tells: a window may stay open for days. What has one is a turn, and then the
 * agent hands in its answer, so each turn is a run. Its id is the session's: that is what the events of its calls carry.
 */
export function createRunEnds(): RunEnds {
  const last = new Map<string, { readonly observer: string; readonly at: number }>();
  return {
    ended({ observer, ...run }, now) {
      const before = last.get(run.sessionId);
      if (before !== undefined && before.observer !== observer && now - before.at <= SHARE_MS)
        return undefined;
      last.delete(run.sessionId);
      last.set(run.sessionId, { observer, at: now });
      const [oldest] = last.keys();
      if (last.size > MAX_SESSIONS && oldest !== undefined) last.delete(oldest);
      return { runId: run.sessionId, ...run };
    },
  };
}
