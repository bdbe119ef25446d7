/** Takes what is asked for in the same turn together, one batch after the other. Knows nothing of records. */

const BATCH = 64;

export interface Queue<T> {
  add(item: T): void;
  /** Resolves when all that was added is done; undefined when nothing is under way. */
  running(): Promise<void> | undefined;
}

/** `run` is never called twice at once; it rejects never. */
export function createQueue<T>(run: (batch: readonly T[]) => Promise<void>): Queue<T> {
  const items: T[] = [];
  let running: Promise<void> | undefined;

  async function pump(): Promise<void> {
    await Promise.resolve();
    while (items.length > 0) await run(items.splice(0, BATCH));
    running = undefined;
  }

  return {
    add(item) {
      items.push(item);
      running ??= pump();
    },
    running: () => running,
  };
}
