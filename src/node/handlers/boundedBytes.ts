/** Collects what a stream gives, up to a limit. Knows nothing of what the bytes mean. */

export interface BoundedBytes {
  add(chunk: Uint8Array): void;
  /** True once more came than the limit; the rest was dropped. */
  readonly over: boolean;
  bytes(): Uint8Array;
}

export function boundedBytes(limit: number): BoundedBytes {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let over = false;
  return {
    add(chunk) {
      const room = limit - size;
      if (chunk.length > room) over = true;
      if (room <= 0) return;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      size += Math.min(room, chunk.length);
    },
    get over() {
      return over;
    },
    bytes: () => Buffer.concat(chunks),
  };
}
