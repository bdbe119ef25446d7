/** Handlers that nobody waits for: some at a time, all of them waited for at the end, within bounds. Knows no rule. */
import type { Clock } from "../../ports";

export interface Background {
  /** Starts the work, or queues it. False = too much waits already: it was not taken. */
  start(piece: Piece): boolean;
  /** Resolves once nothing that this run started is left, or after `ms`: with how many are left. They go on. */
  settled(run: string, ms: number): Promise<number>;
  /** Resolves once nothing runs or waits any more, or after `ms`: with how many were left, each of which was told. What waits then never starts. */
  drain(ms: number): Promise<number>;
}

const MAX_AT_ONCE = 8;
const MAX_WAITING = 1000;

export interface Piece {
  /** The run that it belongs to. */
  readonly run: string;
  work(): Promise<void>;
  /** The end came before it: what is lost with it is to be told by name. */
  left?(why: string): Promise<void>;
}

/** For the log: one that does not answer must not hold up the end. */
const TELL_MS = 2000;
const NOT_STARTED = "it did not run: the end came before its turn";
const NOT_DONE = "it was still at work when the time for it at the end was over";

/** `work` must not reject: what it fails with is its own to report. */
export function createBackground(clock: Clock): Background {
  const waiting: Piece[] = [];
  const running = new Set<Piece>();
  /** Asked again whenever something has ended. */
  let watching: (() => void)[] = [];

  const next = (): void => {
    while (running.size < MAX_AT_ONCE) {
      const piece = waiting.shift();
      if (piece === undefined) break;
      running.add(piece);
      void piece
        .work()
        .catch(() => undefined)
        .finally(() => {
          running.delete(piece);
          next();
        });
    }
    for (const look of [...watching]) look();
  };

  const until = async (left: () => number, ms: number): Promise<number> => {
    if (left() === 0) return 0;
    const timer = clock.timer(ms);
    let look = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      look = () => {
        if (left() === 0) resolve();
      };
      watching.push(look);
    });
    await Promise.race([done, timer.done]);
    timer.cancel();
    watching = watching.filter((one) => one !== look);
    return left();
  };

  return {
    start(piece) {
      if (waiting.length >= MAX_WAITING) return false;
      waiting.push(piece);
      next();
      return true;
    },
    settled: (run, ms) =>
      until(() => [...running, ...waiting].filter((piece) => piece.run === run).length, ms),
    async drain(ms) {
      const left = await until(() => running.size + waiting.length, ms);
      const told = [
        ...[...running].map((piece) => piece.left?.(NOT_DONE)),
        ...waiting.splice(0).map((piece) => piece.left?.(NOT_STARTED)),
      ];
      const timer = clock.timer(TELL_MS);
      await Promise.race([Promise.allSettled(told), timer.done]);
      timer.cancel();
      for (const look of [...watching]) look();
      return left;
    },
  };
}
