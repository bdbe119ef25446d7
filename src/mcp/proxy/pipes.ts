/** The proxy on its streams: from the first byte until client and server have gone. Decides nothing. */
import type { Log } from "../../ports";
import type { Judge } from "./judge";
import type { PinStore } from "./pinFile";
import { createRawLineCutter } from "./rawLines";
import { createRelay } from "./relay";
import type { StartUpstream } from "./upstream";

export interface ProxyIo {
  readonly stdin: NodeJS.ReadableStream;
  /** False = the client reads slowly; wait for `drained`. */
  readonly write: (line: Buffer | string) => boolean;
  readonly drained: () => Promise<void>;
  /** Aborted when the process is told to end, or nobody reads any more. */
  readonly stop: AbortSignal;
  readonly log: Log;
}

export interface ProxyParts {
  readonly upstream: StartUpstream;
  readonly judge: Judge;
  readonly pins: PinStore;
}

/** Milliseconds that calls in flight have once the client sends no more. */
const GRACE_MS = 5_000;

/** Resolves to the exit code when everything is on disk and closed. */
export async function relayStreams(io: ProxyIo, { upstream, judge, pins }: ProxyParts): Promise<number> {
  const ended = Promise.withResolvers<number>();
  let over = false;
  let left = false;
  /** Whoever is slow holds the other back, and nothing is kept in between. */
  const toClient = (line: Buffer | string): void => {
    if (io.write(line) || over) return;
    server.pause();
    void io.drained().then(server.resume);
  };
  const toServer = (line: Buffer | string): void => {
    if (server.send(line)) return;
    io.stdin.pause();
    void server.drained().then(() => void io.stdin.resume());
  };
  const relay = createRelay({ judge, pins, toClient, toServer, log: io.log });
  const server = upstream({
    onLine: relay.fromServer,
    onEnd({ why, code }) {
      over = true;
      if (code !== 0) io.log.error(why);
      relay.serverEnded(why);
      ended.resolve(code);
    },
  });
  void clientGone(io, relay.fromClient).then(async () => {
    const grace = setTimeout(relay.clientGone, io.stop.aborted ? 0 : GRACE_MS);
    io.stop.addEventListener("abort", relay.clientGone, { once: true });
    await relay.idle();
    clearTimeout(grace);
    left = true;
    io.stop.addEventListener("abort", server.kill, { once: true });
    if (io.stop.aborted) server.kill();
    else server.finish();
  });
  const code = await ended.promise;
  // A server that ended before its client did: what waited is answered, then our own end tells.
  const grace = setTimeout(relay.clientGone, GRACE_MS);
  await relay.idle();
  clearTimeout(grace);
  await judge.close();
  return left ? 0 : code;
}

/** Until the client closes its end, the stream fails, or we are stopped. */
function clientGone(
  { stdin, stop }: ProxyIo,
  onLine: Parameters<typeof createRawLineCutter>[0],
): Promise<void> {
  return new Promise((resolve) => {
    const cutter = createRawLineCutter(onLine);
    const done = (): void => {
      stdin.pause();
      resolve();
    };
    if (stop.aborted) return done();
    stop.addEventListener("abort", done, { once: true });
    stdin.on("data", (chunk: Uint8Array) => cutter.push(chunk));
    stdin.on("end", () => {
      cutter.end();
      done();
    });
    stdin.on("error", done);
  });
}
