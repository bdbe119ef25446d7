/** One user of a connection at a time, in the order of arrival. Knows nothing of databases. */

export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when it is the caller's turn, which lasts until the returned function is called. */
  begin(): Promise<() => void>;
}

export function createTurns(): Turns {
  let tail: Promise<void> = Promise.resolve();

  function begin(): Promise<() => void> {
    const before = tail;
    let release: () => void = () => undefined;
    tail = new Promise((resolve) => {
      release = resolve;
    });
    return before.then(() => release);
  }

  return {
    begin,
    async take(work) {
      const release = await begin();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
