/** The client's end of the broker: checks whose endpoint it is, hands in one request, waits. Knows nothing of agents; never throws. */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { dirname } from "node:path";
import type { BrokerReply, BrokerRequest } from "../agents/hookRequest";
import { messageOf } from "../core/errors";
import { MAX_FRAME, readReply, requestLine, waitLine } from "./brokerWire";
import { notOursAlone } from "./ownPath";

export interface BrokerTarget {
  readonly socket: string;
  readonly nonce: string;
}

/** Milliseconds. */
export interface Patience {
  /** Without any sign of life from the broker. */
  readonly silence: number;
  /** In all. */
  readonly total: number;
  /** Aborted when nobody waits for the answer any more: the broker sees its client go. */
  readonly signal?: AbortSignal;
}

const PIPE = "\\\\.\\pipe\\";

/** Always resolves; whatever goes wrong is a `broken` reply, which the caller turns into a deny. */
export function askBroker(
  target: BrokerTarget,
  request: BrokerRequest,
  patience: Patience,
): Promise<BrokerReply> {
  const wrong = notOurEndpoint(target.socket);
  if (wrong !== undefined) return Promise.resolve({ kind: "broken", reason: wrong });
  const challenge = randomBytes(16).toString("hex");
  const line = requestLine(target.nonce, challenge, request);
  if (Buffer.byteLength(line) > MAX_FRAME) {
    return Promise.resolve({ kind: "broken", reason: "the hook's input is too large" });
  }
  return new Promise((resolve) => {
    const socket = connect(target.socket);
    const timers: NodeJS.Timeout[] = [];
    let text = "";
    const finish = (reply: BrokerReply): void => {
      for (const timer of timers) clearTimeout(timer);
      patience.signal?.removeEventListener("abort", stop);
      socket.destroy();
      resolve(reply);
    };
    const fail = (reason: string): void => finish({ kind: "broken", reason });
    const stop = (): void => fail("the caller went away");
    if (patience.signal?.aborted) return stop();
    patience.signal?.addEventListener("abort", stop, { once: true });
    const silence = setTimeout(() => fail("the editor does not answer"), patience.silence);
    timers.push(
      silence,
      setTimeout(() => fail("no verdict in time"), patience.total),
    );
    socket.setEncoding("utf8");
    socket.on("error", (error) => fail(`the editor cannot be reached (${messageOf(error)})`));
    socket.on("close", () => fail("the editor closed the connection without a verdict"));
    socket.on("data", (chunk: string) => {
      silence.refresh();
      text += chunk;
      while (text.startsWith(waitLine)) text = text.slice(waitLine.length);
      const end = text.indexOf("\n");
      if (text.length > MAX_FRAME) fail("the editor's answer is too large");
      else if (end >= 0) finish(readReply(target.nonce, challenge, text.slice(0, end)) ?? notAuthentic);
    });
    // Written, never ended: with a half-closed socket the broker would not notice that the client died.
    socket.write(line);
  });
}

const notAuthentic: BrokerReply = {
  kind: "broken",
  reason: "the answer does not come from this window's broker",
};

/** A unix socket is trusted because nobody else can enter its folder; a pipe because of the proof in its reply. */
function notOurEndpoint(socket: string): string | undefined {
  if (process.platform === "win32")
    return socket.startsWith(PIPE) ? undefined : "the broker's address is no pipe";
  if (!socket.startsWith("/")) return "the broker's address is no absolute path";
  return notOursAlone(dirname(socket), "folder") ?? notOursAlone(socket, "socket");
}
