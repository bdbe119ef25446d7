/** Ends waiting, not work: a promise raced against a timer. Knows nothing of what is awaited. */
import type { Clock } from "../ports";

export class DeadlineExceeded extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "DeadlineExceeded";
    this.ms = ms;
  }
}

/** Resolves as `work` does, or rejects with `DeadlineExceeded` after `ms` milliseconds. */
export async function within<T>(clock: Clock, ms: number, work: () => Promise<T> | T): Promise<T> {
  const timer = clock.timer(ms);
  const expiry = timer.done.then((): never => {
    throw new DeadlineExceeded(ms);
  });
  try {
    return await Promise.race([Promise.resolve().then(work), expiry]);
  } finally {
    timer.cancel();
    expiry.catch(() => undefined);
  }
}
