/** Cuts a stream of bytes into lines of limited length. Knows nothing of what they say. */
import type { Readable } from "node:stream";

export interface LineSink {
  /** Without its end. */
  line(text: string): void;
  /** Once; nothing is read after it. `max` is in bytes. */
  tooLong(): void;
}

export function readLines(stream: Readable, max: number, sink: LineSink): void {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (part: Buffer): boolean => {
    parts.push(part);
    size += part.length;
    return size <= max;
  };
  const onData = (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const fits = take(chunk.subarray(from, at));
      from = at + 1;
      if (!fits) return stop();
      const text = Buffer.concat(parts).toString("utf8");
      parts = [];
      size = 0;
      sink.line(text);
    }
    if (!take(chunk.subarray(from))) stop();
  };
  const stop = () => {
    stream.off("data", onData);
    stream.resume();
    parts = [];
    sink.tooLong();
  };
  stream.on("data", onData);
}
