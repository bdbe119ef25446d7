/** What of a run is under way and waited for by somebody else: whoever ends the run waits for it too, within bounds. Knows no rule. */
import type { Clock } from "../../ports";

export interface UnderWay {
  /** The same promise; it counts as the run's until it is settled. */
  during<T>(run: string, work: Promise<T>): Promise<T>;
  /** Resolves once what is under way by now is over, or after `ms`, or when `signal` is aborted: with how much of it is left. */
  over(run: string, within: { readonly ms: number; readonly signal: AbortSignal }): Promise<number>;
}

export function createUnderWay(clock: Clock): UnderWay {
  const works = new Map<string, Set<Promise<void>>>();
  return {
    during(run, work) {
      const ofRun = works.get(run) ?? new Set();
      works.set(run, ofRun);
      const over = work.then(
        () => undefined,
        () => undefined,
      );
      ofRun.add(over);
      void over.then(() => {
        ofRun.delete(over);
        if (ofRun.size === 0 && works.get(run) === ofRun) works.delete(run);
      });
      return work;
    },
    async over(run, { ms, signal }) {
      // A session's next turn is a run of the same name: what comes later is not waited for.
      const now = [...(works.get(run) ?? [])];
      let left = now.length;
      if (left === 0 || signal.aborted) return left;
      const counted = now.map(async (one) => {
        await one;
        left -= 1;
      });
      const timer = clock.timer(ms);
      const gone = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([Promise.all(counted), timer.done, gone]);
      timer.cancel();
      return left;
    },
  };
}
