/** The calls that are being judged, and who waits for each verdict. Knows nothing of payloads or answers. */
import type { ToolCall } from "../core/call";
import type { Governor } from "../core/govern";
import type { Outcome } from "../core/hook";
import { stableText } from "../core/values";
import type { Clock, Hasher } from "../ports";
import type { Seen, Sighting } from "./callTable";

interface Held {
  readonly seen: Seen;
  readonly gone: AbortController;
  waiting: number;
  /** Its caller was told to come again: a click now mints the grant and does not spend it. */
  detached: boolean;
}

export interface HeldCalls {
  /** Has the call judged; at most one verdict comes of it. */
  begin(sighting: Sighting, call: ToolCall): Held;
  /** The same call, as another observer began it. */
  of(seen: Seen | undefined): Held | undefined;
  /** The call that was sent away to wait and now comes again: it takes its place at the same question. */
  returning(sighting: Sighting): Held | undefined;
  /**
   * "later" once `limitMs` has passed. When the last of those who wait goes away (`signal`), the call is cancelled.
   * Rejects only where judging does.
   */
  wait(entry: Held, terms: { limitMs: number | undefined; signal: AbortSignal }): Promise<Outcome | "later">;
}

export function createHeldCalls(deps: {
  readonly governor: Pick<Governor, "authorize">;
  readonly clock: Clock;
  readonly hash: Hasher;
}): HeldCalls {
  const held = new Map<Seen, Held>();
  return {
    begin(sighting, call) {
      const gone = new AbortController();
      const holder: { entry?: Held } = {};
      const options = { signal: gone.signal, detached: () => holder.entry?.detached === true };
      const seen: Seen = {
        first: sighting,
        call,
        verdict: deps.governor.authorize(call, options),
        at: deps.clock.now(),
        startedAt: deps.clock.monotonic(),
        done: false,
        observers: new Set([sighting.observer]),
        reported: new Set(),
      };
      const entry: Held = { seen, gone, waiting: 0, detached: false };
      holder.entry = entry;
      held.set(seen, entry);
      seen.verdict.then(
        (outcome) => {
          held.delete(seen);
          conclude(entry, { outcome, finalHash: deps.hash(stableText(outcome.args)) });
        },
        () => held.delete(seen),
      );
      return entry;
    },
    of: (seen) => (seen === undefined ? undefined : held.get(seen)),
    returning(sighting) {
      const found = [...held.values()].find((entry) => entry.detached && sameArguments(entry.seen, sighting));
      if (found !== undefined) found.detached = false;
      return found;
    },
    wait: (entry, terms) => wait(entry, deps.clock, terms),
  };
}

function conclude(entry: Held, judged: { outcome: Outcome; finalHash: string }): void {
  const { seen } = entry;
  seen.outcome = judged.outcome;
  seen.finalHash = judged.finalHash;
  // Nobody took this verdict away: nothing ran on it, and no result belongs to it.
  if (!entry.detached) return;
  seen.done = true;
  for (const observer of seen.observers) seen.reported.add(observer);
}

function sameArguments({ first, observers }: Seen, sighting: Sighting): boolean {
  return (
    first.sessionId === sighting.sessionId &&
    first.toolName === sighting.toolName &&
    first.hash === sighting.hash &&
    observers.has(sighting.observer)
  );
}

async function wait(
  entry: Held,
  clock: Clock,
  terms: { limitMs: number | undefined; signal: AbortSignal },
): Promise<Outcome | "later"> {
  const { limitMs, signal } = terms;
  const leave = (): void => {
    entry.waiting -= 1;
    if (entry.waiting === 0 && !entry.detached) entry.gone.abort();
  };
  entry.waiting += 1;
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const timer = limitMs === undefined ? undefined : clock.timer(limitMs);
  const later = timer?.done.then(() => "later" as const);
  const outcome = await Promise.race(
    later === undefined ? [entry.seen.verdict] : [entry.seen.verdict, later],
  );
  timer?.cancel();
  signal.removeEventListener("abort", leave);
  if (signal.aborted) return outcome;
  entry.waiting -= 1;
  if (outcome === "later" && entry.waiting === 0) entry.detached = true;
  return outcome;
}
