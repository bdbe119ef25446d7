/** Handlers that nobody waits for: some at a time, all of them waited for at the end, within bounds. Knows no rule. */
import type { Clock } from "../../ports";

export interface Background {
  /** Starts the work, or queues it. False = too much waits already: it was not taken. */
  start(work: () => Promise<void>): boolean;
  /** Resolves once nothing runs or waits any more, or after `ms`: with how many were left. */
  drain(ms: number): Promise<number>;
}

const MAX_AT_ONCE = 8;
const MAX_WAITING = 1000;

/** `work` must not reject: what it fails with is its own to report. */
export function createBackground(clock: Clock): Background {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let idle: (() => void)[] = [];

  const next = (): void => {
    while (running < MAX_AT_ONCE) {
      const work = waiting.shift();
      if (work === undefined) break;
      running += 1;
      void work()
        .catch(() => undefined)
        .finally(() => {
          running -= 1;
          next();
        });
    }
    if (running > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  };

  return {
    start(work) {
      if (waiting.length >= MAX_WAITING) return false;
      waiting.push(work);
      next();
      return true;
    },
    async drain(ms) {
      if (running === 0 && waiting.length === 0) return 0;
      const timer = clock.timer(ms);
      const done = new Promise<void>((resolve) => idle.push(resolve));
      await Promise.race([done, timer.done]);
      timer.cancel();
      const left = running + waiting.length;
      waiting.length = 0;
      return left;
    },
  };
}
