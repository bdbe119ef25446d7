/** A clock that a test moves. */
import type { Clock } from "../../src/ports";

export interface FakeClock extends Clock {
  /** Moves on, firing what is due in its order; lets what waits for it run. */
  pass(ms: number): Promise<void>;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

export function fakeClock(): FakeClock {
  let now = 1000;
  const timers = new Map<number, { at: number; fire: () => void }>();
  let next = 0;
  return {
    now: () => 1_790_000_000_000 + now,
    monotonic: () => now,
    timer(ms) {
      const id = next++;
      const done = new Promise<void>((resolve) => timers.set(id, { at: now + ms, fire: resolve }));
      return { done, cancel: () => void timers.delete(id) };
    },
    async pass(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].fire();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}
