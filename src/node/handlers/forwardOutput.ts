/** What handlers' own code prints goes to the log, a little of it. Knows nothing of answers. */
import type { Readable } from "node:stream";
import type { Log } from "../../ports";
import { readLines } from "./lines";

/** Lines for each stream; the rest is read and dropped, so that a flood neither blocks nor fills the log. */
const MAX_LINES = 200;

export function forwardOutput(
  stream: Readable | null,
  { name, log }: { readonly name: string; readonly log: Log },
): void {
  if (stream === null) return;
  let left = MAX_LINES;
  stream.on("error", () => undefined);
  readLines(stream, 65_536, {
    line(text) {
      if (left-- > 0) log.info(`${name}: ${text.slice(0, 2000)}`);
    },
    tooLong: () => undefined,
  });
  // It keeps no process alive.
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
